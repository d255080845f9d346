#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string_view>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/index/strided_walk.hpp"

namespace troupe::cuda {

/// Puts the computation of `count` elements on a stream. The memory of both may be the same.
using LaunchUnary = void (*)(void* out, const void* x, int64_t count, cudaStream_t stream);

/// Operands are where the walk over the result leads, of rank 1 at least if it has elements; the
/// result's memory may be that of an operand that is not repeated.
struct BinaryCall {
  void* out;
  const void* x;
  const void* y;
  StridedWalk<2> walk;
  cudaStream_t stream;
};
using LaunchBinary = void (*)(const BinaryCall& call);

/// Which function computes an op for elements of that kind.
struct UnaryEntry {
  std::string_view op;
  Element element;
  LaunchUnary launch;
};
struct BinaryEntry {
  std::string_view op;
  Element element;
  LaunchBinary launch;
};

// All that were compiled, by file. An op has entries of one table only.
std::span<const UnaryEntry> unary_entries();
std::span<const UnaryEntry> flag_entries();  // IsNan and the like: results are bools
std::span<const UnaryEntry> invert_entries();
std::span<const BinaryEntry> binary_entries();      // operands are broadcast
std::span<const BinaryEntry> bitwise_entries();     // the same
std::span<const BinaryEntry> comparison_entries();  // the same, results are bools
std::span<const BinaryEntry> pairwise_entries();    // operands of one shape

// Of complex numbers; their ops may have entries of other numbers in the tables above.
std::span<const UnaryEntry> complex_unary_entries();
std::span<const UnaryEntry> part_entries();  // Real and the like: results are real
std::span<const BinaryEntry> complex_binary_entries();
std::span<const BinaryEntry> complex_pairwise_entries();
std::span<const BinaryEntry> complex_comparison_entries();
std::span<const BinaryEntry> complex_making_entries();  // Complex: operands are real

/// Null where there is none; of ops of two operands those whose operands are broadcast.
LaunchUnary find_unary(std::string_view op, Element element);
LaunchBinary find_binary(std::string_view op, Element element);
LaunchBinary find_sum(Element element);

/// Converts elements of one kind to another.
void launch_cast(
    void* out, Element to, const void* x, Element from, int64_t count, cudaStream_t stream);

/// Sets out[i] to an element of `then` where its flag is true, else of `otherwise`; the walk leads
/// over flags, then and otherwise. `size`: bytes of an element: 1, 2, 4, 8 or 16.
struct SelectCall {
  void* out;
  const void* flags;
  const void* then;
  const void* otherwise;
  int size;
  StridedWalk<3> walk;
  cudaStream_t stream;
};
void launch_select(const SelectCall& call);

}  // namespace troupe::cuda
