#include "troupe/graph/build/builder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/support/text.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

struct Builder::State {
  /// A Variable by outputs: its Values would hold a reference to this state and leak it.
  struct VariableNodes {
    std::string name;
    std::string device;
    std::string container;
    Output handle;
    Output initializer;
  };

  Graph graph;
  Status status;
  std::vector<VariableNodes> variables;
  std::unordered_map<std::string, int> names_used;  // in lower case, as TensorFlow compares them
  std::set<ResourceName> resources;                 // of all variables
  ControlFlowContexts contexts;
};

namespace {

std::vector<int32_t> to_int32(const Shape& shape) {
  return {shape.sizes().begin(), shape.sizes().end()};
}

bool is_of(const Value& value, const Graph& graph) {
  return value.is_valid() && &value.builder().graph() == &graph;
}

}  // namespace

bool Value::is_valid() const { return builder_ && output_.node >= 0; }

Value Value::output(int index) const {
  if (!is_valid()) return {};
  auto other = builder_->graph().find_output(node_name() + ":" + std::to_string(index));
  if (other) return builder_->value(*other);
  builder_->fail(other.status());
  return {};
}

bool Value::has_tensor() const {
  return is_valid() && !builder_->graph().node(output_.node).output_dtypes.empty();
}

std::string Value::name() const {
  return has_tensor() ? builder_->graph().name_of(output_) : node_name();
}

std::string Value::node_name() const {
  return is_valid() ? builder_->graph().node(output_.node).name : "";
}

DType Value::dtype() const {
  return has_tensor() ? builder_->graph().dtype_of(output_) : DType::invalid;
}

const Shape& Value::shape() const {
  static const Shape none = Shape::unknown_rank();
  return has_tensor() ? builder_->graph().shape_of(output_) : none;
}

Builder::Builder() : Builder(op_catalog()) {}

Builder::Builder(std::shared_ptr<const OpCatalog> catalog) : Builder(Graph(std::move(catalog))) {}

Builder::Builder(Graph graph)
    : state_(std::make_shared<State>(State{std::move(graph), {}, {}, {}, {}, {}})) {}

const Graph& Builder::graph() const { return state_->graph; }
Status Builder::status() const { return state_->status; }

std::vector<Variable> Builder::variables() const {
  std::vector<Variable> all;
  for (const auto& nodes : state_->variables) {
    auto here = on(nodes.device).container(nodes.container);
    here.prefix_ = nodes.name + "/";
    here.control_inputs_.clear();
    auto initializer = here.value(nodes.initializer);
    const auto& handle = graph().node(nodes.handle.node);
    all.push_back(
        {.name = nodes.name,
         .handle = here.value(nodes.handle),
         .initializer = initializer,
         .dtype = handle.attr<DType>("dtype"),
         .shape = handle.attr<Shape>("shape")});
  }
  return all;
}

void Builder::fail(Status status) const {
  if (state_->status.ok()) state_->status = std::move(status);
}

Status Builder::add_functions(std::vector<FunctionDef> functions) const {
  return state_->graph.add_functions(std::move(functions));
}

Status Builder::take_status() const { return std::exchange(state_->status, Status()); }

Builder Builder::on(std::string device) const {
  if (auto name = DeviceName::parse(device); !name) fail(name.status());
  auto other = *this;
  other.device_ = std::move(device);
  return other;
}

Builder Builder::container(std::string name) const {
  auto other = *this;
  other.container_ = std::move(name);
  return other;
}

Builder Builder::scope(std::string name) const {
  auto other = *this;
  other.next_name_.clear();
  other.prefix_ = named(std::move(name)).unique_name("") + "/";
  return other;
}

Builder Builder::within(std::string prefix) const {
  auto other = *this;
  other.next_name_.clear();
  other.prefix_ = std::move(prefix);
  return other;
}

Builder Builder::named(std::string name) const {
  auto other = *this;
  other.next_name_ = std::move(name);
  return other;
}

Builder Builder::after(const Values& nodes) const {
  auto other = *this;
  for (const auto& node : nodes) {
    if (!node.is_valid()) continue;  // its error has been recorded
    if (is_of(node, graph())) other.control_inputs_.push_back("^" + node.node_name());
    else
      fail(invalid_argument("after() was given '" + node.name() + "', which is of another graph"));
  }
  return other;
}

