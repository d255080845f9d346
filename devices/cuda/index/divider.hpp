#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// Division by a number that is known before a kernel starts: of numbers below 2^31 by a product
/// and a shift, as a card has no instruction that divides; of greater ones by division.
class Divider {
 public:
  Divider() = default;
  /// `divisor` is positive.
  explicit Divider(int64_t divisor) : divisor_(divisor) {
    if (divisor > small_max) return;
    while (int64_t{1} << shift_ < divisor) ++shift_;
    auto above = (uint64_t{1} << shift_) - static_cast<uint64_t>(divisor);
    factor_ = static_cast<uint32_t>((above << 32) / static_cast<uint64_t>(divisor) + 1);
  }

  TROUPE_BOTH int64_t divisor() const { return divisor_; }
  /// `is_small`: the number, which is not negative, and the divisor are below 2^31.
  TROUPE_BOTH int64_t divide(int64_t number, bool is_small) const {
    if (!is_small) return number / divisor_;
    auto low = static_cast<uint32_t>(number);
#ifdef __CUDA_ARCH__
    auto product = __umulhi(low, factor_);
#else
    auto product = static_cast<uint32_t>(uint64_t{low} * factor_ >> 32);
#endif
    return (product + low) >> shift_;
  }

  static constexpr int64_t small_max = 0x7fffffff;

 private:
  int64_t divisor_ = 1;
  uint32_t factor_ = 1;
  uint32_t shift_ = 0;
};

}  // namespace troupe::cuda
