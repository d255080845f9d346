#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace troupe {

/// The one-way latency of messages: a distribution to draw from.
class Latency {
 public:
  using Time = std::chrono::nanoseconds;

  /// Uniform in [least, most].
  static Latency uniform(Time least, Time most);
  /// At least `least` and `mean` on average, with a long tail.
  static Latency exponential(Time least, Time mean);

  Time draw(std::mt19937_64& random) const;

 private:
  enum class Shape : uint8_t { uniform, exponential };
  Latency(Shape shape, Time least, Time span) : shape_(shape), least_(least), span_(span) {}

  Shape shape_;
  Time least_;
  Time span_;  // added to least_: at most for uniform, on average for exponential
};

}  // namespace troupe
