#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace troupe::swarm {

/// How many seeds of a run are done.
struct Progress {
  uint64_t done = 0;
  uint64_t failed = 0;
  double seconds = 0;          // since the start
  std::optional<double> left;  // seconds, estimated
  double share = 0;            // of the whole run: 0 to 1

  double seeds_per_second() const { return seconds > 0 ? static_cast<double>(done) / seconds : 0; }
};

/// "[=====>    ] 1234 seeds  380 seeds/s  2 failed  0:12 left", at most `width` columns.
std::string bar_line(const Progress& progress, size_t width);

/// Shows the progress: on a terminal one line that is redrawn at most ten times a second, elsewhere
/// a plain line every ten seconds.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* out);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;

  void show(const Progress& progress);
  /// Makes room for other output on the terminal's line.
  void clear();

 private:
  std::FILE* out_;
  bool is_terminal_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace troupe::swarm
