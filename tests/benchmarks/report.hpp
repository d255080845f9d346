#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "troupe/graph/types/status.hpp"

namespace troupe::bench {

/// One line of the table: what was measured, the value with its unit, and a comparison.
struct Row {
  std::string what;
  double value;
  std::string unit;
  std::string note;
};

/// The durations of repeated runs.
class Samples {
 public:
  /// Runs `f` some times to warm up, then measures it `count` times.
  template <class F>
  static Samples of(int count, F f) {
    Samples samples;
    for (int i = 0; i < count / 10 + 3; ++i) f();
    for (int i = 0; i < count; ++i) {
      auto start = std::chrono::steady_clock::now();
      f();
      samples.add(std::chrono::steady_clock::now() - start);
    }
    return samples;
  }

  void add(std::chrono::nanoseconds time) { ns_.push_back(static_cast<double>(time.count())); }

  double quantile_us(double q) const {
    auto sorted = ns_;
    std::ranges::sort(sorted);
    return sorted[std::min(sorted.size() - 1, static_cast<size_t>(q * sorted.size()))] / 1000;
  }
  double p50_us() const { return quantile_us(0.5); }
  std::string spread() const {
    char text[64];
    std::snprintf(text, sizeof text, "p10 %.1f, p99 %.1f", quantile_us(0.1), quantile_us(0.99));
    return text;
  }

 private:
  std::vector<double> ns_;
};

using Report = std::vector<Row>;

/// The value; prints the error and ends the program if there is none.
template <class T>
T must(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "troupe-bench: %s\n", result.status().to_string().c_str());
  std::exit(1);
}
inline void must(const Status& status) {
  if (!status.ok()) (void)must(Result<int>(status));
}

void print_table(const Report& report, const std::string& machine);
nlohmann::json to_json(const Report& report, const std::string& machine);

}  // namespace troupe::bench
