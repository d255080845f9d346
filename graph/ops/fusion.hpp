#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/op.hpp"

/// The op that stands for several element-wise nodes of a partition, which a pass makes
/// (`passes/fuse_elementwise.hpp`). Users cannot add it to a session's graph.
namespace troupe::fusion {

inline constexpr const char* op = "_FusedElementwise";
inline constexpr size_t parts_max = 64;

/// One of the nodes that a fused one stands for, which has but one output. The last gives the fused
/// node its name, and its output is that node's.
struct Part {
  std::string name;
  std::string op;
  /// What it takes: the inputs of the fused node count from 0, the outputs of earlier parts go on
  /// from there.
  std::vector<int> operands;

  bool operator==(const Part&) const = default;
};

/// How many operands a part of that op has; 0 for an op that no part can have.
int operand_count(std::string_view op);
/// Whether the attributes of a node of such an op are those that a part has.
bool fits_part(std::string_view op, const Attrs& attrs);
/// The attributes of the node that a part was, whose dtype is T.
Attrs attrs_of_part(std::string_view op, DType dtype);

Attrs to_attrs(const std::vector<Part>& parts, DType dtype, size_t input_count);
/// The parts of a node in a graph.
std::vector<Part> parts_of(const Attrs& attrs);

void add_op(OpCatalog& catalog);

}  // namespace troupe::fusion
