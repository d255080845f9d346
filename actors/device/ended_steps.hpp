#pragma once

#include <algorithm>
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
  /// All earlier steps have ended.
  void set_oldest(uint64_t number) {
    if (number == 0) return;
    all_up_to_ = std::max(all_up_to_, number - 1);
    recent_.erase(recent_.begin(), recent_.upper_bound(all_up_to_));
  }
  bool contains(uint64_t number) const { return number <= all_up_to_ || recent_.contains(number); }

 private:
  // Many, as a StartStep with large feeds may be passed by those of later steps.
  static constexpr size_t recent_max = 65536;

  uint64_t all_up_to_ = 0;  // step numbers begin at 1
  std::set<uint64_t> recent_;
};

}  // namespace troupe
