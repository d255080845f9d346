#pragma once

#include <cusolverDn.h>

#include "troupe/graph/types/status.hpp"

namespace troupe::cuda {

/// The functions of cuSOLVER that are called. The library has some hundred MiB and is loaded with
/// the first kernel of the process that needs it.
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

/// Unimplemented, with the reason, where the machine has no such library.
Result<const SolverCalls*> solver_calls();

}  // namespace troupe::cuda
