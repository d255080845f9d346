#pragma once

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// A value of a loop, or of a branch in one, in the context of its gradient, which goes through the
/// iterations in reverse order: each iteration pushes it on a stack, from which the gradient's pops
/// it. What is the same in all iterations is taken from outside. (TensorFlow: GradLoopState.)
Result<Output> recall_value(const Builder& builder, Output value, int context);

/// Begins to count the iterations of a loop, whose gradient is going to be added: the count is what
/// leaves the loop.
LoopCounter begin_counting(const Builder& builder, int loop);
/// The counter goes on when an iteration has pushed what the gradient needs.
void end_counting(const Builder& builder, int loop, const LoopCounter& counter);

/// The counter's next value, after those nodes; some may be in branches that do not run.
Value add_step(
    const Builder& builder, int loop, Output counter, const char* op,
    const std::vector<NodeId>& after);

}  // namespace troupe
