#pragma once

#include <algorithm>
#include <cmath>

namespace troupe::cpu {

/// -1, 0 or 1; 0 for NaN.
template <class A>
A sign_of(A x) {
  return static_cast<A>(x > A(0)) - static_cast<A>(x < A(0));
}

/// A value drawn towards 0 by `by`, but not beyond.
template <class A>
A shrink(A x, A by) {
  return sign_of(x) * std::max(std::abs(x) - by, A(0));
}

/// The proximal step of a value that a gradient of that rate has moved.
template <class A>
A proximal(A moved, A rate, A l1, A l2) {
  auto shrunk = l1 > A(0) ? shrink(moved, rate * l1) : moved;
  return shrunk / (A(1) + rate * l2);
}

}  // namespace troupe::cpu
