#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// A position in the stream of random bits that Philox 4x32-10 makes of a key, as cpu::Philox: the
/// same bits for the same seeds.
struct PhiloxPosition {
  struct Block {
    uint32_t at[4];
  };

  uint64_t key = 0, low = 0, high = 0;

  TROUPE_BOTH PhiloxPosition skip(uint64_t blocks) const {
    auto later = *this;
    later.low += blocks;
    later.high += later.low < blocks ? 1 : 0;
    return later;
  }

  TROUPE_BOTH Block block() const {
    // Constants of the algorithm, by Salmon and others: "Parallel Random Numbers: As Easy as 1, 2,
    // 3", 2011.
    constexpr uint32_t factor0 = 0xd2511f53, factor1 = 0xcd9e8d57;
    constexpr uint32_t step0 = 0x9e3779b9, step1 = 0xbb67ae85;
    constexpr int rounds = 10;
    auto key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
    Block x{
        {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high),
         static_cast<uint32_t>(high >> 32)}};
    for (int round = 0; round < rounds; ++round) {
      auto product0 = uint64_t{factor0} * x.at[0], product1 = uint64_t{factor1} * x.at[2];
      x = {
          {static_cast<uint32_t>(product1 >> 32) ^ x.at[1] ^ key0, static_cast<uint32_t>(product1),
           static_cast<uint32_t>(product0 >> 32) ^ x.at[3] ^ key1,
           static_cast<uint32_t>(product0)}};
      key0 += step0;
      key1 += step1;
    }
    return x;
  }
};

}  // namespace troupe::cuda
