/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of DLPack 1.0 that the C API speaks. Where the official header is
 * installed it is used; the declarations below have the same layout. */
#ifndef HK_DLPACK_ABI_H
#define HK_DLPACK_ABI_H

#if defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#define HK_HAVE_DLPACK_H 1
#endif
#endif

#ifdef HK_HAVE_DLPACK_H
#include <dlpack/dlpack.h>
#else

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLCUDAManaged = 13
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6
} DLDataTypeCode;

typedef struct {
  uint8_t code; /* a DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

/* `strides` counts elements; NULL means dense and row-major. */
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;

#ifdef __cplusplus
}
#endif

#endif /* HK_HAVE_DLPACK_H */
#endif /* HK_DLPACK_ABI_H */
