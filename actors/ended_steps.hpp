#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace troupe {

/// Which steps of a session have ended, in bounded memory: numbers only grow, so below some point
/// all have.
class EndedSteps {
 public:
  void add(uint64_t number) {
    recent_.insert(number);
    if (recent_.size() <= recent_max) return;
    all_up_to_ = *recent_.begin();
    recent_.erase(recent_.begin());
  }
  bool contains(uint64_t number) const { return number <= all_up_to_ || recent_.contains(number); }

 private:
  static constexpr size_t recent_max = 1024;

  uint64_t all_up_to_ = 0;  // step numbers begin at 1
  std::set<uint64_t> recent_;
};

}  // namespace troupe
