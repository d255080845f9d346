#pragma once

// The types of CUDA's driver API that devices/cuda names, for a build without it.
// ../compiled_kernels.cpp has the kernels.

#include "troupe/tests/cuda/emulated/include/cuda_runtime_api.h"

namespace troupe::emulated {
struct CompiledKernel;
}

using CUmodule = void*;
using CUfunction = const troupe::emulated::CompiledKernel*;
using CUstream = cudaStream_t;
