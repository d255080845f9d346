#pragma once

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// Writes the branches and loops of a body into the attributes of the function made of it, so that
/// the function can be differentiated: the number of its context at each node, and a table of them
/// at the first node. (TensorFlow: CondContextDef, WhileContextDef.)
void note_contexts(const Builder& body, FunctionDef& function);

/// Takes the contexts from such attributes of the builder's graph; none where they do not fit it.
void restore_contexts(const Builder& body);

}  // namespace troupe
