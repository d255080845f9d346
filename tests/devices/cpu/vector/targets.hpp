#pragma once

#include "troupe/devices/cpu/vector/targets.hpp"

#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace troupe::testing {

inline constexpr int64_t most_lanes = 16, longest = 2 * most_lanes + 1;

/// Calls f(name) for each set of instructions that the processor has, which then is the one used.
template <class F>
void with_each_target(const F& f) {
  auto targets = hwy::SupportedAndGeneratedTargets();
  for (auto target : targets) {
    hwy::SetSupportedTargetsForTest(target);
    BOOST_TEST_CONTEXT(hwy::TargetName(target)) f();
  }
  hwy::SetSupportedTargetsForTest(0);
}

template <class T>
bool same_bits(const T* x, const T* y, int64_t count) {
  return std::memcmp(x, y, static_cast<size_t>(count) * sizeof(T)) == 0;
}

/// Numbers of all sizes and signs, then special ones.
template <class T>
std::vector<T> numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (int i = -400; i < 400; ++i) {
    result.push_back(static_cast<T>(i) / 4 + static_cast<T>(0.01));
    result.push_back(std::ldexp(static_cast<T>(1 + 0.0023 * i), i % 30));
  }
  for (auto x :
       {T(0), Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), Limits::min(),
        Limits::max(), T(1), T(0.625)})
    for (auto signed_x : {x, -x}) result.push_back(signed_x);
  return result;
}

/// The distance from what was expected, in units of the last place.
template <class T>
double ulps(T got, long double expected) {
  auto rounded = static_cast<T>(expected);
  if (got == rounded || (std::isnan(got) && std::isnan(rounded))) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return INFINITY;
  auto next = std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity());
  return static_cast<double>(
      std::abs(static_cast<long double>(got) - expected) / (next - std::abs(rounded)));
}

}  // namespace troupe::testing
