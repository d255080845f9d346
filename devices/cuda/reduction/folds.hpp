#pragma once

#include "troupe/devices/cuda/math/complex.hpp"

namespace troupe::cuda {

/// The least and the greatest number of a type, infinities where there are any.
template <class A>
struct Extremes {
  TROUPE_BOTH static A least() {
    if constexpr (sizeof(A) == 8 && is_floating<A>) return bits_as<A>(uint64_t{0xfff0000000000000});
    else if constexpr (is_floating<A>) return bits_as<A>(uint32_t{0xff800000});
    else return static_cast<A>(uint64_t{1} << (8 * sizeof(A) - 1));
  }
  TROUPE_BOTH static A greatest() {
    if constexpr (sizeof(A) == 8 && is_floating<A>) return bits_as<A>(uint64_t{0x7ff0000000000000});
    else if constexpr (is_floating<A>) return bits_as<A>(uint32_t{0x7f800000});
    else return static_cast<A>((uint64_t{1} << (8 * sizeof(A) - 1)) - 1);
  }
};

// Ways to fold elements: the result of none, what an element counts as, and how two results become
// one. Each propagates NaN.

struct FoldSum {
  template <class A>
  TROUPE_BOTH static A none() {
    return A(0);
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
  template <class A>
  TROUPE_BOTH static A join(A x, A y) {
    return static_cast<A>(wrap(x) + wrap(y));
  }
};

struct FoldSquares {
  template <class A>
  TROUPE_BOTH static A none() {
    return A(0);
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element * element;
  }
  template <class A>
  TROUPE_BOTH static A join(A x, A y) {
    return x + y;
  }
};

struct FoldProduct {
  template <class A>
  TROUPE_BOTH static A none() {
    return A(1);
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
  template <class A>
  TROUPE_BOTH static A join(A x, A y) {
    return static_cast<A>(wrap(x) * wrap(y));
  }
};

struct FoldMaximum {
  template <class A>
  TROUPE_BOTH static A none() {
    return Extremes<A>::least();
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
  template <class A>
  TROUPE_BOTH static A join(A x, A y) {
    return x > y || x != x ? x : y;
  }
};

struct FoldMinimum {
  template <class A>
  TROUPE_BOTH static A none() {
    return Extremes<A>::greatest();
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
  template <class A>
  TROUPE_BOTH static A join(A x, A y) {
    return x < y || x != x ? x : y;
  }
};

struct FoldAll {
  template <class A>
  TROUPE_BOTH static A none() {
    return true;
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
  TROUPE_BOTH static bool join(bool x, bool y) { return x && y; }
};

struct FoldAny {
  template <class A>
  TROUPE_BOTH static A none() {
    return false;
  }
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
  TROUPE_BOTH static bool join(bool x, bool y) { return x || y; }
};

/// The logarithm of a sum of exponentials; that of none is the least number of a T, as on CPUs.
template <class T>
struct FoldLogSumExp {
  template <class A>
  TROUPE_BOTH static A none() {
    if constexpr (sizeof(T) == 8) return bits_as<A>(uint64_t{0xffefffffffffffff});
    else if constexpr (sizeof(T) == 4) return bits_as<A>(uint32_t{0xff7fffff});
    else return A(-65504);
  }
  template <class A>
  TROUPE_BOTH static A join(A x, A y) {
    if (x != x || y != y) return x + y;
    auto greater = x > y ? x : y, less = x > y ? y : x;
    if (greater - greater != A(0)) return greater;  // an infinity
    return greater + log1p(exp(less - greater));
  }
};

/// What is left to do with the result of a fold.
enum class Finish : uint8_t { nothing, divide, root };

/// `count`: what is divided by. Of no integers the mean is 0, of no other numbers NaN.
template <class A>
TROUPE_BOTH inline A finish_fold(A folded, Finish finish, int64_t count) {
  if constexpr (is_complex<A>) {
    if (finish == Finish::divide) return folded / A(count);
  } else if constexpr (is_floating<A>) {
    if (finish == Finish::divide) return folded / static_cast<A>(count);
    if (finish == Finish::root) return sqrt(folded);
  } else if (finish == Finish::divide && count > 0) {
    return static_cast<A>(static_cast<int64_t>(folded) / count);
  }
  return folded;
}

/// value(i) for every `step`th i of [begin, end), folded. Several at a time, which do not wait for
/// each other's memory.
template <class Fold, class A, class Value>
TROUPE_BOTH inline A fold_every(const Value& value, int64_t begin, int64_t end, int64_t step) {
  constexpr int at_once = 8;
  A folded[at_once];
  for (auto& one : folded) one = Fold::template none<A>();
  auto mapped = [&](int64_t i) { return Fold::template map<A>(static_cast<A>(value(i))); };
  auto i = begin;
  for (; i + (at_once - 1) * step < end; i += at_once * step)
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < at_once; ++k) folded[k] = Fold::join(folded[k], mapped(i + k * step));
  for (; i < end; i += step) folded[0] = Fold::join(folded[0], mapped(i));
  for (int k = 1; k < at_once; ++k) folded[0] = Fold::join(folded[0], folded[k]);
  return folded[0];
}

/// Folds what thread number `thread` of `threads` has of a part: every so many elements from its
/// own on.
template <class Fold, class A, class T, class Geometry>
TROUPE_BOTH inline A fold_share(
    const T* from, const Geometry& geometry, int64_t out, int64_t part, int thread, int threads) {
  const auto* first = from + geometry.first_of(out);
  auto begin = geometry.part_begin(part) + thread, end = geometry.part_begin(part + 1);
  // Apart: a choice for each element would keep loads from running at once.
  if (geometry.is_even() && geometry.even_stride() == 1)
    return fold_every<Fold, A>([=](int64_t i) { return widen(first[i]); }, begin, end, threads);
  if (geometry.is_even())
    return fold_every<Fold, A>(
        [=, stride = geometry.even_stride()](int64_t i) { return widen(first[i * stride]); }, begin,
        end, threads);
  return fold_every<Fold, A>(
      [&](int64_t i) { return widen(first[geometry.fold_offset(i)]); }, begin, end, threads);
}

}  // namespace troupe::cuda
