#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace troupe {

/// The numbers of the steps of a session that have ended, in bounded memory. Step numbers ascend,
/// so all steps up to some number are taken as ended.
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
