#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"

namespace troupe::sim {

/// That something which must always be true was not.
struct Violation {
  std::string name;  // of the invariant
  std::string text;  // what was seen, in words
  Time time{0};      // since the start

  bool operator==(const Violation&) const = default;
};

/// What must be true of a cluster after each of its events. The first violation is kept, and
/// nothing is checked after it.
class Invariants {
 public:
  using Check = std::function<bool()>;

  /// A check is false, or throws an exception that says more, where the invariant is violated.
  void add(std::string name, Check check) {
    checks_.push_back({std::move(name), std::move(check)});
  }
  void check(Time now);
  /// For what no check can see.
  void violate(std::string name, std::string text, Time now);

  const std::optional<Violation>& violation() const { return violation_; }

 private:
  struct Named {
    std::string name;
    Check check;
  };

  std::vector<Named> checks_;
  std::optional<Violation> violation_;
};

}  // namespace troupe::sim
