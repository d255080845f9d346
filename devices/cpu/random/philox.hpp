#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include <Random123/philox.h>

namespace troupe::cpu {

/// A position in the stream of random bits that Philox 4x32-10 makes of a key: block i is a
/// function of the key and the 128-bit counter alone. The layout is TensorFlow's: the seed is the
/// key, the second seed the upper half of the counter. A value.
class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox(uint64_t seed, uint64_t seed2)
      : key_{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}}, high_(seed2) {}

  Philox skip(uint64_t blocks) const {
    auto later = *this;
    later.low_ += blocks;
    later.high_ += later.low_ < blocks;
    return later;
  }

  /// The block at this position.
  Block block() const {
    r123::Philox4x32::ctr_type counter{
        {static_cast<uint32_t>(low_), static_cast<uint32_t>(low_ >> 32),
         static_cast<uint32_t>(high_), static_cast<uint32_t>(high_ >> 32)}};
    auto bits = r123::Philox4x32()(counter, key_);
    return {bits[0], bits[1], bits[2], bits[3]};
  }

 private:
  r123::Philox4x32::key_type key_;
  uint64_t low_ = 0;
  uint64_t high_;
};

/// The next position of a kernel, shared by its launches. Thread-safe.
class PhiloxSource {
 public:
  explicit PhiloxSource(Philox start) : next_(start) {}

  /// Returns where a launch that sets so many elements begins, and reserves the blocks that it may
  /// use: 256 per element, as TensorFlow does. The next launch begins behind them.
  Philox reserve(int64_t elements) {
    std::lock_guard lock(mutex_);
    auto mine = next_;
    next_ = next_.skip(static_cast<uint64_t>(elements) * 256);
    return mine;
  }

 private:
  std::mutex mutex_;
  Philox next_;
};

}  // namespace troupe::cpu
