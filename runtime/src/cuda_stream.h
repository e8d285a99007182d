// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events and captured graphs of a CUDA device.
#ifndef HK_RUNTIME_CUDA_STREAM_H
#define HK_RUNTIME_CUDA_STREAM_H

#include "device.h"

namespace hk {

class CudaDevice;

Status createCudaEvent(const CudaDevice &device, std::unique_ptr<Event> &event);

/// Ends the capture of a stream and, with `keep`, makes a graph of it.
Status endCudaCapture(const CudaDevice &device, void *stream, bool keep,
                      std::unique_ptr<CapturedGraph> &graph);

} // namespace hk

#endif // HK_RUNTIME_CUDA_STREAM_H
