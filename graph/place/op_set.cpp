#include "troupe/graph/place/op_set.hpp"

namespace troupe {

OpSet::OpSet(std::vector<std::string> names) {
  // Mostly they are in order already, or the first hundreds are.
  auto rest = std::ranges::is_sorted_until(names);
  std::sort(rest, names.end());
  std::inplace_merge(names.begin(), rest, names.end());
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

}  // namespace troupe
