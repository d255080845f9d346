#pragma once

#include <string>
#include <vector>

#include "troupe/graph/types/attr.hpp"

namespace troupe {

/// A node as it is written and sent: everything by name. Inputs are "name" or "name:1" for the
/// output of a node, then "^name" for each node that must only have run before.
struct NodeDef {
  std::string name;
  std::string op;
  std::string device;  // a constraint, possibly partial or empty: "/job:ps/task:0"
  std::vector<std::string> inputs;
  Attrs attrs;

  bool operator==(const NodeDef&) const = default;
};

}  // namespace troupe
