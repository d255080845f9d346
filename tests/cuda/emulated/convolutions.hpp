#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <vector>

namespace troupe::emulated {

/// Of images or volumes, [batch, channels, spatial...], or of filters [outputs, inputs,
/// spatial...]; images have one more spatial axis, the first, of size 1.
struct DnnTensor {
  cudnnDataType_t type;
  std::array<int64_t, 5> sizes, strides;
  int64_t id;

  int64_t elements() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3] * sizes[4]; }
};

/// A convolution of x and the filter w to y, of which one is computed.
struct DnnConvolution {
  enum class Result : uint8_t { x, w, y };

  Result result;
  DnnTensor x, w, y;
  std::array<int64_t, 3> strides, dilations, before, after;

  /// Whether the sizes fit each other, and no two elements lie in one place.
  bool is_valid() const;
  /// `memory`: of x, w and y.
  void run(const std::array<void*, 3>& memory) const;

 private:
  /// Calls f(element of x, of w, of y) for each product.
  template <class F>
  void each_product(const F& f) const;
};

}  // namespace troupe::emulated
