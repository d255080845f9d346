#include "troupe/tests/processes/support/latency_table.hpp"

#include <algorithm>
#include <cstdio>

namespace troupe::testing {

std::string LatencyTable::to_string() const {
  std::string text;
  char line[128];
  std::snprintf(
      line, sizeof line, "%-28s %6s %9s %9s %9s\n", "milliseconds", "count", "p50", "p99", "max");
  text += line;
  for (auto [kind, times] : times_) {
    std::ranges::sort(times);
    auto at = [&times](size_t percent) {
      return times[(times.size() - 1) * percent / 100].count();
    };
    std::snprintf(
        line, sizeof line, "%-28s %6zu %9.2f %9.2f %9.2f\n", kind.c_str(), times.size(), at(50),
        at(99), at(100));
    text += line;
  }
  return text;
}

}  // namespace troupe::testing
