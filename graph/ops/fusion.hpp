#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/op.hpp"

/// The ops that stand for several nodes of a partition, which passes make. Users cannot add them to
/// a session's graph.
namespace troupe::fusion {

/// Of element-wise nodes (`passes/fuse_elementwise.hpp`).
inline constexpr const char* op = "_FusedElementwise";
/// Of such nodes, fused ones among them, and of reductions that all reduce the same axes, which are
/// the last input (`passes/fuse_rows.hpp`). What its parts were before is in attributes:
/// `node_ends`: of each node the number of the part behind its last; `keep_dims`: of the last part,
/// if that is a reduction. All others keep dims.
inline constexpr const char* rows_op = "_FusedRows";
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

/// Whether a node of that op stands for several.
inline bool is_fused(std::string_view name) { return name == op || name == rows_op; }

/// How many operands an element-wise part of that op has; 0 for an op that is none.
int operand_count(std::string_view op);
/// Of the parts that rows have besides: a reduction, whose operands are a value and the axes, and
/// what gives on its only operand.
bool is_reduction(std::string_view op);
bool passes_on(std::string_view op);
/// Whether the attributes of a node of such an op are those that a part has.
bool fits_part(std::string_view op, const Attrs& attrs);
/// The attributes of the node that a part was, whose dtype is T; of a reduction, without those of
/// its axes.
Attrs attrs_of_part(std::string_view op, DType dtype);

Attrs to_attrs(const std::vector<Part>& parts, DType dtype, size_t input_count);
/// The parts of a node that nobody has checked yet.
Result<std::vector<Part>> find_parts(const Attrs& attrs);
/// The parts of a node in a graph.
std::vector<Part> parts_of(const Attrs& attrs);

void add_ops(OpCatalog& catalog);

}  // namespace troupe::fusion
