#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/tests/devices/reference/recorded_call.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {

/// A graph with one call, whose inputs are constants, or fed and of unknown shape. Its variables
/// get their values in a step before that.
struct CallGraph {
  Builder b;
  std::vector<Feed> feeds;
  std::vector<Feed> initial_values;
  std::vector<Ref> initializers;
  std::vector<Ref> reads;
  std::vector<Ref> outputs;
  Shapes shapes;  // of the outputs, as inferred

  CallGraph(const RecordedCall& call, bool are_constants) {
    Values inputs;
    for (const auto& variable : call.variables)
      inputs.push_back(add_variable(call.where, variable, are_constants));
    for (const auto& input : call.inputs) {
      inputs.push_back(are_constants ? b.constant(input) : b.placeholder(input.dtype()));
      if (!are_constants) feeds.push_back({inputs.back(), input});
    }
    node_ = b.op(call.op, inputs, call.attrs);
    if (!b.status().ok()) return;
    const auto& node = b.graph().node(node_.output().node);
    for (size_t i = 0; i < node.output_dtypes.size(); ++i) {
      outputs.push_back(node_.output(static_cast<int>(i)));
      shapes.push_back(node.output_shapes[i]);
    }
  }
  Result<Tensors> run(GraphRunner& runner) { return runner.run(b, feeds, outputs, {node_}); }
  Status initialize(GraphRunner& runner) {
    return runner.run(b, initial_values, {}, initializers).status();
  }
  Result<Tensors> read(GraphRunner& runner) { return runner.run(b, {}, reads); }

 private:
  Value add_variable(const std::string& where, const Tensor& value, bool is_declared) {
    auto shape = is_declared ? value.shape() : Shape::unknown_rank();
    auto name = "variable " + std::to_string(reads.size()) + " of " + where;
    Attrs attrs = {{"dtype", value.dtype()}, {"shape", shape}, {"shared_name", name}};
    auto handle = b.op("VarHandleOp", {}, attrs);
    auto initial = b.placeholder(value.dtype());
    initial_values.push_back({initial, value});
    initializers.push_back(b.op("AssignVariableOp", {handle, initial}));
    reads.push_back(b.op("ReadVariableOp", {handle}, {{"dtype", value.dtype()}}));
    return handle;
  }

  Value node_;
};

/// How far a result may be from a recorded one: of its size, and at least of 1.
double tolerance_of(DType dtype);

/// Empty, or the first difference; without a tolerance that of the dtype.
std::string difference(const Tensor& got, const Tensor& expected, std::optional<double> tolerance);

}  // namespace troupe::testing
