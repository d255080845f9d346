#pragma once

#include <cstddef>
#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu {
enum class Repeat : uint8_t;  // math/elementwise.hpp
}

/// Loops in the widest vector instructions that the processor has. Each function of this namespace
/// chooses among the versions that were compiled: what it returns is asked for once, where a kernel
/// is made. An element's result does not depend on its place in the range, or on the range's end.
namespace troupe::cpu::vector {

/// Whether an output of so many bytes is better written past the caches, since they could not keep
/// it until it is read.
bool is_beyond_caches(int64_t bytes);

/// Copies past the caches; the thread calls finish_streams() after the last.
void copy_past_caches(void* to, const void* from, int64_t bytes);
void finish_streams();

/// A matrix within memory of any strides (in elements), and where its transpose is written.
struct Transposed {
  void* out;
  int64_t out_stride;
  const void* in;
  int64_t in_stride;
  int64_t rows, columns;  // of `in`
};

/// Sets out[c * out_stride + r] to in[r * in_stride + c]; best for some hundred elements each way.
using TransposeLoop = void (*)(const Transposed&);
/// For cells of 4 or 8 bytes, else null. `streams`: writes past the caches, where aligned.
TransposeLoop transpose_loop(size_t cell_bytes, bool streams);

/// out[i] is the function of x[i], which may lie at the same place.
using UnaryLoop = void (*)(void* out, const void* x, int64_t count);
enum class Function : uint8_t {
  exp,
  log,
  tanh,
  sigmoid,
  sqrt,
  rsqrt,
  square,
  neg,
  abs,
  relu,
  floor,
  ceil,
  round,
  sign,
  log1p,
  expm1,
  softplus,
  elu,
  selu,
  sin,
  cos,
  asin,
  acos,
  atan,
  atanh,
  erf,
  erfc
};
/// For float32 and, but for the last two, float64, within 2.5 units in the last place (from log1p
/// on: 4, erfc: 6); else null.
/// `streams`: writes past the caches.
UnaryLoop function_loop(Function function, DType dtype, bool streams = false);

/// From 16-bit floats to floats and back, rounded to the nearest. For bfloat16 and, where the
/// processor has instructions for it, float16; else null.
UnaryLoop widen_loop(DType half);
UnaryLoop narrow_loop(DType half);

/// The softmax of `rows` rows of `size` > 0 elements, or its logarithm. `out` may be `logits`.
using SoftmaxLoop = void (*)(void* out, const void* logits, int64_t rows, int64_t size);
/// For float32 and float64, else null.
SoftmaxLoop softmax_loop(DType dtype, bool is_log);

/// out[i] is x[i] and y[i] together, each of which may lie at the same place, or, where it repeats,
/// stand at its first element for all.
using ArithmeticLoop =
    void (*)(void* out, const void* x, const void* y, int64_t count, Repeat repeat);
enum class Arithmetic : uint8_t { add, sub, mul, div, maximum, minimum, floor_div, atan2 };
/// For float32, float64 and, but for divisions and atan2, int32; else null. `streams`: writes past
/// the caches.
ArithmeticLoop arithmetic_loop(Arithmetic operation, DType dtype, bool streams = false);

/// How rows of elements are folded to their sum or to an extreme.
struct FoldLoops {
  /// Folds a row onto the one element of `out`, in an order that depends on its size alone.
  void (*row)(void* out, const void* row, int64_t size) = nullptr;
  /// Folds each element of a row onto that of `out`.
  void (*each)(void* out, const void* row, int64_t size) = nullptr;
  /// The same of `count` rows, one after the other; a row of one element is folded as row() does.
  void (*rows)(void* out, const void* rows, int64_t count, int64_t size) = nullptr;
};
/// For add, maximum and minimum of float32, float64 and int32, else null.
FoldLoops fold_loops(Arithmetic operation, DType dtype);

/// out[i] is the sum of values[i] to values[i + width - 1], in their order.
using WindowSums = void (*)(void* out, const void* values, int64_t count, int64_t width);
/// For float32 and float64, else null.
WindowSums window_sums(DType dtype);

}  // namespace troupe::cpu::vector
