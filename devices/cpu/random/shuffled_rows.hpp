#pragma once

#include <numeric>
#include <vector>

#include "troupe/devices/cpu/random/philox.hpp"

namespace troupe::cpu {

/// How many blocks an order of so many rows may use.
inline uint64_t shuffle_blocks(int64_t rows) { return static_cast<uint64_t>(rows + 2) / 4; }

/// The order that exchanging each of `count` rows, first to last, with a later one or itself makes.
inline std::vector<int64_t> shuffled_rows(const Philox& start, int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  PhiloxNumbers numbers(start);
  for (size_t i = 0; i + 1 < rows.size(); ++i)
    std::swap(rows[i], rows[i + numbers.next() % (rows.size() - i)]);
  return rows;
}

}  // namespace troupe::cpu
