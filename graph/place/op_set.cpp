#include "troupe/graph/place/op_set.hpp"

#include <mutex>
#include <unordered_map>

namespace troupe {
namespace {

using Names = std::vector<std::string>;

size_t hash_of(const Names& names) {
  size_t hash = names.size();
  for (const auto& name : names) hash = hash * 31 + std::hash<std::string>()(name);
  return hash;
}

/// The list of those names that others in this process have, so that a node which knows a thousand
/// tasks has one. Keeps none that nobody has any more.
std::shared_ptr<const Names> shared(Names names) {
  static std::mutex mutex;
  static std::unordered_multimap<size_t, std::weak_ptr<const Names>> lists;
  auto hash = hash_of(names);
  std::lock_guard lock(mutex);
  auto [same, end] = lists.equal_range(hash);
  for (; same != end; ++same)
    if (auto known = same->second.lock(); known && *known == names) return known;
  std::erase_if(lists, [](const auto& list) { return list.second.expired(); });
  auto added = std::make_shared<const Names>(std::move(names));
  lists.emplace(hash, added);
  return added;
}

Names in_order(Names names) {
  // Mostly they are in order already, or the first hundreds are.
  auto rest = std::ranges::is_sorted_until(names);
  std::sort(rest, names.end());
  std::inplace_merge(names.begin(), rest, names.end());
  return names;
}

}  // namespace

OpSet::OpSet(std::vector<std::string> names, std::vector<std::string> on_request)
    : names_(shared(in_order(std::move(names)))),
      on_request_(shared(in_order(std::move(on_request)))) {}

}  // namespace troupe
