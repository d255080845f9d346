#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "troupe/graph/build/contexts.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

class Builder;

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;

/// An output of a node under construction, or the node itself where it has no outputs. Operators
/// add element-wise nodes with the device, scope and container of the left operand's builder.
class Value {
 public:
  Value() = default;

  /// False when the op that should have made it failed; Builder::status() says why.
  bool is_valid() const;
  Output output() const { return output_; }
  /// Another output of the same node. One that the node lacks is recorded as the builder's error.
  Value output(int index) const;
  /// "node:0": what Session::run takes as feed and fetch; "node" where there are no outputs.
  std::string name() const;
  std::string node_name() const;
  DType dtype() const;
  const Shape& shape() const;
  const Builder& builder() const { return *builder_; }

 private:
  friend class Builder;
  /// False also for a node without outputs.
  bool has_tensor() const;

  std::shared_ptr<const Builder> builder_;
  Output output_;
};

using Values = std::vector<Value>;

/// A variable of a graph: its handle, its initializer, and ops that read and change it.
struct Variable;

/// Adds nodes to a graph, in plain expressions:
///
///     Builder b;
///     auto x = b.placeholder(DType::float32, {Shape::unknown, 64});
///     auto w = b.on("/job:ps/task:0").variable("w", b.zeros(DType::float32, {64, 10}));
///     auto y = b.relu(b.matmul(x, w) + bias);
///
/// The first error stays in status(), names its node, and makes every node that depends on it
/// invalid; so a graph is built in one go and checked once (Session::extend checks it too). A
/// builder is a small value: on(), container(), scope(), named() and after() return another over
/// the same graph. Not thread-safe.
class Builder {
 public:
  /// Over a new graph, with all ops of op_catalog().
  Builder();
  explicit Builder(std::shared_ptr<const OpCatalog> catalog);
  /// Adds to that graph.
  explicit Builder(Graph graph);

  const Graph& graph() const;
  Status status() const;
  /// Records an error as if a node had failed; the first one stays.
  void fail(Status status) const;
  /// Returns the recorded error and clears it, for a caller that reports it at once and goes on
  /// building.
  Status take_status() const;

  /// Nodes get that device constraint, such as "/job:ps"; "" removes it. A name that is none is
  /// recorded as the builder's error.
  Builder on(std::string device) const;
  /// Variables are created in that container.
  Builder container(std::string name) const;
  /// Node names get the prefix "name/", made unique.
  Builder scope(std::string name) const;
  /// Node names get just that prefix, which a scope() had before ("name/"), or none.
  Builder within(std::string prefix) const;
  const std::string& prefix() const { return prefix_; }
  /// The next node gets that name, made unique by a suffix "_1" if it is taken.
  Builder named(std::string name) const;
  /// Nodes run only after those.
  Builder after(const Values& nodes) const;

  /// An output that the graph has already, as a value of this builder.
  Value value(Output output) const;
  /// Adds a node of any op in the catalog.
  Value op(std::string_view op_name, const Values& inputs = {}, Attrs attrs = {}) const;

  // Branches and loops (control_flow.hpp).
  ControlFlowContexts& contexts() const;
  /// Adds a node in that context just as it is, waiting for the nodes of those names and no others.
  Value add_in(
      int context, std::string_view op_name, const std::vector<Output>& inputs, Attrs attrs = {},
      const std::vector<std::string>& controls = {}) const;
  /// A Merge that begins the iterations of a loop, and a name that its NextIteration is to have.
  std::pair<Value, std::string> add_loop_merge(int context, Output enter, const Shape& shape) const;
  Value add_next_iteration(int context, std::string name, Output value) const;

  // Functions.
  /// Makes the results of a function from its arguments, with a builder of the function's nodes.
  using FunctionBody = std::function<Values(const Builder& b, const Values& arguments)>;
  /// Adds a function to the graph's library, which calls share:
  ///
  ///     auto layer = b.function("layer", {{"x", DType::float32}, {"w", DType::float32}},
  ///         [](const Builder& b, const Values& in) { return Values{b.relu(b.matmul(in[0],
  ///         in[1]))}; });
  ///     auto y = b.call(layer, {x, w})[0];
  ///
  /// `body` runs once, at once. It uses no values of other graphs, and makes no variables: what it
  /// needs comes as arguments; an argument of dtype resource is a variable's handle. Its nodes have
  /// the device constraints that it gives them, with open fields from the call's. A function with
  /// that name and the same body may be there already. On an error, calls of the function fail.
  FunctionRef function(
      const std::string& name, const std::vector<FunctionArgument>& arguments,
      const FunctionBody& body) const;
  /// The results of a function of the graph; of a function without any, the call, as a target.
  Values call(const FunctionRef& function, const Values& inputs) const;
  /// Adds functions that are made already, see Graph::add_functions().
  Status add_functions(std::vector<FunctionDef> functions) const;

  // The graph's sources.
  Value constant(Tensor value) const;
  template <Arithmetic T>
  Value constant(T value) const {
    return constant(Tensor::scalar<T>(value));
  }
  /// A constant int32 vector: axes, sizes.
  Value ints(const std::vector<int32_t>& values) const;
  /// A scalar constant with the dtype of `value`.
  Value like(const Value& value, double number) const;
  Value placeholder(DType dtype, Shape shape = Shape::unknown_rank()) const;
  Value zeros(DType dtype, const Shape& shape) const;
  Value fill(const Value& dims, const Value& value) const { return op("Fill", {dims, value}); }
  /// Uniform in [0, 1) and standard normal; seeds as TensorFlow's (both 0: drawn afresh).
  Value random_uniform(const Shape& shape, DType dtype, int64_t seed = 0, int64_t seed2 = 0) const;
  Value random_normal(const Shape& shape, DType dtype, int64_t seed = 0, int64_t seed2 = 0) const;

