#pragma once

#include <chrono>
#include <vector>

namespace troupe::cli {

/// One question for another machine's wall clock: when it was sent and when its answer came, by the
/// clock of this machine, and what that answer was. All since 1970-01-01, UTC.
struct ClockReading {
  std::chrono::nanoseconds sent{0};
  std::chrono::nanoseconds answer{0};
  std::chrono::nanoseconds received{0};
};

/// How far another clock is ahead of this machine's, and how wrong that may be.
struct ClockOffset {
  std::chrono::nanoseconds offset{0};
  std::chrono::nanoseconds uncertainty{0};

  /// Whether it surely is further away than that from a clock with that offset.
  bool is_off(std::chrono::nanoseconds from, std::chrono::nanoseconds limit) const {
    return std::chrono::abs(offset - from) > limit + uncertainty;
  }
};

/// By the reading with the shortest round trip, as if the other clock had been read in its middle:
/// the offset is wrong by half the round trip at most. There must be a reading.
ClockOffset estimate_offset(const std::vector<ClockReading>& readings);

/// The offset that most clocks agree on, with this machine's own (0) among them: their median, and
/// of an even number the one of the middle two that is nearer to this machine's.
std::chrono::nanoseconds common_offset(const std::vector<ClockOffset>& offsets);

}  // namespace troupe::cli
