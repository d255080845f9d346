#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe {

/// The numbers of the steps of a session that have ended, in bounded memory: a bit for each of the
/// last ones. Step numbers ascend, so all steps up to some number are taken as ended.
class EndedSteps {
 public:
  void add(uint64_t number) {
    if (number <= all_up_to_) return;
    if (number - all_up_to_ > recent_max) set_oldest(number - recent_max + 1);
    while (number - all_up_to_ > recent_.size()) grow();
    recent_[number % recent_.size()] = true;
  }
  /// All earlier steps have ended.
  void set_oldest(uint64_t number) {
    if (number <= all_up_to_ + 1) return;
    auto forgotten = std::min<uint64_t>(number - 1 - all_up_to_, recent_.size());
    for (uint64_t i = 1; i <= forgotten; ++i) recent_[(all_up_to_ + i) % recent_.size()] = false;
    all_up_to_ = number - 1;
  }
  bool contains(uint64_t number) const {
    if (number <= all_up_to_) return true;
    return number - all_up_to_ <= recent_.size() && recent_[number % recent_.size()];
  }

 private:
  // How many steps are remembered one by one. Many: later steps may pass a StartStep with large
  // feeds.
  static constexpr size_t recent_max = 65536;

  /// Makes room for twice as many, each in the place that its number has then.
  void grow() {
    std::vector<bool> larger(recent_.size() * 2);
    for (uint64_t i = 1; i <= recent_.size(); ++i)
      larger[(all_up_to_ + i) % larger.size()] = recent_[(all_up_to_ + i) % recent_.size()];
    recent_.swap(larger);
  }

  uint64_t all_up_to_ = 0;  // step numbers begin at 1
  // Of the numbers after that one, each at its remainder.
  std::vector<bool> recent_ = std::vector<bool>(64);
};

}  // namespace troupe
