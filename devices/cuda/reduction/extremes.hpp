#pragma once

#include "troupe/devices/cuda/reduction/folds.hpp"

namespace troupe::cuda {

/// The lines of a tensor [outer, size, inner], each of `size` elements that lie `inner` apart.
struct LineGeometry {
  int64_t outer, size, inner;

  TROUPE_BOTH int64_t count() const { return outer * inner; }
  TROUPE_BOTH int64_t first_of(int64_t line) const {
    return line / inner * inner * size + line % inner;
  }
};

/// The greatest or least element found so far, and its place in the line.
template <class A>
struct Extreme {
  A value;
  int64_t place;
};

/// The more extreme one; of equal ones the first.
template <class A>
TROUPE_BOTH inline Extreme<A> better_extreme(Extreme<A> x, Extreme<A> y, bool is_least) {
  auto is_better = is_least ? y.value < x.value : y.value > x.value;
  if (is_better || (y.value == x.value && y.place < x.place)) return y;
  return x;
}

/// The most extreme element among every `lanes`th of a line from number `lane` on. Where all are
/// NaN it is as if the first were infinite.
template <class A, class T>
TROUPE_BOTH inline Extreme<A> find_extreme_of_share(
    const T* from, const LineGeometry& lines, int64_t line, int lane, int lanes, bool is_least) {
  Extreme<A> best{is_least ? Extremes<A>::greatest() : Extremes<A>::least(), 0};
  const auto* first = from + lines.first_of(line);
  for (int64_t i = lane; i < lines.size; i += lanes) {
    auto value = static_cast<A>(widen(first[i * lines.inner]));
    if (is_least ? value < best.value : value > best.value) best = {value, i};
  }
  return best;
}

}  // namespace troupe::cuda
