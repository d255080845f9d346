#pragma once

#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu::vector {

/// The first place of the greatest, or the least, of the elements of a row, of which NaN is none;
/// 0 where no element is better than the worst that there is.
using FindExtreme = int64_t (*)(const void* row, int64_t size);
/// For float32, float64 and int32, else null.
FindExtreme find_extreme_loop(bool is_maximum, DType dtype);

/// How many elements of a row are greater than one; -1 where an element is infinite or NaN.
using CountGreater = int64_t (*)(const float* row, int64_t size, float than);
CountGreater count_greater_loop();

/// Sets bit i % 64 of bits[i / 64] to whether element i is not zero, and those behind the last one
/// to 0. NaN is not zero.
using FindNonzero = void (*)(const void* elements, int64_t count, uint64_t* bits);
/// For bool, integers of 8, 32 and 64 bits, float32 and float64, else null.
FindNonzero find_nonzero_loop(DType dtype);

}  // namespace troupe::cpu::vector