std::string Builder::unique_name(std::string_view op_name) const {
  auto base = prefix_ + (next_name_.empty() ? std::string(op_name) : next_name_);
  if (next_name_.ends_with('/')) {
    base = next_name_.substr(0, next_name_.size() - 1);
    // The scope has reserved the name, for one node.
    if (!base.empty() && !state_->graph.contains(base)) return base;
  }
  auto& used = state_->names_used[lower_case(base)];
  auto name = used == 0 ? base : base + "_" + std::to_string(used);
  ++used;
  // A scope has no node of its name, so that the names that were made unique are kept, too.
  while (state_->graph.contains(name) ||
         (name != base && state_->names_used.contains(lower_case(name))))
    name = base + "_" + std::to_string(used++);
  state_->names_used.try_emplace(lower_case(name), 1);
  return name;
}

Value Builder::op(std::string_view op_name, const Values& inputs, Attrs attrs) const {
  NodeDef def{
      .name = unique_name(op_name),
      .op = std::string(op_name),
      .device = device_,
      .inputs = {},
      .attrs = std::move(attrs)};
  std::vector<Output> outputs;
  for (const auto& input : inputs) {
    if (!is_of(input, graph())) {
      fail(invalid_argument("an input of the node belongs to no node of this graph")
               .at({.node = def.name, .op = def.op}));
      return {};
    }
    outputs.push_back(input.output());
  }
  def.inputs = control_inputs_;
  auto plain = *this;  // what brings values in has a name and nothing else of this node's
  plain.next_name_.clear();
  plain.control_inputs_.clear();
  if (auto status = adopt_node(plain, outputs, def); !status.ok()) {
    fail(status.at({.node = def.name, .op = def.op}));
    return {};
  }
  return add(std::move(def), outputs, contexts().current());
}

/// Adds a node whose control inputs `def` has already.
Value Builder::add(NodeDef def, const std::vector<Output>& inputs, int context) const {
  std::vector<std::string> names;
  for (auto input : inputs) names.push_back(graph().name_of(input));
  def.inputs.insert(def.inputs.begin(), names.begin(), names.end());
  auto id = state_->graph.add(std::move(def));
  if (!id) {
    fail(id.status());
    return {};
  }
  contexts().put(*id, context);
  return value({*id, 0});
}

ControlFlowContexts& Builder::contexts() const { return state_->contexts; }

Value Builder::add_in(
    int context, std::string_view op_name, const std::vector<Output>& inputs, Attrs attrs,
    const std::vector<std::string>& controls) const {
  NodeDef def{
      .name = unique_name(op_name),
      .op = std::string(op_name),
      .device = device_,
      .inputs = {},
      .attrs = std::move(attrs)};
  for (const auto& control : controls) def.inputs.push_back("^" + control);
  return add(std::move(def), inputs, context);
}

std::pair<Value, std::string> Builder::add_loop_merge(
    int context, Output enter, const Shape& shape) const {
  auto next = unique_name(loops::next_iteration);
  NodeDef def{
      .name = unique_name(loops::merge),
      .op = loops::merge,
      .device = device_,
      .inputs = {graph().name_of(enter), next + ":0"},
      .attrs = {{"T", graph().dtype_of(enter)}, {"N", 2}, {loops::shape_attr, shape}}};
  return {add(std::move(def), {}, context), next};
}

Value Builder::add_next_iteration(int context, std::string name, Output value) const {
  return add(
      {.name = std::move(name), .op = loops::next_iteration, .device = device_}, {value}, context);
}

Value Builder::value(Output output) const {
  auto maker = *this;
  maker.next_name_.clear();
  Value value;
  value.builder_ = std::make_shared<const Builder>(std::move(maker));
  value.output_ = output;
  return value;
}

Value Builder::constant(Tensor value) const {
  auto dtype = value.dtype();
  return op("Const", {}, {{"value", std::move(value)}, {"dtype", dtype}});
}

Value Builder::like(const Value& value, double number) const {
  if (!value.is_valid() || !is_plain(value.dtype())) {
    fail(invalid_argument("a number can be combined with numbers only"));
    return {};
  }
  return constant(visit(value.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return Tensor::scalar<T>(T(static_cast<typename T::value_type>(number)));
    else return Tensor::scalar<T>(static_cast<T>(number));
  }));
}

Value Builder::placeholder(DType dtype, Shape shape) const {
  return op("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
}

Value Builder::ints(const std::vector<int32_t>& values) const {
  return constant(
      Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, std::span<const int32_t>(values)));
}

