#pragma once

#include <chrono>
#include <cmath>

namespace troupe {

/// The clock of a node: runs at a rate relative to the simulation's, without jumps.
class NodeClock {
 public:
  using Time = std::chrono::nanoseconds;

  /// The reading at a time of the simulation.
  Time reading(Time now) const { return shown_ + scaled(now - since_, rate_); }

  /// The simulation's time from `now` until the clock shows `reading_then`.
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
