#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// What a feed of an output has to be. The shape is the graph's.
struct FeedType {
  DType dtype;
  const Shape& shape;
};

/// Whether that output is the handle of a variable. A feed of one is a value that the variable has
/// in the step, as that of a reference to a variable is in TensorFlow.
bool is_variable_handle(const Graph& graph, Output output);

/// The dtype and shape of an output, or of the values of the variable whose handle it is.
FeedType feed_type(const Graph& graph, Output output);

/// The outputs of a graph that are values of variables, where a step is fed these, and not handles.
class FedVariables {
 public:
  /// Makes "node:0" the value of a variable.
  void add(const std::string& output, const std::string& variable) {
    variables_.emplace(output, variable);
  }

  /// Changes a node that is about to be added to the graph with those inputs: what reads a variable
  /// takes the value. True where the node hands on what was a handle: then it goes to `hand_on`.
  /// InvalidArgument where the node would change the variable.
  Result<bool> adopt(
      const Graph& graph, NodeDef& def, const std::vector<std::string>& inputs) const;

  /// Takes the outputs of a node that was added for the value that is its first input.
  void hand_on(const Graph& graph, NodeId id);

 private:
  std::unordered_map<std::string, std::string> variables_;  // by output
};

}  // namespace troupe
