#pragma once

#include <functional>
#include <optional>

#include "troupe/graph/optimize/step_graph.hpp"

/// Optimization passes over a placed step, each linear in its nodes, in the order in which
/// optimize.hpp runs them. Results keep their bits; a node that would fail still fails, unless it
/// is a copy of one that does.
namespace troupe {

/// Computes the outputs of a pure node of a CPU from the values of its inputs; nothing where it
/// cannot, or should not.
using EvaluateNode = std::function<std::optional<Tensors>(const Node& node, Tensors inputs)>;

/// Results of constant folding have at most so many bytes, and the inputs of a folded node.
inline constexpr size_t folded_bytes_max = 64 * 1024;
inline constexpr size_t folded_input_bytes_max = 1024 * 1024;
/// Constants without control inputs are copied to other devices up to this size, not sent.
inline constexpr size_t copied_bytes_max = 1024;

/// Shape, ShapeN, Size and Rank of what has a known shape become constants, which wait for it.
void materialize_shapes(StepGraph& step);

/// Nodes on CPUs whose inputs are constants become constants, which wait for what the node and its
/// inputs waited for.
void fold_constants(StepGraph& step, const EvaluateNode& evaluate);

/// Removes what gives its input: Identity and StopGradient; x * 1, x / 1 and x - 0, x + -0 (x + 0
/// of integers) for integers, float32 and float64 where the result has x's shape; a Cast to the
/// same dtype; Reshape to the shape that it is; Transpose that leaves all axes; Neg, Invert,
/// LogicalNot, Conj and Transpose twice. (x + 0 is not x for -0, nor x * 0 = 0 for a NaN; products
/// of half precision change the bits of a NaN, of complex numbers the signs of zeros.)
void simplify_arithmetic(StepGraph& step);

/// Merges nodes with the same op, attributes, inputs, control inputs and device.
void merge_duplicates(StepGraph& step);

/// Removes control edges that other edges imply or that come from constants, and NoOps in between.
void reduce_controls(StepGraph& step);

/// Small constants without control inputs lose their device: each device that uses one gets a copy.
void spread_constants(StepGraph& step);

}  // namespace troupe
