#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "troupe/devices/step_port.hpp"

namespace troupe {

/// The step that makes a call, which lasts longer than the call, and its node, if it is known.
struct QueueCaller {
  const StepPort* step = nullptr;
  const std::string* node = nullptr;

  std::chrono::nanoseconds now() const { return step ? step->now() : std::chrono::nanoseconds(0); }
  /// "'take' of step 3 of a session at /job:worker/task:0".
  std::string to_string() const {
    auto name = step ? step->name() : "";
    return node ? "'" + *node + "'" + (name.empty() ? "" : " of " + name) : name;
  }
};

/// The elements that have gone into a queue, or come out of it: how many, when, how fast.
class QueueActivity {
 public:
  using Time = std::chrono::nanoseconds;

  /// Times must not descend.
  void add(int64_t elements, Time now) {
    roll(now);
    total_ += elements;
    recent_ += elements;
    latest_ = now;
  }

  int64_t total() const { return total_; }
  /// When the latest did.
  std::optional<Time> latest() const { return latest_; }
  /// Elements a second, over the last 10 to 20 seconds.
  double per_second(Time now) const {
    if (!latest_) return 0;
    auto rolled = *this;
    rolled.roll(now);
    std::chrono::duration<double> span = now - rolled.begin_ + rolled.before_span_;
    return static_cast<double>(rolled.before_ + rolled.recent_) / std::max(span.count(), 1.0);
  }

 private:
  static constexpr Time window = std::chrono::seconds(10);

  /// Begins a new window where the present one is over.
  void roll(Time now) {
    if (!latest_) begin_ = now;
    if (now - begin_ < window) return;
    auto follows = now - begin_ < 2 * window;
    before_ = follows ? recent_ : 0;
    before_span_ = window;
    begin_ = follows ? begin_ + window : now;
    recent_ = 0;
  }

  int64_t total_ = 0;
  std::optional<Time> latest_;
  Time begin_{0};  // of the present window
  int64_t recent_ = 0;
  int64_t before_ = 0;  // in the window before it, if there was one
  Time before_span_{0};
};

}  // namespace troupe
