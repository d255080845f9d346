#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "troupe/tests/cuda/card_calls.hpp"
#include "troupe/tests/cuda/cards.hpp"

namespace troupe::testing {

/// Numbers whose sums are exact in all floating dtypes, as long as they are below 256: the order of
/// additions then makes no difference. Complex ones have such parts.
Tensor numbers(DType dtype, const Shape& shape, uint32_t seed, int least = -1, int most = 1);

Tensor ints(std::vector<int32_t> values);

bool is_complex(DType dtype);

inline constexpr DType floats[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

/// Of a test case: it runs where the card has the op. Without cuDNN it has no convolutions.
boost::unit_test::precondition where_card_has(const std::string& op);

/// A card, and the CPU that it is to compute like.
struct ComparedDevices {
  GraphRunner card{make_gpu({.memory = {.limit_bytes = uint64_t{1} << 30, .keeps = false}})};
  GraphRunner cpu;

  int calls = 0;

  /// Reports results of the card that differ from the CPU's by more than a card's do, and by more
  /// than `tolerance`.
  void compare(RecordedCall call, double tolerance = 0);
};

}  // namespace troupe::testing
