#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The input's shape with size 1 for each axis to fold, and the shape of the output.
struct Reduction {
  Shape kept;
  Shape result;
};

/// Fails unless the axes are there, each once.
Result<Reduction> plan_reduction(const Shape& shape, const Tensor& indices, bool keep_dims);

// The parts of the reduction family, each in the file of its name.
void add_arg_max_kernel(KernelCatalog& catalog);  // ArgMax, ArgMin
void add_norm_kernel(KernelCatalog& catalog);     // EuclideanNorm

}  // namespace troupe::cpu
