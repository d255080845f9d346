#pragma once

#include <cstdint>

namespace troupe::cuda {

/// The plain dtypes that kernels of cards are compiled for, by the numbers of DType: sources for
/// nvcc do not include that, whose Eigen takes it long.
enum class Element : uint8_t {
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  complex64 = 8,
  int64 = 9,
  boolean = 10,
  bfloat16 = 14,
  uint16 = 17,
  complex128 = 18,
  float16 = 19,
  uint32 = 22,
  uint64 = 23,
};

}  // namespace troupe::cuda
