#pragma once

#include <cudnn.h>

#include "troupe/tests/cuda/emulated/floating.hpp"

namespace troupe::emulated {

struct DnnHandle {
  Stream* stream = nullptr;
};

inline Floating floating_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE: return Floating::float64;
    case CUDNN_DATA_HALF: return Floating::float16;
    case CUDNN_DATA_BFLOAT16: return Floating::bfloat16;
    default: return Floating::float32;
  }
}

}  // namespace troupe::emulated
