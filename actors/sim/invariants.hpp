#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::sim {

/// The violation of an invariant.
struct Violation {
  std::string name;  // of the invariant
  std::string text;  // what was observed
  Time time{0};      // since the start
  // Of an error that should not have come.
  Code code = Code::ok;
  Where where = {};

  /// Whether it is the same invariant, broken by the same error in the same place.
  bool is_like(const Violation& other) const {
    return name == other.name && code == other.code && where == other.where;
  }
  bool operator==(const Violation&) const = default;
};

/// Conditions that must hold after each event of a cluster. Keeps the first violation; nothing is
/// checked after it.
class Invariants {
 public:
  using Check = std::function<bool()>;

  /// The check returns false, or throws an exception with the details, if the invariant is
  /// violated.
  void add(std::string name, Check check) {
    checks_.push_back({std::move(name), std::move(check)});
  }
  void check(Time now);
  /// Reports a violation that no check can detect.
  void violate(std::string name, std::string text, Time now);
  void violate(std::string name, const Status& status, Time now);

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
