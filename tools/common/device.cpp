// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/device.h"

#include "common/error.h"
#include "common/runtime_wrapper.h"

#include <charconv>

using namespace hk::tools;

DeviceChoice hk::tools::parseDevice(const std::string &text) {
  DeviceChoice choice;
  if (text == "cpu")
    return choice;
  if (text == "auto") {
    choice.kind = HK_DEVICE_AUTO;
    return choice;
  }
  const std::string prefix = "cuda:";
  choice.kind = HK_DEVICE_CUDA;
  if (text == "cuda")
    return choice;
  if (text.compare(0, prefix.size(), prefix) == 0) {
    const char *first = text.data() + prefix.size();
    const char *last = text.data() + text.size();
    auto [end, code] = std::from_chars(first, last, choice.ordinal);
    if (code == std::errc() && end == last)
      return choice;
  }
  userError("expects --device cpu, cuda, cuda:N or auto, but got '" + text +
            "'");
}

// Once a constructor has been delegated to, the destructor runs where the rest
// throws.
DeviceWork::DeviceWork(hk_context *context) : DeviceWork(context, Empty()) {
  hk_status status = {};
  check(hk_stream_create(context, &queue, &status), status);
  check(hk_event_create(context, &begin, &status), status);
  check(hk_event_create(context, &end, &status), status);
}

DeviceWork::DeviceWork(hk_context *context, Empty) : context(context) {}

DeviceWork::~DeviceWork() {
  (void)hk_device_synchronize(context, nullptr);
  hk_event_destroy(begin);
  hk_event_destroy(end);
  (void)hk_stream_destroy(context, queue, nullptr);
  for (void *address : memory)
    (void)hk_device_free(context, address, nullptr);
}

void *DeviceWork::allocate(size_t size) {
  hk_status status = {};
  memory.push_back(nullptr);
  check(hk_device_alloc(context, size, &memory.back(), &status), status);
  return memory.back();
}

void DeviceWork::write(void *target, const void *source, size_t size) {
  hk_status status = {};
  check(hk_device_write(context, target, source, size, &status), status);
}

void DeviceWork::read(void *target, const void *source, size_t size) {
  hk_status status = {};
  check(hk_device_read(context, target, source, size, &status), status);
}

void DeviceWork::start() {
  hk_status status = {};
  check(hk_event_record(begin, queue, &status), status);
}

double DeviceWork::finish() {
  hk_status status = {};
  float milliseconds = 0;
  check(hk_event_record(end, queue, &status), status);
  synchronize();
  check(hk_event_elapsed(begin, end, &milliseconds, &status), status);
  return milliseconds * 1e-3;
}

void DeviceWork::synchronize() {
  hk_status status = {};
  check(hk_stream_synchronize(context, queue, &status), status);
}

EventPairs::EventPairs(hk_context *context, size_t count) {
  for (std::vector<Event> *events : {&begins, &ends})
    for (size_t i = 0; i < count; ++i) {
      hk_status status = {};
      hk_event *event = nullptr;
      check(hk_event_create(context, &event, &status), status);
      events->emplace_back(event);
    }
}

void EventPairs::begin(size_t index, void *stream) {
  hk_status status = {};
  check(hk_event_record(begins[index].get(), stream, &status), status);
}

void EventPairs::end(size_t index, void *stream) {
  hk_status status = {};
  check(hk_event_record(ends[index].get(), stream, &status), status);
}

double EventPairs::seconds(size_t index) const {
  hk_status status = {};
  float milliseconds = 0;
  check(hk_event_elapsed(begins[index].get(), ends[index].get(), &milliseconds,
                         &status),
        status);
  return milliseconds * 1e-3;
}
