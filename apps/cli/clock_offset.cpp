#include "troupe/apps/cli/clock_offset.hpp"

#include <algorithm>

#include "troupe/graph/support/check.hpp"

namespace troupe::cli {

using std::chrono::nanoseconds;

ClockOffset estimate_offset(const std::vector<ClockReading>& readings) {
  CHECK(!readings.empty());
  auto round_trip = [](const ClockReading& reading) { return reading.received - reading.sent; };
  auto best = *std::ranges::min_element(readings, {}, round_trip);
  auto half = round_trip(best) / 2;
  return {.offset = best.answer - (best.sent + half), .uncertainty = std::chrono::abs(half)};
}

nanoseconds common_offset(const std::vector<ClockOffset>& offsets) {
  std::vector<nanoseconds> all{nanoseconds(0)};
  for (const auto& each : offsets) all.push_back(each.offset);
  std::ranges::sort(all);
  auto low = all[(all.size() - 1) / 2], high = all[all.size() / 2];
  return std::chrono::abs(low) <= std::chrono::abs(high) ? low : high;
}

}  // namespace troupe::cli
