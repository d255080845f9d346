#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

/// One way to fold elements: the result of none, and of one more.
struct FoldSum {
  template <class A>
  static A none() {
    return A(0);
  }
  template <class A, class B>
  auto operator()(A folded, B next) const {
    return wrap(folded) + wrap(next);
  }
};

struct FoldProduct {
  template <class A>
  static A none() {
    return A(1);
  }
  template <class A, class B>
  auto operator()(A folded, B next) const {
    return wrap(folded) * wrap(next);
  }
};

// Both propagate NaN.
struct FoldMaximum {
  template <class A>
  static A none() {
    using Limits = std::numeric_limits<A>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class A>
  A operator()(A folded, A next) const {
    return (folded > next) | (folded != folded) ? folded : next;
  }
};

struct FoldMinimum {
  template <class A>
  static A none() {
    using Limits = std::numeric_limits<A>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class A>
  A operator()(A folded, A next) const {
    return (folded < next) | (folded != folded) ? folded : next;
  }
};

/// Folds in eight lanes, so that the compiler can use vector instructions.
template <class Fold, class A, class T>
[[gnu::noinline]] A fold_row(const T* row, int64_t size) {
  constexpr int lanes = 8;
  auto folded = Fold::template none<A>();
  int64_t i = 0;
  if (size >= 2 * lanes) {
    A parts[lanes];
    std::fill_n(parts, lanes, folded);
    for (; i + lanes <= size; i += lanes)
      for (int lane = 0; lane < lanes; ++lane)
        parts[lane] = static_cast<A>(Fold{}(parts[lane], promote(row[i + lane])));
    for (auto part : parts) folded = static_cast<A>(Fold{}(folded, part));
  }
  for (; i < size; ++i) folded = static_cast<A>(Fold{}(folded, promote(row[i])));
  return folded;
}

/// What a walk over a tensor, which is compiled once, needs to know to fold its elements. They are
/// folded as `folded`, which is wide enough for 16-bit floats.
struct FoldElements {
  DType in = DType::invalid, folded = DType::invalid;
  void (*set_none)(void* out, int64_t count) = nullptr;
  /// Folds a row of the input onto one element.
  void (*fold_row)(void* out, const void* row, int64_t size) = nullptr;
  /// Folds rows of the input, less than `short_row` long, each onto an element of its own.
  void (*fold_short_rows)(void* out, const void* rows, int64_t count, int64_t size) = nullptr;
  /// Folds each element of a row of the input, or of folded ones, onto an element of its own.
  void (*fold_each)(void* out, const void* row, int64_t size) = nullptr;
  /// The same of rows that lie one after the other, all onto one row.
  void (*fold_rows)(void* out, const void* rows, int64_t count, int64_t size) = nullptr;
  /// Folds each row of the input onto the row of `out` that its id says; of a negative one, none.
  void (*fold_onto)(void* out, const void* rows, std::span<const int64_t> ids, int64_t size) =
      nullptr;
  void (*join)(void* out, const void* folded, int64_t size) = nullptr;
  UnaryLoop narrow = nullptr;  // where `in` is not `folded`
};

template <class Fold, class A, class T>
void fold_each(void* out, const void* row, int64_t size) {
  auto* to = static_cast<A*>(out);
  apply<Fold>(to, size, static_cast<const A*>(to), static_cast<const T*>(row));
}

template <class Fold, class A, class T>
void fold_rows(void* out, const void* rows, int64_t count, int64_t size) {
  const auto* row = static_cast<const T*>(rows);
  for (int64_t i = 0; i < count; ++i) fold_each<Fold, A, T>(out, row + i * size, size);
}

/// Rows below this size are folded one element after the other, so fold_row() need not be called.
constexpr int64_t short_row = 16;

template <class Fold, class A, class T>
void fold_short_rows(void* out, const void* rows, int64_t count, int64_t size) {
  auto* to = static_cast<A*>(out);
  const auto* row = static_cast<const T*>(rows);
  for (int64_t i = 0; i < count; ++i, row += size) {
    auto folded = to[i];
    for (int64_t k = 0; k < size; ++k) folded = static_cast<A>(Fold{}(folded, promote(row[k])));
    to[i] = folded;
  }
}

template <class Fold, class A, class T>
void fold_onto(void* out, const void* rows, std::span<const int64_t> ids, int64_t size) {
  const auto* row = static_cast<const T*>(rows);
  for (auto id : ids) {
    if (id >= 0) {
      auto* to = static_cast<A*>(out) + id * size;
      for (int64_t k = 0; k < size; ++k) to[k] = static_cast<A>(Fold{}(to[k], promote(row[k])));
    }
    row += size;
  }
}

template <class Fold, class T>
constexpr FoldElements fold_elements() {
  using A = Promoted<T>;
  FoldElements elements{
      .in = dtype_of<T>(),
      .folded = dtype_of<A>(),
      .set_none =
          [](void* out, int64_t count) {
            std::fill_n(static_cast<A*>(out), count, Fold::template none<A>());
          },
      .fold_row =
          [](void* out, const void* row, int64_t size) {
            auto* to = static_cast<A*>(out);
            *to = static_cast<A>(Fold{}(*to, fold_row<Fold, A>(static_cast<const T*>(row), size)));
          },
      .fold_short_rows = fold_short_rows<Fold, A, T>,
      .fold_each = fold_each<Fold, A, T>,
      .fold_rows = fold_rows<Fold, A, T>,
      .fold_onto = fold_onto<Fold, A, T>,
      .join = fold_each<Fold, A, A>};
  if constexpr (is_half<T>)
    elements.narrow = [](void* out, const void* wide, int64_t count) {
      narrow(static_cast<T*>(out), static_cast<const float*>(wide), count);
    };
  return elements;
}

/// How sums are made, where they are defined; else without functions.
FoldElements summation(DType dtype);

/// Sets output 0 to what was folded, narrowed.
Status set_folded(Launch& launch, const FoldElements& elements, Tensor folded);

/// Folds `in` to the shape `kept`, which has size 1 in place of each axis to fold, and calls
/// finish(elements, count), if given, on the result before it is narrowed. It gets the shape
/// `result`.
Result<Tensor> reduce(
    const Launch& launch, const FoldElements& elements, const Tensor& in, const Shape& kept,
    const Shape& result, const std::function<void(void*, int64_t)>& finish = {});

}  // namespace troupe::cpu
