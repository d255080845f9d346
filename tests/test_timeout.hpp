#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace troupe::testing {

/// How many times as long all may take as on an idle machine without instrumentation: sanitizers
/// make code slower, and other programs may want the cores, too, as of the last minute.
inline int slowdown() {
#if defined(__SANITIZE_THREAD__)
  constexpr int instrumentation = 8;
#elif defined(__SANITIZE_ADDRESS__)
  constexpr int instrumentation = 3;
#else
  constexpr int instrumentation = 1;
#endif
  static const int load = [] {
    double average = 0;
    auto cores = std::max(1u, std::thread::hardware_concurrency());
    if (::getloadavg(&average, 1) < 1) return 1;
    return static_cast<int>(std::clamp(average / cores, 1.0, 4.0));
  }();
  return instrumentation * load;
}

/// A time that suffices where nothing slows the test down, as one that suffices here.
template <class Duration>
Duration stretched(Duration time) {
  return time * slowdown();
}

/// How long a test waits for an event that is expected soon.
inline const std::chrono::milliseconds test_timeout = stretched(std::chrono::milliseconds(30'000));

}  // namespace troupe::testing
