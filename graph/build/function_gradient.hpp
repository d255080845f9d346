#pragma once

#include "troupe/graph/build/gradients.hpp"

namespace troupe {

/// The gradient of PartitionedCall and StatefulPartitionedCall: a call of a function that computes
/// the gradients of the called function's arguments from its arguments and the gradients of its
/// results. There is one function "_gradient/..." for a function and what is wanted of it. Its
/// nodes of the forward function are those of the forward call: they do not run again, so random
/// numbers and reads of variables have the values of the forward call.
void add_call_gradient(Gradient& g);

/// The gradient of If, StatelessIf and Case: a conditional with the gradient functions of their
/// branches, of which the same one is chosen. What these need of the branch that ran are its nodes.
void add_conditional_gradient(Gradient& g);

/// The gradient of While and StatelessWhile: the loop runs once more, and keeps what a loop through
/// the iterations in reverse order needs (`loop_history.hpp`). Unimplemented where its functions
/// draw random numbers or change state, which would then differ.
void add_while_gradient(Gradient& g);

/// The function (x, y, du) -> (dx, dy) for a function u = f(x, y), which SymbolicGradient calls;
/// added to the graph where it is not there. Derivatives that do not exist are zeros.
Result<const Function*> add_symbolic_gradient(Graph& graph, const FunctionRef& function);

}  // namespace troupe
