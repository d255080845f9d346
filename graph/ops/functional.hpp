#pragma once

#include <string_view>

#include "troupe/graph/op.hpp"

namespace troupe::functional {

inline constexpr const char* call = "PartitionedCall";
inline constexpr const char* stateful_call = "StatefulPartitionedCall";
inline constexpr const char* remote_call = "RemoteCall";
inline constexpr const char* symbolic_gradient = "SymbolicGradient";

inline bool is_call(std::string_view op) { return op == call || op == stateful_call; }
inline bool is_if(std::string_view op) { return op == "If" || op == "StatelessIf"; }
inline bool is_while(std::string_view op) { return op == "While" || op == "StatelessWhile"; }
/// Whether nodes of functions replace a node of that op (`passes/inline_functions.hpp`).
inline bool is_functional(std::string_view op) {
  return is_call(op) || is_if(op) || is_while(op) || op == "Case" || op == "For" ||
         op == remote_call || op == symbolic_gradient;
}

/// Attribute of a call that computes a gradient: the call beside it whose gradient that is. Nodes
/// of its function that have `forward_node_attr` are those of that call, by the names they have in
/// that call's function; they do not run again. A conditional that has it is the gradient of the
/// conditional of that name, branch by branch.
inline constexpr const char* forward_call_attr = "_forward_call";
inline constexpr const char* forward_node_attr = "_forward_node";

/// Attribute of a call: the function of its inputs and the gradients of its results that gives the
/// gradients of its inputs, instead of those of the called function's nodes.
inline constexpr const char* gradient_function_attr = "_gradient_function";

/// The shapes that the variables of a loop have in all iterations, if they begin with those: what
/// the first has in common with what each body makes of it. InvalidArgument where the body does not
/// give the loop's variables. The shape of a handle stays.
Result<Shapes> loop_shapes(
    const ShapeInference::InferCall& infer, const FunctionRef& body, const DTypes& dtypes,
    Shapes shapes);

}  // namespace troupe::functional
