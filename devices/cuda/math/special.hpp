#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {

// Functions that have no closed form, or few uses. An op has entries of one table only.
std::span<const UnaryEntry> special_unary_entries();
std::span<const BinaryEntry> special_binary_entries();  // operands are broadcast
/// PopulationCount of integers: results are uint8.
std::span<const UnaryEntry> count_entries();

/// Sets each element to the incomplete beta integral of x over parameters a and b. Operands have a
/// step of 1, or 0 where one element is for all.
struct BetaincCall {
  void* out;
  const void* a;
  const void* b;
  const void* x;
  int a_step, b_step, x_step;
  int64_t count;
  cudaStream_t stream;
};
using LaunchBetainc = void (*)(const BetaincCall& call);
LaunchBetainc find_betainc(Element element);

/// Sets out[i] to whether x[i] and y[i] differ by no more than the tolerance.
struct NearCall {
  bool* out;
  const void* x;
  const void* y;
  float tolerance;
  int64_t count;
  cudaStream_t stream;
};
using LaunchNear = void (*)(const NearCall& call);
LaunchNear find_near(Element element);

}  // namespace troupe::cuda
