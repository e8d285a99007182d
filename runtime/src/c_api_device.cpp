// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API: memory, streams and events of a device.
#include "c_api.h"

#include "hk/device.h"

namespace {

using namespace hk::capi;
using hk::Device;
using hk::invalidArgument;
using hk::Status;

/// Runs `body` in the context's device.
template <typename Body>
hk_code inDevice(const hk_context *context, hk_status *status, Body body) {
  return guard(status, [&] {
    HK_TRY(checkPointer(context, "a context"));
    Device &device = context->impl->device();
    hk::DeviceScope scope(device);
    HK_TRY(scope.status());
    return body(device);
  });
}

} // namespace

extern "C" {

hk_code hk_device_alloc(hk_context *context, size_t size, void **address,
                        hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    HK_TRY(checkPointer(address, "a place for the address"));
    return device.allocate(size, *address);
  });
}

hk_code hk_device_free(hk_context *context, void *address, hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    return address ? device.free(address) : Status();
  });
}

hk_code hk_device_write(hk_context *context, void *target, const void *source,
                        size_t size, hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    if (size > 0) {
      HK_TRY(checkPointer(target, "memory to write to"));
      HK_TRY(checkPointer(source, "memory to read from"));
    }
    return device.write(target, source, size);
  });
}

hk_code hk_device_read(hk_context *context, void *target, const void *source,
                       size_t size, hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    if (size > 0) {
      HK_TRY(checkPointer(target, "memory to write to"));
      HK_TRY(checkPointer(source, "memory to read from"));
    }
    return device.read(target, source, size);
  });
}

hk_code hk_device_synchronize(hk_context *context, hk_status *status) {
  return inDevice(context, status,
                  [&](Device &device) { return device.synchronizeAll(); });
}

hk_code hk_stream_create(hk_context *context, void **stream,
                         hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    HK_TRY(checkPointer(stream, "a place for the stream"));
    return device.createStream(*stream);
  });
}

hk_code hk_stream_synchronize(hk_context *context, void *stream,
                              hk_status *status) {
  return inDevice(context, status,
                  [&](Device &device) { return device.synchronize(stream); });
}

hk_code hk_stream_destroy(hk_context *context, void *stream,
                          hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    return stream ? device.destroyStream(stream) : Status();
  });
}

hk_code hk_event_create(hk_context *context, hk_event **event,
                        hk_status *status) {
  return inDevice(context, status, [&](Device &device) {
    HK_TRY(checkPointer(event, "a place for the event"));
    auto created = std::make_unique<hk_event>();
    created->context = context->impl;
    HK_TRY(device.createEvent(created->impl));
    *event = created.release();
    return Status();
  });
}

hk_code hk_event_record(hk_event *event, void *stream, hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(event, "an event"));
    hk::DeviceScope scope(event->context->device());
    HK_TRY(scope.status());
    HK_TRY(event->impl->record(stream));
    event->recorded = true;
    return Status();
  });
}

hk_code hk_event_elapsed(hk_event *start, hk_event *end, float *milliseconds,
                         hk_status *status) {
  return guard(status, [&] {
    HK_TRY(checkPointer(start, "an event"));
    HK_TRY(checkPointer(end, "an event"));
    HK_TRY(checkPointer(milliseconds, "a place for the time"));
    if (start->context != end->context)
      return invalidArgument(
          "expects events of one context, but got those of two");
    if (!start->recorded || !end->recorded)
      return invalidArgument(
          "expects recorded events, but got one that is not");
    hk::DeviceScope scope(end->context->device());
    HK_TRY(scope.status());
    return end->impl->elapsed(*start->impl, *milliseconds);
  });
}

void hk_event_destroy(hk_event *event) { delete event; }

} // extern "C"
