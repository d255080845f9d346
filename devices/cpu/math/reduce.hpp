#pragma once

#include <algorithm>
#include <functional>

#include "troupe/devices/cpu/loop_nest.hpp"
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

/// Folds rows [begin, end) of a walk over `in` onto the elements of `out` that it leads to.
template <class Fold, class A, class T>
void fold_rows(const T* in, A* out, const LoopNest<1>& nest, int64_t begin, int64_t end) {
  auto size = nest.row_size();
  auto is_kept = nest.row_strides()[0] != 0;
  nest.each_row(begin, end, [&](int64_t row, const auto& at) {
    auto* to = out + at[0];
    const auto* from = in + row * size;
    if (is_kept) apply<Fold>(to, size, static_cast<const A*>(to), from);
    else *to = static_cast<A>(Fold{}(*to, fold_row<Fold, A>(from, size)));
  });
}

/// Folds as fold_rows() over parts of the outermost axis that run side by side, each onto a copy of
/// the result; their number is fixed, so that the same input always gives the same sum.
template <class Fold, class A, class T>
Status fold_in_parts(
    const Launch& launch, const T* in, A* out, const LoopNest<1>& nest, int64_t out_count) {
  constexpr int64_t parts = 16;
  auto copies = launch.allocate(dtype_of<A>(), {parts, out_count});
  if (!copies) return copies.status();
  auto* copy = copies->template mutable_data<A>();
  std::fill_n(copy, parts * out_count, Fold::template none<A>());
  auto outer = nest.outer_size(), rows_each = nest.rank() > 1 ? nest.rows() / outer : 1;
  split_ranges(parts, 1, [&](int64_t begin, int64_t end) {
    for (auto part = begin; part < end; ++part) {
      auto first = outer * part / parts, last = outer * (part + 1) / parts;
      auto* to = copy + part * out_count;
      if (nest.rank() == 1) *to = fold_row<Fold, A>(in + first, last - first);
      else fold_rows<Fold>(in, to, nest, first * rows_each, last * rows_each);
    }
  });
  for (int64_t part = 0; part < parts; ++part)
    apply<Fold>(
        out, out_count, static_cast<const A*>(out), static_cast<const A*>(copy + part * out_count));
  return {};
}

template <class Fold, class A, class T>
Status fold(const Launch& launch, const Tensor& in, const Shape& kept, A* out) {
  constexpr int64_t split_elements = 256 * 1024;
  auto nest = broadcast_nest(kept, in.shape());
  const auto* from = in.data<T>();
  auto out_count = kept.elements();
  std::fill_n(out, out_count, Fold::template none<A>());
  if (nest.elements() == 0) return {};
  auto outer = nest.outer_size(), rows_each = nest.rank() > 1 ? nest.rows() / outer : 0;
  auto is_large = nest.elements() > split_elements;
  if (!is_large || (nest.outer_strides()[0] == 0 && out_count > split_elements / 16)) {
    fold_rows<Fold>(from, out, nest, 0, nest.rows());
    return {};
  }
  if (nest.outer_strides()[0] == 0) return fold_in_parts<Fold>(launch, from, out, nest, out_count);
  parallel_ranges(outer, nest.elements() / outer, [&](int64_t begin, int64_t end) {
    fold_rows<Fold>(from, out, nest, begin * rows_each, end * rows_each);
  });
  return {};
}

struct Unchanged {
  template <class A>
  void operator()(A*, int64_t) const {}
};

/// Folds `in` to the shape `kept`, which has size 1 in place of each axis to fold, and calls
/// finish(elements, count) on the result, which gets the shape `result`.
template <class Fold, class T, class Finish = Unchanged>
Result<Tensor> reduce(
    const Launch& launch, const Tensor& in, const Shape& kept, const Shape& result,
    Finish finish = {}) {
  using A = Promoted<T>;
  auto folded = launch.allocate(dtype_of<A>(), result);
  if (!folded) return folded;
  auto* elements = folded->template mutable_data<A>();
  auto status = fold<Fold, A, T>(launch, in, kept, elements);
  if (!status.ok()) return status;
  finish(elements, folded->elements());
  if constexpr (std::is_same_v<A, T>) {
    return folded;
  } else {
    auto narrow = launch.allocate(dtype_of<T>(), result);
    if (!narrow) return narrow;
    apply<std::identity>(
        narrow->template mutable_data<T>(), folded->elements(), static_cast<const A*>(elements));
    return narrow;
  }
}

}  // namespace troupe::cpu
