#pragma once

#include "troupe/graph/passes/lower.hpp"

namespace troupe {

/// Writes the nodes of a LoweredNode.
class LoweredNodes {
 public:
  LoweredNodes(const NodeDef& node, const std::vector<FunctionArgument>& inputs);

  /// Adds a node; returns its output 0.
  std::string add(
      std::string name, std::string op, std::vector<std::string> inputs, Attrs attrs = {});
  /// A number that is there when the node `after` has run; empty: always.
  std::string constant(std::string name, Tensor value, const std::string& after = "");
  /// A call of a function, whose outputs are "name:0" and so on. Where the lowered node is the
  /// gradient of another one, so is the call of that one's.
  std::string call(
      std::string name, const FunctionRef& function, const DTypes& results,
      std::vector<std::string> inputs);
  /// Whether a value is true, as If has it: "name", or the value itself. What is added waits for
  /// the node `after`.
  std::string truth(
      const std::string& name, const FunctionArgument& value, const std::string& after = "");

  std::string input(size_t index) const { return lowered_.function.arguments[index].name + ":0"; }
  void result(std::string output, DType dtype);
  LoweredNode end(std::string done);

 private:
  LoweredNode lowered_;
  bool is_gradient_;
};

}  // namespace troupe
