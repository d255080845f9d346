#pragma once

#include <algorithm>

namespace troupe::cpu {

/// How far two boxes [y1, x1, y2, x2], with corners in any order, overlap: the share of their
/// intersection in their union. Kernels of the CPU and of NVIDIA's cards compute it alike, where
/// product(x, y) is x * y, rounded before anything is added to it: nvcc compiles for both what is
/// constexpr.
template <class Product>
constexpr float box_overlap(const float* a, const float* b, const Product& product) {
  auto low = [](const float* box, int i) { return std::min(box[i], box[i + 2]); };
  auto high = [](const float* box, int i) { return std::max(box[i], box[i + 2]); };
  auto area = [&](const float* box) {
    return product(high(box, 0) - low(box, 0), high(box, 1) - low(box, 1));
  };
  auto common = [&](int i) {
    return std::max(std::min(high(a, i), high(b, i)) - std::max(low(a, i), low(b, i)), 0.0f);
  };
  auto area_a = area(a), area_b = area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  auto both = product(common(0), common(1));
  return both / (area_a + area_b - both);
}

inline float box_overlap(const float* a, const float* b) {
  return box_overlap(a, b, [](float x, float y) { return x * y; });
}

}  // namespace troupe::cpu
