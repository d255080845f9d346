#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace troupe::testing {

/// Times of several kinds, and a table of them.
class TimeTable {
 public:
  using Time = std::chrono::duration<double, std::milli>;

  void add(const std::string& kind, Time time) { times_[kind].push_back(time); }
  /// A line for each kind: how many, median, 99th percentile and most.
  std::string to_string() const;

 private:
  std::map<std::string, std::vector<Time>> times_;
};

}  // namespace troupe::testing
