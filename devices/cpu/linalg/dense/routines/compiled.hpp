#pragma once

#include <complex>
#include <cstdint>

#include <Eigen/Core>

#include "troupe/devices/cpu/linalg/dense/routines/routines.hpp"

// What the files beside it have in common. Return types are no `auto`: they are part of the
// linker's names of these functions, which so differ for each namespace of Eigen.
namespace troupe::cpu::routines {

/// The instructions that this file is being compiled for.
inline constexpr auto compiled = Instructions::TROUPE_INSTRUCTIONS;

template <class S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

template <class S>
Eigen::Map<Matrix<S>> mapped(S* elements, int64_t rows, int64_t columns) {
  return {elements, rows, columns};
}

/// A copy that is aligned for these instructions. Eigen begins the sums of unaligned memory where
/// it is aligned: results would depend on the address.
template <class S>
Matrix<S> aligned_copy(const S* elements, int64_t rows, int64_t columns) {
  return Eigen::Map<const Matrix<S>>(elements, rows, columns);
}

}  // namespace troupe::cpu::routines
