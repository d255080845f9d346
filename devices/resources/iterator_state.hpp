#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Where an iterator is in the elements of its dataset, for one that goes on there. It does not
/// hold elements: these are computed again.
struct IteratorState {
  /// The elements with smaller numbers have been given.
  uint64_t next = 0;
  /// But for these, which were put back.
  std::set<uint64_t> left;
  /// Those that were drawn, because nobody had asked for seeds, in order.
  std::vector<uint64_t> seeds;

  /// More numbers of either kind make no text that parse() would take.
  static constexpr size_t numbers_max = size_t{1} << 20;

  bool is_given(uint64_t number) const { return number < next && !left.contains(number); }

  std::string to_text() const;
  /// InvalidArgument: to_text() does not write that.
  static Result<IteratorState> parse(const std::string& text);
};

}  // namespace troupe
