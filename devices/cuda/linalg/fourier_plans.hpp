#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "troupe/devices/cuda/launch.hpp"
#include "troupe/devices/cuda/linalg/fourier_calls.hpp"

namespace troupe::cuda {

/// Transforms of `count` blocks in row-major order. A block of the input has the sizes `given`, and
/// the transform is of its first elements along each axis, as many as `lengths`; one of the result
/// has the sizes `made`.
struct FourierShape {
  cufftType type;
  int axes;  // those before the first `axes` entries of the arrays are not used
  std::array<long long, 3> lengths, given, made;
  int64_t count;

  auto operator<=>(const FourierShape&) const = default;
};

/// The plans of cuFFT that were made last; the cache of a card. Thread-safe.
class FourierPlans {
 public:
  explicit FourierPlans(const Card&) {}

  /// Puts the transforms on the launch's stream, not scaled. Nothing may be empty. Those of complex
  /// numbers to reals write over `in`, too.
  Status transform(
      const Launch& launch, const FourierShape& shape, bool is_inverse, void* in, void* out);

 private:
  class Plan;

  Result<std::shared_ptr<Plan>> plan_for(const FourierShape& shape);

  std::mutex mutex_;
  std::list<std::shared_ptr<Plan>> plans_;  // the last used first
};

}  // namespace troupe::cuda
