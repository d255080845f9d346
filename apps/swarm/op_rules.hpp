#pragma once

#include <functional>
#include <vector>

#include "troupe/apps/swarm/sketch.hpp"

namespace troupe::swarm {

/// How a random graph comes to one more node of some op: picks what it computes on, such that the
/// result is valid and the same on every device, and returns what it made; nothing where the
/// sketch has nothing that fits.
struct OpRule {
  const char* name;
  std::function<Values(Sketch&)> draw;
};

/// A rule for each op that random graphs are made of. A new op needs a line in the table of its
/// family.
std::vector<OpRule> all_op_rules();

// One function a family, each in the file of its name.
void add_elementwise_rules(std::vector<OpRule>& rules);
void add_array_rules(std::vector<OpRule>& rules);
void add_reduction_rules(std::vector<OpRule>& rules);

}  // namespace troupe::swarm
