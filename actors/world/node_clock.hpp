#pragma once

#include <chrono>
#include <cmath>

namespace troupe {

/// The clock of a node, which runs faster or slower than the simulation's. Readings never jump.
class NodeClock {
 public:
  using Time = std::chrono::nanoseconds;

  /// What it shows at a moment of the simulation.
  Time reading(Time now) const { return shown_ + scaled(now - since_, rate_); }

  /// How long the simulation takes until it shows that.
  Time until(Time reading_then, Time now) const {
    return scaled(reading_then - reading(now), 1 / rate_);
  }

  void set_rate(double rate, Time now) {
    shown_ = reading(now);
    since_ = now;
    rate_ = rate;
  }

 private:
  static Time scaled(Time time, double factor) {
    if (factor == 1) return time;
    return Time(std::llround(std::ceil(static_cast<double>(time.count()) * factor)));
  }

  Time since_{0};
  Time shown_{0};
  double rate_ = 1;
};

}  // namespace troupe
