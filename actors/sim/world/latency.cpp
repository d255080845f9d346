#include "troupe/actors/sim/world/latency.hpp"

#include <cmath>

#include "troupe/graph/support/check.hpp"

namespace troupe {

Latency Latency::uniform(Time least, Time most) {
  CHECK(Time(0) <= least && least <= most);
  return {Shape::uniform, least, most - least};
}

Latency Latency::exponential(Time least, Time mean) {
  CHECK(Time(0) <= least && least <= mean);
  return {Shape::exponential, least, mean - least};
}

// The distributions of the standard library differ between implementations; a seed must give the
// same history with each.
Latency::Time Latency::draw(std::mt19937_64& random) const {
  if (shape_ == Shape::uniform)
    return least_ + Time(random() % (static_cast<uint64_t>(span_.count()) + 1));
  auto share = static_cast<double>((random() >> 11) + 1) * 0x1p-53;  // in (0, 1]
  return least_ + Time(std::llround(-std::log(share) * static_cast<double>(span_.count())));
}

}  // namespace troupe