Value Builder::shape_of(const Value& x) const {
  // A size that int32 lacks is an error of the step.
  auto fits = [](int64_t size) { return size <= std::numeric_limits<int32_t>::max(); };
  if (!x.shape().is_known() || !std::ranges::all_of(x.shape().sizes(), fits))
    return op("Shape", {x});
  return ints(to_int32(x.shape()));
}

Value Builder::zeros(DType dtype, const Shape& shape) const {
  if (!shape.is_known()) {
    fail(invalid_argument("zeros() needs a known shape, not " + shape.to_string()));
    return {};
  }
  auto value = Tensor::allocate(dtype, Shape());
  CHECK(value.ok());
  if (is_plain(dtype)) std::memset(value->mutable_raw(), 0, value->bytes());
  return fill(ints(to_int32(shape)), constant(*value));
}

Value Builder::random_uniform(const Shape& shape, DType dtype, int64_t seed, int64_t seed2) const {
  return op(
      "RandomUniform", {ints(to_int32(shape))},
      {{"dtype", dtype}, {"seed", seed}, {"seed2", seed2}});
}

Value Builder::random_normal(const Shape& shape, DType dtype, int64_t seed, int64_t seed2) const {
  return op(
      "RandomStandardNormal", {ints(to_int32(shape))},
      {{"dtype", dtype}, {"seed", seed}, {"seed2", seed2}});
}

Value Builder::reduce_sum(const Value& x, const std::vector<int32_t>& axes, bool keep_dims) const {
  return op("Sum", {x, ints(axes)}, {{"keep_dims", keep_dims}});
}

Value Builder::reduce_mean(const Value& x, const std::vector<int32_t>& axes, bool keep_dims) const {
  return op("Mean", {x, ints(axes)}, {{"keep_dims", keep_dims}});
}

Value Builder::reduce(const char* op_name, const Value& x) const {
  if (x.shape().has_rank()) {
    std::vector<int32_t> axes(static_cast<size_t>(x.shape().rank()));
    std::iota(axes.begin(), axes.end(), 0);
    return op(op_name, {x, ints(axes)});
  }
  auto rank = op("Rank", {x});
  return op(op_name, {x, op("Range", {constant<int32_t>(0), rank, constant<int32_t>(1)})});
}

Value Builder::arg_max(const Value& x, int32_t axis) const {
  return op("ArgMax", {x, constant<int32_t>(axis)});
}

Value Builder::matmul(const Value& a, const Value& b, MatMulOptions options) const {
  return op(
      "MatMul", {a, b},
      {{"transpose_a", options.transpose_a}, {"transpose_b", options.transpose_b}});
}

Value Builder::add_n(const Values& values) const {
  return values.size() == 1 ? values[0] : op("AddN", values);
}

Variable Builder::variable(const std::string& name, const Value& initial) const {
  auto named_scope = named(name);
  auto full_name = named_scope.unique_name("");
  // Equal names in two containers are two variables, although their nodes need different names.
  ResourceName resource{container_, prefix_ + name};
  if (state_->resources.contains(resource)) resource.name = full_name;
  while (!state_->resources.insert(resource).second) resource.name += "_1";
  auto inner = within(full_name + "/");
  // What a step waits for has not run when the variable is initialized.
  inner.control_inputs_.clear();
  Variable variable{
      .name = full_name,
      .handle = {},
      .initializer = {},
      .dtype = initial.dtype(),
      .shape = initial.shape()};
  variable.handle = inner.named("handle").op(
      "VarHandleOp", {},
      {{"dtype", variable.dtype},
       {"shape", variable.shape},
       {"container", container_},
       {"shared_name", resource.name}});
  variable.initializer = inner.named("assign").op("AssignVariableOp", {variable.handle, initial});
  if (variable.initializer.is_valid())
    state_->variables.push_back(
        {.name = full_name,
         .device = device_,
         .container = container_,
         .handle = variable.handle.output(),
         .initializer = variable.initializer.output()});
  return variable;
}

Value Builder::initializer() const {
  Values initializers;
  for (const auto& nodes : state_->variables) initializers.push_back(value(nodes.initializer));
  return (next_name_.empty() ? named("init") : *this).group(initializers);
}

Value Variable::value() const {
  if (!handle.is_valid()) return {};
  return handle.builder().named("read").op("ReadVariableOp", {handle}, {{"dtype", dtype}});
}

Value Variable::change(const char* node_name, const char* op, const Value& value) const {
  if (!handle.is_valid()) return {};
  return handle.builder().named(node_name).op(op, {handle, value});
}

}  // namespace troupe
