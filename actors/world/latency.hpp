#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace troupe {

/// How long a message is on its way, one way: a distribution to draw from.
class Latency {
 public:
  using Time = std::chrono::nanoseconds;

  /// Any time of the range, its ends included, is as likely as another.
  static Latency uniform(Time least, Time most);
  /// Never below `least`, `mean` on average, and now and then much longer.
  static Latency exponential(Time least, Time mean);

  Time draw(std::mt19937_64& random) const;

 private:
  enum class Shape : uint8_t { uniform, exponential };
  Latency(Shape shape, Time least, Time span) : shape_(shape), least_(least), span_(span) {}

  Shape shape_;
  Time least_;
  Time span_;  // what a uniform one adds at most, an exponential one on average
};

}  // namespace troupe
