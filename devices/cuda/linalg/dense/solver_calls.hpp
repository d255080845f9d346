#pragma once

#include <cusolverDn.h>

#include "troupe/graph/types/status.hpp"

namespace troupe::cuda {

/// The functions of cuSOLVER that are called.
struct SolverCalls {
  decltype(&cusolverDnCreate) create;
  decltype(&cusolverDnDestroy) destroy;
  decltype(&cusolverDnCreateParams) create_parameters;
  decltype(&cusolverDnDestroyParams) destroy_parameters;
  decltype(&cusolverDnSetStream) set_stream;
  decltype(&cusolverDnXpotrf_bufferSize) cholesky_bytes;
  decltype(&cusolverDnXpotrf) cholesky;
  decltype(&cusolverDnXgetrf_bufferSize) pivots_bytes;
  decltype(&cusolverDnXgetrf) pivots;
  decltype(&cusolverDnXgeqrf_bufferSize) reflections_bytes;
  decltype(&cusolverDnXgeqrf) reflections;
  decltype(&cusolverDnXsyevd_bufferSize) eigenvalues_bytes;
  decltype(&cusolverDnXsyevd) eigenvalues;
  decltype(&cusolverDnXgesvd_bufferSize) singular_values_bytes;
  decltype(&cusolverDnXgesvd) singular_values;
};

/// Unimplemented, with the reason, where the machine has no such library. It is not loaded.
Status check_solver_library();
/// The first call loads it: not on a thread of an actor (vendor_library.hpp).
Result<const SolverCalls*> solver_calls();

}  // namespace troupe::cuda
