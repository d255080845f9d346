#include "troupe/actors/sim/invariants.hpp"

#include <exception>

namespace troupe::sim {

void Invariants::check(Time now) {
  if (violation_) return;
  for (const auto& [name, check] : checks_) {
    try {
      if (!check()) return violate(name, "it is not true", now);
    } catch (const std::exception& error) {
      return violate(name, error.what(), now);
    }
  }
}

void Invariants::violate(std::string name, std::string text, Time now) {
  if (!violation_) violation_ = {std::move(name), std::move(text), now};
}

void Invariants::violate(std::string name, const Status& status, Time now) {
  if (!violation_)
    violation_ = {std::move(name), status.to_string(), now, status.code(), status.where()};
}

}  // namespace troupe::sim
