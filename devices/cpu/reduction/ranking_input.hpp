#pragma once

#include <cstdint>
#include <optional>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What the inputs of ops that rank the elements of rows say, checked.

/// Rows along the last axis of input 0, and the shape of what is found in them.
struct RankedRows {
  int64_t count = 0;
  int64_t length = 0;
  int64_t wanted = 0;  // how many elements of each row, or which one, counted from the greatest
  Shape result;
};
/// `fixed`: k; else input 1 has it.
Result<RankedRows> read_top_k(const Launch& launch, std::optional<int64_t> fixed);
/// `reverse`: n is counted from the greatest.
Result<RankedRows> read_nth_element(const Launch& launch, bool reverse);

/// k, of predictions and targets of shapes that fit. `fixed`: k; else input 2 has it.
Result<int64_t> read_in_top_k(const Launch& launch, std::optional<int64_t> fixed);

}  // namespace troupe::cpu
