// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/Devices/Device.h"

#include "hk/Target/NVPTX/Arch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <list>
#include <set>

using namespace hk;
using namespace llvm;

static constexpr const char *texts[] = {
#include "Devices.inc"
};

namespace {

/// Reads the fields of an object and remembers which.
class Reader {
public:
  Reader(const json::Object &object, std::string &error)
      : object(object), error(error) {}

  void text(StringRef key, std::string &value) {
    seen.insert(key.str());
    if (auto found = object.getString(key); found && !found->empty())
      value = found->str();
    else
      expect("a text", key);
  }

  template <typename Number>
  void number(StringRef key, Number &value, bool orZero = false) {
    seen.insert(key.str());
    auto found = object.getNumber(key);
    double got = found.value_or(-1);
    if (!std::isfinite(got) || got > 1e18 || (orZero ? got < 0 : got <= 0))
      return expect(orZero ? "a number that is not negative"
                           : "a number above zero",
                    key);
    value = static_cast<Number>(got);
  }

  void rate(StringRef key, TensorRate &rate) {
    seen.insert(key.str());
    const json::Object *nested = object.getObject(key);
    if (!nested)
      return expect("an object", key);
    Reader reader(*nested, error);
    reader.number("f16", rate.f16, /*orZero=*/true);
    reader.number("tf32", rate.tf32, /*orZero=*/true);
    reader.finish();
  }

  void finish() {
    for (const auto &field : object)
      if (!seen.count(field.first.str()) && error.empty())
        error = "expects no field '" + field.first.str() + "'";
  }

private:
  void expect(StringRef what, StringRef key) {
    if (!error.empty())
      return;
    error = ("expects " + what + " as '" + key + "', but got ").str();
    if (const json::Value *value = object.get(key))
      raw_string_ostream(error) << *value;
    else
      error += "none";
  }

  const json::Object &object;
  std::string &error;
  std::set<std::string> seen;
};

} // namespace

Expected<Device> hk::parseDevice(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return createStringError("expects an object in JSON");
  Device device;
  std::string error;
  Reader reader(*object, error);
  reader.text("name", device.name);
  reader.text("description", device.description);
  reader.text("source", device.source);
  reader.text("arch", device.arch);
  reader.number("sms", device.sms);
  reader.number("clock_hz", device.clock);
  reader.number("registers_per_sm", device.registers);
  reader.number("threads_per_sm", device.threadsPerSM);
  reader.number("ctas_per_sm", device.ctasPerSM);
  reader.number("shared_bytes_per_sm", device.sharedPerSM);
  reader.number("shared_bytes_per_cta", device.sharedPerCTA);
  reader.number("max_cluster", device.maxCluster);
  reader.number("l2_bytes", device.l2Size);
  reader.number("l2_bytes_per_second", device.l2Bandwidth);
  reader.number("memory_bytes_per_second", device.memoryBandwidth);
  reader.rate("mma_sync_flop_per_clock", device.mmaSync);
  reader.rate("wgmma_flop_per_clock", device.wgmma);
  reader.number("mufu_per_clock", device.mufu);
  reader.number("issue_per_clock", device.issue);
  reader.number("fma_per_clock", device.fma);
  reader.number("shared_bytes_per_clock", device.sharedBytes);
  reader.number("launch_seconds", device.launch);
  reader.number("next_launch_seconds", device.nextLaunch);
  reader.finish();
  if (error.empty() && !findArch(device.arch))
    error =
        "expects " + listArchs() + " as 'arch', but got '" + device.arch + "'";
  if (!error.empty())
    return createStringError(error);
  return device;
}

ArrayRef<Device> hk::getDevices() {
  static const std::vector<Device> devices = [] {
    std::vector<Device> parsed;
    for (const char *text : texts)
      parsed.push_back(cantFail(parseDevice(text)));
    return parsed;
  }();
  return devices;
}

static std::list<Device> &getLoaded() {
  static std::list<Device> loaded;
  return loaded;
}

const Device *hk::findDevice(StringRef name) {
  auto named = [&](const Device &device) { return device.name == name; };
  if (const auto *device = find_if(getDevices(), named);
      device != getDevices().end())
    return device;
  auto loaded = find_if(getLoaded(), named);
  return loaded == getLoaded().end() ? nullptr : &*loaded;
}

const Device *hk::getDefaultDevice(StringRef arch) {
  // The largest of them: a schedule that fills it runs on the others.
  const Device *best = nullptr;
  for (const Device &device : getDevices())
    if (device.arch == arch &&
        (!best || device.memoryBandwidth > best->memoryBandwidth))
      best = &device;
  return best;
}

Expected<const Device *> hk::loadDevice(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  Expected<Device> device = parseDevice((*buffer)->getBuffer());
  if (!device)
    return createStringError("'" + path + "': " + toString(device.takeError()));
  if (findDevice(device->name))
    return createStringError("'" + path +
                             "': expects a name that no device has, but got '" +
                             device->name + "'");
  getLoaded().push_back(std::move(*device));
  return &getLoaded().back();
}

std::string hk::listDevices() {
  std::string text;
  for (const Device &device : getDevices())
    text += (text.empty() ? "" : ", ") + device.name;
  return text;
}
