#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

/// Functions of pixels that kernels of the CPU and of NVIDIA's cards compute alike: nvcc compiles
/// for both what is constexpr.
namespace troupe::cpu {

template <class A>
using Pixel = std::array<A, 3>;

/// The least normal number. What is nearer to 0 is 0 to CPUs, but not to cards, whose hues would be
/// others then.
template <class A>
constexpr A least_normal = std::numeric_limits<A>::min();

/// The hue in [0, 6): red is 0, green 2, blue 4.
template <class A>
constexpr A hue_of(const Pixel<A>& rgb, A high, A range) {
  auto [r, g, b] = rgb;
  if (!(range >= least_normal<A>)) return 0;
  auto hue = r == high ? (g - b) / range : g == high ? (b - r) / range + 2 : (r - g) / range + 4;
  return hue <= -least_normal<A> ? hue + 6 : hue;
}

/// How much of the greatest component red, green and blue have at that hue, above the least one.
template <class A>
constexpr Pixel<A> shares_of_hue(A hue) {
  auto clamp = [](A value) { return std::min(std::max(value, A(0)), A(1)); };
  return {clamp(std::abs(hue - 3) - 1), clamp(2 - std::abs(hue - 2)), clamp(2 - std::abs(hue - 4))};
}

template <class A>
constexpr Pixel<A> rgb_to_hsv(const Pixel<A>& rgb) {
  auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
  auto saturation = high >= least_normal<A> ? (high - low) / high : 0;
  return {hue_of(rgb, high, high - low) / 6, saturation, high};
}

template <class A>
constexpr Pixel<A> hsv_to_rgb(const Pixel<A>& hsv) {
  auto shares = shares_of_hue(hsv[0] * 6);
  for (auto& share : shares) share = (1 - hsv[1] + hsv[1] * share) * hsv[2];
  return shares;
}

/// With the hue changed by `delta` of its circle.
template <class A>
constexpr Pixel<A> turn_hue(const Pixel<A>& rgb, A delta) {
  auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
  auto hue = std::fmod(hue_of(rgb, high, high - low) + delta * 6, A(6));
  auto shares = shares_of_hue(hue < 0 ? hue + 6 : hue);
  for (auto& share : shares) share = low + share * (high - low);
  return shares;
}

template <class A>
constexpr Pixel<A> scale_saturation(const Pixel<A>& rgb, A scale) {
  auto hsv = rgb_to_hsv(rgb);
  hsv[1] = std::min(A(1), std::max(A(0), hsv[1] * scale));
  auto shares = shares_of_hue(hsv[0] * 6);
  auto range = hsv[1] * hsv[2];
  for (auto& share : shares) share = share * range + (hsv[2] - range);
  return shares;
}

}  // namespace troupe::cpu
