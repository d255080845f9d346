#pragma once

#include <functional>
#include <vector>

#include "troupe/apps/swarm/workload/graph_generator.hpp"

namespace troupe::swarm {

// What rules look for in values.
inline bool is_float(const Value& x) { return x.dtype() == DType::float32; }
inline bool is_bool(const Value& x) { return x.dtype() == DType::boolean; }
inline bool is_number(const Value& x) { return !is_bool(x); }

/// Adds a node of one op to a random graph: picks inputs such that the node is valid and has the
/// same result on every device, and returns its outputs. Returns nothing if no value fits.
struct OpRule {
  const char* name;
  std::function<Values(GraphGenerator&)> draw;
};

/// The rules of all ops that random graphs may have. A new op needs a line in the table of its
/// family.
std::vector<OpRule> all_op_rules();

// One function for each family, in the file of its name.
void add_elementwise_rules(std::vector<OpRule>& rules);
void add_array_rules(std::vector<OpRule>& rules);
void add_reduction_rules(std::vector<OpRule>& rules);

}  // namespace troupe::swarm
