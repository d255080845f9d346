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

  // The key, and the counter's halves at this position.
  uint64_t seed() const { return uint64_t{key_[1]} << 32 | key_[0]; }
  uint64_t low() const { return low_; }
  uint64_t high() const { return high_; }

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

/// The numbers of a stream of bits, one after the other. A value.
class PhiloxNumbers {
 public:
  /// Begins at number `skipped` after the start of a block.
  explicit PhiloxNumbers(Philox start, uint64_t skipped = 0)
      : next_(start.skip(skipped / 4)), used_(4) {
    for (auto i = skipped % 4; i > 0; --i) next();
  }

  uint32_t next() {
    if (used_ == 4) {
      block_ = next_.block();
      next_ = next_.skip(1);
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t next_64() {
    uint64_t low = next();
    return low | uint64_t{next()} << 32;
  }

 private:
  Philox next_;
  Philox::Block block_{};
  size_t used_;
};

/// The next position of a kernel, shared by its launches. Thread-safe.
class PhiloxSource {
 public:
  explicit PhiloxSource(Philox start) : next_(start) {}

  /// Returns where a launch that sets so many elements begins, and reserves the blocks that it may
  /// use: 256 per element, as TensorFlow does. The next launch begins behind them.
  Philox reserve(int64_t elements) { return reserve_blocks(static_cast<uint64_t>(elements) * 256); }
  /// As reserve(), for a launch that uses so many blocks.
  Philox reserve_blocks(uint64_t blocks) {
    std::lock_guard lock(mutex_);
    auto mine = next_;
    next_ = next_.skip(blocks);
    return mine;
  }

 private:
  std::mutex mutex_;
  Philox next_;
};

}  // namespace troupe::cpu
