// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linker for objects that need no loader.

#include "hk/Target/CPU/Image.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace hk;
using namespace llvm;

namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;
using ElfSection = object::ELF64LE::Shdr;
using ElfSymbol = object::ELF64LE::Sym;
using ElfRela = object::ELF64LE::Rela;

Error error(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

class Linker {
public:
  explicit Linker(const ElfFile &file) : file(file) {}

  Expected<Image> link();

private:
  Error layOut();
  Error place(const ElfSection &section, StringRef name);
  Error collectSymbols();
  Error relocate(const ElfSection &relocations);
  Error apply(const ElfRela &rela, uint64_t base, uint64_t size);
  Expected<uint64_t> addressOf(const ElfSymbol &symbol);

  const ElfFile &file;
  Image image;
  /// Where each section that is in the image begins.
  DenseMap<unsigned, uint64_t> offsets;
  ArrayRef<ElfSymbol> symbols;
  StringRef names;
};

} // namespace

/// Whether a section is to be in memory when the code runs. Nothing unwinds
/// through a kernel, and notes are for a loader.
static bool isLoaded(const ElfSection &section, StringRef name) {
  return (section.sh_flags & ELF::SHF_ALLOC) && section.sh_size != 0 &&
         section.sh_type != ELF::SHT_NOTE && name != ".eh_frame" &&
         section.sh_type != ELF::SHT_X86_64_UNWIND;
}

Expected<Image> Linker::link() {
  const auto &header = file.getHeader();
  if (header.e_machine != ELF::EM_X86_64 || header.e_type != ELF::ET_REL)
    return error("expects a relocatable x86-64 object, but got machine " +
                 Twine(unsigned(header.e_machine)) + ", type " +
                 Twine(unsigned(header.e_type)));
  if (Error failure = layOut())
    return failure;
  if (Error failure = collectSymbols())
    return failure;
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const ElfSection &section : *sections)
    if (section.sh_type == ELF::SHT_RELA || section.sh_type == ELF::SHT_REL)
      if (Error failure = relocate(section))
        return failure;
  return std::move(image);
}

Error Linker::layOut() {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  // Code first: constants that follow it may share its last page.
  for (bool code : {true, false})
    for (const ElfSection &section : *sections) {
      auto name = file.getSectionName(section);
      if (!name)
        return name.takeError();
      if (!isLoaded(section, *name) ||
          bool(section.sh_flags & ELF::SHF_EXECINSTR) != code)
        continue;
      if (Error failure = place(section, *name))
        return failure;
    }
  return Error::success();
}

Error Linker::place(const ElfSection &section, StringRef name) {
  if ((section.sh_flags & (ELF::SHF_WRITE | ELF::SHF_TLS)) ||
      section.sh_type == ELF::SHT_NOBITS)
    return error("expects code and constants only, but got writable data in "
                 "section '" +
                 name + "'");
  auto contents = file.getSectionContents(section);
  if (!contents)
    return contents.takeError();
  uint64_t alignment = std::max<uint64_t>(section.sh_addralign, 1);
  if (!isPowerOf2_64(alignment) || alignment > 4096)
    return error("expects sections aligned to a page at most, but got " +
                 Twine(alignment) + " for section '" + name + "'");
  image.bytes.resize(alignTo(image.bytes.size(), alignment));
  auto first = file.sections()->begin();
  offsets[&section - &*first] = image.bytes.size();
  image.bytes.insert(image.bytes.end(), contents->begin(), contents->end());
  return Error::success();
}

Error Linker::collectSymbols() {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const ElfSection &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto table = file.symbols(&section);
    if (!table)
      return table.takeError();
    symbols = *table;
    auto strings = file.getStringTableForSymtab(section);
    if (!strings)
      return strings.takeError();
    names = *strings;
  }
  for (const ElfSymbol &symbol : symbols) {
    if (symbol.getBinding() == ELF::STB_LOCAL ||
        symbol.getType() != ELF::STT_FUNC || symbol.isUndefined())
      continue;
    auto name = symbol.getName(names);
    if (!name)
      return name.takeError();
    auto address = addressOf(symbol);
    if (!address)
      return address.takeError();
    image.symbols[name->str()] = *address;
  }
  return Error::success();
}

Expected<uint64_t> Linker::addressOf(const ElfSymbol &symbol) {
  auto name = symbol.getName(names);
  if (!name)
    return name.takeError();
  if (symbol.isUndefined())
    return error("expects code that calls nothing outside the module, but got "
                 "a use of '" +
                 *name + "'");
  auto section = offsets.find(symbol.st_shndx);
  if (section == offsets.end())
    return error("expects symbols in code or constants, but got '" + *name +
                 "' elsewhere");
  return section->second + symbol.st_value;
}

Error Linker::relocate(const ElfSection &relocations) {
  auto target = offsets.find(relocations.sh_info);
  if (target == offsets.end())
    return Error::success();
  auto section = file.getSection(relocations.sh_info);
  if (!section)
    return section.takeError();
  if (relocations.sh_type == ELF::SHT_REL)
    return error("expects relocations with addends, but got a section without");
  auto relas = file.relas(relocations);
  if (!relas)
    return relas.takeError();
  for (const ElfRela &rela : *relas)
    if (Error failure = apply(rela, target->second, (*section)->sh_size))
      return failure;
  return Error::success();
}

Error Linker::apply(const ElfRela &rela, uint64_t base, uint64_t size) {
  unsigned index = rela.getSymbol(/*isMips64EL=*/false);
  if (index >= symbols.size())
    return error("expects a relocation against a symbol of the object, but got "
                 "symbol " +
                 Twine(index));
  // Which symbol is missing says more than which relocation asks for it.
  auto address = addressOf(symbols[index]);
  if (!address)
    return address.takeError();
  unsigned type = rela.getType(/*isMips64EL=*/false);
  if (type != ELF::R_X86_64_PC32 && type != ELF::R_X86_64_PLT32)
    return error("expects code that may lie at any address, but got relocation "
                 "'" +
                 object::getELFRelocationTypeName(ELF::EM_X86_64, type) + "'");
  if (size < 4 || rela.r_offset > size - 4)
    return error("expects relocations inside their section, but got offset " +
                 Twine(uint64_t(rela.r_offset)));
  uint64_t place = base + rela.r_offset;
  int64_t value = int64_t(*address + rela.r_addend - place);
  if (!isInt<32>(value))
    return error("expects an image of at most 2 GB, but got a distance of " +
                 Twine(value));
  support::endian::write32le(image.bytes.data() + place, uint32_t(value));
  return Error::success();
}

Expected<Image> hk::linkImage(MemoryBufferRef object) {
  auto file = ElfFile::create(object.getBuffer());
  if (!file)
    return file.takeError();
  return Linker(*file).link();
}
