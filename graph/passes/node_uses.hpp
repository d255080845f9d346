#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// Some nodes of a partition, by their numbers, the last first.
using NodeGroup = std::set<size_t, std::greater<>>;

/// Which nodes of a partition use the outputs of which others. As long as it lives, the nodes keep
/// their places and names.
class NodeUses {
 public:
  explicit NodeUses(const std::vector<NodeDef>& nodes);

  /// Whether no two nodes have one name; else nothing else is true.
  bool has_distinct_names() const { return index_.size() == uses_.size(); }
  /// The node that an input comes from, if it is one of these.
  std::optional<size_t> source_of(std::string_view input) const;
  /// Whether all inputs that are nodes of these come before the node.
  bool comes_behind_inputs(const NodeDef& node, size_t index) const;
  /// Whether the first output of the node is all that others need of it, and only nodes of the
  /// group do.
  bool only_serves(const NodeGroup& group, size_t index) const;

 private:
  struct Uses {
    std::vector<size_t> by;
    bool is_other = false;  // as a control edge, or of an output that no part has
  };

  std::unordered_map<std::string_view, size_t> index_;  // by the names of the nodes
  std::vector<Uses> uses_;                              // by node
};

}  // namespace troupe
