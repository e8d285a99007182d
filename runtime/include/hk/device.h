/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory, streams and events of a context's device: for tools and for callers
 * without a GPU library of their own. All of it works on the CPU too, but for
 * streams, of which the CPU has none but NULL.
 *
 * Errors, threads and lifetimes are as in hk/runtime.h. Errors name what was
 * asked for and give the driver's words. */
#ifndef HK_DEVICE_H
#define HK_DEVICE_H

#include "hk/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of the device, aligned to 256 bytes. HK_OUT_OF_MEMORY. */
HK_API hk_code hk_device_alloc(hk_context *context, size_t size, void **address,
                               hk_status *status);
/* `address` may be NULL. Kernels that use the memory must have ended. */
HK_API hk_code hk_device_free(hk_context *context, void *address,
                              hk_status *status);
/* Copies from the host's memory to the device's, and back. They return when the
 * bytes have arrived, and do not wait for streams made here. */
HK_API hk_code hk_device_write(hk_context *context, void *target,
                               const void *source, size_t size,
                               hk_status *status);
HK_API hk_code hk_device_read(hk_context *context, void *target,
                              const void *source, size_t size,
                              hk_status *status);
/* Waits for all that the process has asked of the device. Here the failure of a
 * kernel shows. */
HK_API hk_code hk_device_synchronize(hk_context *context, hk_status *status);

/* A stream that does not wait for the default one. HK_UNSUPPORTED on the CPU.
 */
HK_API hk_code hk_stream_create(hk_context *context, void **stream,
                                hk_status *status);
/* Waits for what is in the stream; NULL is the default one. */
HK_API hk_code hk_stream_synchronize(hk_context *context, void *stream,
                                     hk_status *status);
HK_API hk_code hk_stream_destroy(hk_context *context, void *stream,
                                 hk_status *status);

/* A point in a stream, for timing. */
typedef struct hk_event hk_event;
HK_API hk_code hk_event_create(hk_context *context, hk_event **event,
                               hk_status *status);
HK_API hk_code hk_event_record(hk_event *event, void *stream,
                               hk_status *status);
/* Milliseconds from `start` to `end`, both recorded and of one context; waits
 * for `end`. */
HK_API hk_code hk_event_elapsed(hk_event *start, hk_event *end,
                                float *milliseconds, hk_status *status);
HK_API void hk_event_destroy(hk_event *event);

#ifdef __cplusplus
}
#endif

#endif /* HK_DEVICE_H */