  // Element-wise, with broadcasting.
  Value add(const Value& x, const Value& y) const { return op("AddV2", {x, y}); }
  Value sub(const Value& x, const Value& y) const { return op("Sub", {x, y}); }
  Value mul(const Value& x, const Value& y) const { return op("Mul", {x, y}); }
  Value div(const Value& x, const Value& y) const { return op("RealDiv", {x, y}); }
  Value equal(const Value& x, const Value& y) const { return op("Equal", {x, y}); }
  Value neg(const Value& x) const { return op("Neg", {x}); }
  Value square(const Value& x) const { return op("Square", {x}); }
  Value sqrt(const Value& x) const { return op("Sqrt", {x}); }
  Value exp(const Value& x) const { return op("Exp", {x}); }
  Value log(const Value& x) const { return op("Log", {x}); }
  Value tanh(const Value& x) const { return op("Tanh", {x}); }
  Value sigmoid(const Value& x) const { return op("Sigmoid", {x}); }
  Value relu(const Value& x) const { return op("Relu", {x}); }
  Value cast(const Value& x, DType dtype) const { return op("Cast", {x}, {{"DstT", dtype}}); }

  // Shapes.
  Value identity(const Value& x) const { return op("Identity", {x}); }
  /// A constant where the shape is known.
  Value shape_of(const Value& x) const;
  Value reshape(const Value& x, const Value& shape) const { return op("Reshape", {x, shape}); }
  Value zeros_like(const Value& x) const { return op("ZerosLike", {x}); }
  Value ones_like(const Value& x) const { return op("OnesLike", {x}); }

  // Reductions: over those axes, or over all.
  Value reduce_sum(const Value& x, const std::vector<int32_t>& axes, bool keep_dims = false) const;
  Value reduce_sum(const Value& x) const { return reduce("Sum", x); }
  Value reduce_mean(const Value& x, const std::vector<int32_t>& axes, bool keep_dims = false) const;
  Value reduce_mean(const Value& x) const { return reduce("Mean", x); }
  Value arg_max(const Value& x, int32_t axis) const;

  // Linear algebra and networks.
  struct MatMulOptions {
    bool transpose_a = false;
    bool transpose_b = false;
  };
  Value matmul(const Value& a, const Value& b, MatMulOptions options) const;
  Value matmul(const Value& a, const Value& b) const { return matmul(a, b, {}); }
  Value softmax(const Value& logits) const { return op("Softmax", {logits}); }
  /// Per row, as tf.nn.sparse_softmax_cross_entropy_with_logits.
  Value sparse_softmax_cross_entropy(const Value& labels, const Value& logits) const {
    return op("SparseSoftmaxCrossEntropyWithLogits", {logits, labels});
  }
  Value add_n(const Values& values) const;

  // State.
  /// A variable with the dtype and shape of `initial`, which its initializer assigns.
  Variable variable(const std::string& name, const Value& initial) const;
  /// A no-op that runs after all of `nodes`: one target for many.
  Value group(const Values& nodes) const { return after(nodes).op("NoOp"); }
  /// Runs the initializers of all variables that the graph has now. Adds a node, so a session must
  /// be extended before it can run it.
  Value initializer() const;
  /// All variables made so far, oldest first.
  std::vector<Variable> variables() const;

 private:
  struct State;
  Value reduce(const char* op_name, const Value& x) const;
  std::string unique_name(std::string_view op_name) const;
  Value add(NodeDef def, const std::vector<Output>& inputs, int context) const;

  std::shared_ptr<State> state_;
  std::string device_;
  std::string container_;
  std::string prefix_;
  std::string next_name_;
  std::vector<std::string> control_inputs_;
};

struct Variable {
  std::string name;
  Value handle;
  Value initializer;  // a target
  DType dtype;
  Shape shape;

  /// Reads the current value on the variable's device. Each call adds a node.
  Value value() const;
  operator Value() const { return value(); }

  /// Targets that change the variable.
  Value assign(const Value& value) const { return change("assign", "AssignVariableOp", value); }
  Value assign_add(const Value& value) const {
    return change("assign_add", "AssignAddVariableOp", value);
  }
  Value assign_sub(const Value& value) const {
    return change("assign_sub", "AssignSubVariableOp", value);
  }

 private:
  Value change(const char* node_name, const char* op, const Value& value) const;
};

Value operator+(const Value& x, const Value& y);
Value operator-(const Value& x, const Value& y);
Value operator*(const Value& x, const Value& y);
Value operator/(const Value& x, const Value& y);
Value operator-(const Value& x);
Value operator+(const Value& x, double y);
Value operator-(const Value& x, double y);
Value operator*(const Value& x, double y);
Value operator/(const Value& x, double y);
Value operator+(double x, const Value& y);
Value operator-(double x, const Value& y);
Value operator*(double x, const Value& y);
Value operator/(double x, const Value& y);

}  // namespace troupe
