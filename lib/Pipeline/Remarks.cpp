// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Pipeline/Remarks.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/YAMLTraits.h"

#include <mutex>

using namespace mlir;
using namespace hk;
using remark::RemarkKind;

namespace {

class Collector final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::vector<RemarkRecord> &remarks) : remarks(remarks) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  std::mutex mutex;
  std::vector<RemarkRecord> &remarks;
};

} // namespace

/// The file, line and column that a location comes from, without folders: a
/// module must not depend on where its source lies.
static std::string describe(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return {};
  return (llvm::sys::path::filename(place.getFilename().getValue()) + ":" +
          Twine(place.getLine()) + ":" + Twine(place.getColumn()))
      .str();
}

/// Text as it was streamed; a named argument as "name = value".
static std::string describe(ArrayRef<remark::detail::Remark::Arg> arguments) {
  std::string message;
  for (const auto &argument : arguments) {
    if (argument.key == "Remark") {
      message += argument.val;
      continue;
    }
    if (!message.empty())
      message += ", ";
    message += argument.key + " = " + argument.val;
  }
  return message;
}

static RemarkKind getKind(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return RemarkKind::RemarkPassed;
  case llvm::remarks::Type::Missed:
    return RemarkKind::RemarkMissed;
  case llvm::remarks::Type::Failure:
    return RemarkKind::RemarkFailure;
  default:
    return RemarkKind::RemarkAnalysis;
  }
}

void Collector::streamOptimizationRemark(const remark::detail::Remark &remark) {
  std::lock_guard<std::mutex> lock(mutex);
  remarks.push_back(
      {getKind(remark.getRemarkType()), remark.getCombinedCategoryName().str(),
       remark.getRemarkName().str(), remark.getFunction().str(),
       describe(remark.getLocation()), describe(remark.getArgs())});
}

LogicalResult hk::collectRemarks(MLIRContext &context,
                                 std::vector<RemarkRecord> &remarks) {
  remark::RemarkCategories categories;
  // `all` adds to the filter of a kind, and a kind without one is off.
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(remarks),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

static StringRef getKindName(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::RemarkPassed:
    return "Passed";
  case RemarkKind::RemarkMissed:
    return "Missed";
  case RemarkKind::RemarkFailure:
    return "Failure";
  case RemarkKind::RemarkAnalysis:
  case RemarkKind::RemarkUnknown:
    return "Analysis";
  }
  llvm_unreachable("a kind of remark");
}

void hk::printRemarksAsText(const std::vector<RemarkRecord> &remarks,
                            llvm::Regex &passFilter, llvm::raw_ostream &os) {
  for (const RemarkRecord &remark : remarks) {
    if (!passFilter.match(remark.pass))
      continue;
    if (!remark.location.empty())
      os << remark.location << ": ";
    os << "remark: " << getKindName(remark.kind).lower() << ": "
       << remark.message << " [" << remark.pass << "]\n";
  }
}

/// A scalar in single quotes, in which only the quote is special.
static std::string quote(StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? "''" : c == '\n' ? " " : std::string(1, c);
  return quoted + "'";
}

void hk::printRemarksAsYaml(const std::vector<RemarkRecord> &remarks,
                            llvm::Regex &passFilter, llvm::raw_ostream &os) {
  for (const RemarkRecord &remark : remarks) {
    if (!passFilter.match(remark.pass))
      continue;
    os << "--- !" << getKindName(remark.kind)
       << "\nPass: " << quote(remark.pass) << "\nName: " << quote(remark.name);
    if (!remark.location.empty()) {
      auto [rest, column] = StringRef(remark.location).rsplit(':');
      auto [file, line] = rest.rsplit(':');
      os << "\nDebugLoc: { File: " << quote(file) << ", Line: " << line
         << ", Column: " << column << " }";
    }
    os << "\nFunction: " << quote(remark.function)
       << "\nArgs:\n  - String: " << quote(remark.message) << "\n...\n";
  }
}
