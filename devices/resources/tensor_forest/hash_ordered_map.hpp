#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::forest {

/// Values by int32, in the order that TensorFlow's hash tables have such keys in: nodes of trees
/// get their numbers, and features are drawn, in that order. It is that of libstdc++ of the years
/// of TensorFlow 1.x: later ones, and others, have other orders.
template <class T>
class HashOrderedMap {
 public:
  using Entry = std::pair<const int32_t, T>;
  using Iterator = typename std::list<Entry>::iterator;

  HashOrderedMap() = default;
  HashOrderedMap(HashOrderedMap&&) noexcept = default;
  HashOrderedMap& operator=(HashOrderedMap&&) noexcept = default;

  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }

  Iterator find(int32_t key) {
    auto found = places_.find(key);
    return found == places_.end() ? entries_.end() : found->second;
  }
  typename std::list<Entry>::const_iterator find(int32_t key) const {
    auto found = places_.find(key);
    return found == places_.end() ? entries_.end() : found->second;
  }
  /// Makes a value where there is none.
  T& operator[](int32_t key) {
    if (auto found = places_.find(key); found != places_.end()) return found->second->second;
    if (size() + 1 >= firsts_.size()) grow();
    std::list<Entry> added;
    added.emplace_back(std::piecewise_construct, std::tuple(key), std::tuple());
    places_.emplace(key, added.begin());
    place(added);
    return places_.at(key)->second;
  }
  void erase(int32_t key) {
    auto found = places_.find(key);
    if (found == places_.end()) return;
    auto at = found->second;
    auto& first = firsts_[bucket(key)];
    auto next = entries_.erase(at);
    if (first == at) {
      first.reset();
      if (next != entries_.end() && bucket(next->first) == bucket(key)) first = next;
    }
    places_.erase(found);
  }

 private:
  size_t bucket(int32_t key) const { return static_cast<size_t>(int64_t{key}) % firsts_.size(); }

  /// Puts the first one of `from` before the others of its bucket, or else before all.
  void place(std::list<Entry>& from) {
    auto at = from.begin();
    auto& first = firsts_[bucket(at->first)];
    entries_.splice(first.value_or(entries_.begin()), from, at);
    first = at;
  }

  void grow() {
    // Primes, each about twice the one before it.
    static constexpr size_t sizes[] = {3,       7,       17,      37,       79,       167,
                                       337,     709,     1493,    3209,     6427,     12983,
                                       26267,   53201,   107897,  218971,   444487,   902483,
                                       1832561, 3721303, 7556579, 15345007, 31160981, 63278561};
    auto next = std::upper_bound(std::begin(sizes), std::end(sizes), firsts_.size());
    if (next == std::end(sizes)) return;
    auto old = std::exchange(entries_, {});
    firsts_.assign(*next, {});
    while (!old.empty()) place(old);
  }

  std::list<Entry> entries_;
  std::vector<std::optional<Iterator>> firsts_;  // of each bucket the first entry
  std::unordered_map<int32_t, Iterator> places_;
};

}  // namespace troupe::forest
