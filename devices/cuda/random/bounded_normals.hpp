#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/random/philox.hpp"

namespace troupe::cuda {

/// A batch for which there are no numbers.
struct BoundedFault {
  double is_invalid;  // 1: its parameters are
  double is_refused;  // 1: too many numbers in a row were
  double mean, deviation, least, greatest;
};

/// Sets normal numbers between bounds, batch after batch, with the bits of one stream, as on CPUs.
struct BoundedNormalsCall {
  void* out;
  int64_t elements;  // not 0
  struct Parameter {
    const void* values;
    bool is_one;  // for all batches
  };
  Parameter mean, deviation, least, greatest;
  int64_t batches, size;  // of each; the last one may have fewer
  BoundedFault* fault;    // zeros before; of the first batch that has one
  PhiloxPosition start;
  cudaStream_t stream;
};
using LaunchBoundedNormals = void (*)(const BoundedNormalsCall& call);
/// Null where there is none.
LaunchBoundedNormals find_bounded_normals(Element element);

}  // namespace troupe::cuda
