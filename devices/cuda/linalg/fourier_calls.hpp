#pragma once

#include <cufft.h>

#include "troupe/graph/types/status.hpp"

namespace troupe::cuda {

/// The functions of cuFFT that are called.
struct FourierCalls {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftMakePlanMany64) make_plan;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftExecC2C) transform_complex64;
  decltype(&cufftExecZ2Z) transform_complex128;
  decltype(&cufftExecR2C) transform_reals;
  decltype(&cufftExecC2R) transform_to_reals;
};

/// Unimplemented, with the reason, where the machine has no such library. It is not loaded.
Status check_fourier_library();
/// The first call loads it: not on a thread of an actor (vendor_library.hpp).
Result<const FourierCalls*> fourier_calls();

}  // namespace troupe::cuda
