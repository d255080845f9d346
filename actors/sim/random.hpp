#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "troupe/graph/support/check.hpp"

namespace troupe::sim {

/// Determines all random choices of a simulated cluster.
struct Seed {
  uint64_t value = 1;
  bool operator==(const Seed&) const = default;
};

using Time = std::chrono::nanoseconds;

/// A random stream, determined by a seed and a name: drawing from one stream does not change the
/// others. The same on every machine.
class Random {
 public:
  Random(Seed seed, std::string_view stream) {
    uint64_t mixed = seed.value;
    for (char c : stream) mixed = (mixed ^ static_cast<unsigned char>(c)) * 1099511628211u;
    engine_.seed(mixed);
  }

  uint64_t next() { return engine_(); }
  /// At least 0 and less than `count`, which is not 0.
  uint64_t below(uint64_t count) {
    CHECK(count > 0);
    return engine_() % count;
  }
  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(below(static_cast<uint64_t>(most - least) + 1));
  }
  /// In [0, 1).
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return fraction() < probability; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace troupe::sim
