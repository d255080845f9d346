#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace troupe::testing {

/// Collects latencies of several kinds and prints their percentiles.
class LatencyTable {
 public:
  using Time = std::chrono::duration<double, std::milli>;

  void add(const std::string& kind, Time time) { times_[kind].push_back(time); }
  /// A line for each kind: count, median, 99th percentile and maximum.
  std::string to_string() const;

 private:
  std::map<std::string, std::vector<Time>> times_;
};

}  // namespace troupe::testing
