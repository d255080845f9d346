#include "troupe/graph/build/gradients.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace troupe {

Value to_tensor(const Builder& builder, const IndexedSlices& rows) {
  auto here = builder.on(builder.graph().node(rows.values.output().node).device);
  auto column = here.op("ExpandDims", {rows.indices, here.constant(1)});
  auto shape = here.cast(rows.dense_shape, rows.indices.dtype());
  return here.op("ScatterNd", {column, rows.values, shape});
}

Value Gradient::dy(int index) {
  auto& gradient = output_gradients_[static_cast<size_t>(index)];
  if (gradient.rows) gradient = {.tensor = to_tensor(*this, *gradient.rows)};
  if (!gradient.is_valid()) gradient = {.tensor = zeros_like(out(index))};
  return gradient.tensor;
}

void Gradient::pass_on(int input, int output) {
  const auto& rows = output_gradients_[static_cast<size_t>(output)].rows;
  if (rows) to_input(input, *rows);
  else to_input(input, dy(output));
}

std::optional<std::vector<int64_t>> Gradient::constant_ints(int input) const {
  auto value = graph().constant_value(in(input).output());
  return value ? to_ints(*value) : std::nullopt;
}

namespace {

/// The axes over which to sum a gradient of shape `result` down to `target`, which was broadcast
/// with `others`; nothing if the static shapes do not determine them.
std::optional<std::vector<int32_t>> axes_to_sum(
    const Shape& target, const Shape& result, const Shapes& others) {
  if (!target.has_rank() || !result.has_rank()) return std::nullopt;
  auto missing = result.rank() - target.rank();
  std::vector<int32_t> axes;
  for (int axis = 0; axis < result.rank(); ++axis) {
    auto stretches = [&](const Shape& other) {
      auto there = axis - (result.rank() - other.rank());
      return !other.has_rank() || (there >= 0 && other[there] != 1);
    };
    auto from = axis < missing ? 1 : target[axis - missing];
    if (axis < missing || (from == 1 && result[axis] != 1)) axes.push_back(axis);
    else if (from == Shape::unknown && result[axis] != 1 && std::ranges::any_of(others, stretches))
      return std::nullopt;
  }
  return axes;
}

}  // namespace

Value Gradient::sum_to_shape_of(int input, const Value& gradient) {
  const auto& target = in(input);
  Shapes others;
  for (const auto& other : inputs_) {
    if (other.output() == target.output()) continue;
    // An input that is no operand, as BroadcastTo's shape, may ask for any stretching.
    auto is_operand = other.dtype() == gradient.dtype();
    others.push_back(is_operand ? other.shape() : Shape::unknown_rank());
  }
  auto result = gradient.shape().merge(out(0).shape());
  if (!result) {
    fail(result.status().at({.node = node_.name, .op = node_.op->name()}));
    return {};
  }
  auto known = axes_to_sum(target.shape(), *result, others);
  if (!known) {
    auto target_shape = shape_of(target);
    auto axes = op("BroadcastGradientArgs", {target_shape, shape_of(gradient)});
    return reshape(op("Sum", {gradient, axes}), target_shape);
  }
  if (known->empty()) return gradient;
  auto missing = static_cast<size_t>(result->rank() - target.shape().rank());
  if (missing == 0) return reduce_sum(gradient, *known, /*keep_dims=*/true);
  auto sum = reduce_sum(gradient, *known);
  return known->size() == missing ? sum : reshape_to_shape_of(input, sum);
}

Value Gradient::reshape_to_shape_of(int input, const Value& gradient) {
  const auto& target = in(input).shape();
  if (target.is_known() && target == gradient.shape()) return gradient;
  // One size may be left to Reshape, unless another is 0 and makes it ambiguous.
  if (target.has_rank() && std::ranges::count(target.sizes(), Shape::unknown) <= 1 &&
      !std::ranges::count(target.sizes(), 0))
    return reshape(gradient, ints({target.sizes().begin(), target.sizes().end()}));
  return reshape(gradient, shape_of(in(input)));
}

namespace {

/// Backpropagation from the ys to the xs.
class Backward {
 public:
  Backward(
      const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options)
      : builder_(builder),
        forward_size_(builder.graph().size()),
        ys_(ys),
        xs_(xs),
        options_(options) {
    for (const auto& value : options.stop_gradients) stops_.insert(value.output().node);
  }

  Result<std::vector<GradientValue>> run() {
    mark_paths();
    for (size_t i = 0; i < ys_.size(); ++i) {
      const auto& y = ys_[i];
      if (!is_differentiable(y.dtype()))
        return invalid_argument(
                   std::string("no gradient of a ") + to_string(y.dtype()) + " value exists")
            .at({.node = y.node_name()});
      auto here = builder_.on(builder_.graph().node(y.output().node).device);
      if (!options_.grad_ys.empty()) add(y.output(), {options_.grad_ys[i]});
      else add(y.output(), {y.shape().is_scalar() ? here.like(y, 1) : here.ones_like(y)});
    }
    // Inputs have smaller ids than the nodes that use them, so one pass downward suffices.
    for (auto id = static_cast<NodeId>(forward_size_ - 1); id >= 0; --id)
      if (auto status = propagate(id); !status.ok()) return status;
    std::vector<GradientValue> x_gradients;
    for (const auto& x : xs_) {
      auto gradient = sum(x.output());
      if (!gradient.is_valid() && builder_.status().ok() && !options_.allow_unconnected)
        return invalid_argument("the ys do not depend on it").at({.node = x.node_name()});
      x_gradients.push_back(gradient);
    }
    if (!builder_.status().ok()) return builder_.status();
    return x_gradients;
  }

 private:
  static bool is_differentiable(DType dtype) {
    return std::ranges::count(differentiable(), dtype) > 0;
  }

  /// A variable's handle collects the gradients of all reads of the variable.
  static bool carries_gradient(DType dtype) {
    return is_differentiable(dtype) || dtype == DType::resource;
  }

  /// Marks the nodes that lie on some path from an x to a y.
  void mark_paths() {
    const auto& graph = builder_.graph();
    std::vector<bool> reached(static_cast<size_t>(forward_size_));
    for (const auto& x : xs_) reached[x.output().node] = true;
    for (int id = 0; id < forward_size_; ++id)
      for (auto input : passes_on(id) ? graph.node(id).inputs : std::vector<Output>())
        if (reached[input.node] && carries_gradient(graph.dtype_of(input))) reached[id] = true;
    std::vector<bool> needed(static_cast<size_t>(forward_size_));
    for (const auto& y : ys_) needed[y.output().node] = true;
    for (int id = forward_size_ - 1; id >= 0; --id)
      if (needed[id])
        for (auto input : graph.node(id).inputs) needed[input.node] = true;
    on_path_.resize(static_cast<size_t>(forward_size_));
    for (int id = 0; id < forward_size_; ++id) on_path_[id] = reached[id] && needed[id];
  }

  bool passes_on(NodeId id) const { return !stops_.contains(id); }

  void add(Output output, const GradientValue& gradient) { gradients_[output].push_back(gradient); }

  GradientValue sum(Output output) {
    auto found = gradients_.find(output);
    if (found == gradients_.end()) return {};
    auto& parts = found->second;
    if (parts.size() > 1) parts = {sum(parts)};
    return parts[0];
  }

  GradientValue sum(const std::vector<GradientValue>& parts) {
    if (std::ranges::all_of(parts, [](const auto& part) { return part.rows.has_value(); }))
      return {.rows = all_rows(parts)};
    Values tensors;
    for (const auto& part : parts)
      tensors.push_back(part.rows ? to_tensor(builder_, *part.rows) : part.tensor);
    return {.tensor = builder_.add_n(tensors)};
  }

  /// Rows that several parts name are named several times.
  IndexedSlices all_rows(const std::vector<GradientValue>& parts) {
    Values values, indices;
    for (const auto& part : parts) {
      values.push_back(part.rows->values);
      indices.push_back(builder_.cast(part.rows->indices, DType::int64));
    }
    auto axis = builder_.constant(0);
    values.push_back(axis);
    indices.push_back(axis);
    return {
        .values = builder_.op("ConcatV2", values),
        .indices = builder_.op("ConcatV2", indices),
        .dense_shape = parts[0].rows->dense_shape};
  }

  /// True if an input of the node lies on a path, so that its gradient is needed.
  bool continues(const Node& node) const {
    return std::ranges::any_of(node.inputs, [&](Output input) { return on_path_[input.node]; });
  }

  Status propagate(NodeId id) {
    if (!on_path_[id] || !passes_on(id)) return {};
    // A copy, as adding nodes to the graph invalidates references to its nodes.
    const Node node = builder_.graph().node(id);
    if (!continues(node)) return {};
    auto here = builder_.on(node.device);
    Values inputs, outputs;
    std::vector<GradientValue> output_gradients;
    std::vector<bool> needs_gradient;
    bool any = false;
    for (auto input : node.inputs) {
      inputs.push_back(here.value(input));
      needs_gradient.push_back(
          on_path_[input.node] && carries_gradient(builder_.graph().dtype_of(input)));
    }
    for (int i = 0; i < static_cast<int>(node.output_dtypes.size()); ++i) {
      outputs.push_back(here.value({id, i}));
      auto dy = sum({id, i});
      any |= dy.is_valid();
      if (dy.tensor.is_valid()) dy.tensor = here.value(dy.tensor.output());
      output_gradients.push_back(std::move(dy));
    }
    if (!any) return builder_.status();
    Gradient gradient(here, node, inputs, outputs, output_gradients, needs_gradient);
    if (!options_.function || !options_.function(gradient)) {
      if (!node.op->gradient())
        return invalid_argument("op " + node.op->name() + " has no gradient")
            .at({.node = node.name, .op = node.op->name()});
      node.op->gradient()(gradient);
    }
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (gradient.input_gradients()[i].is_valid())
        add(node.inputs[i], gradient.input_gradients()[i]);
    return builder_.status();
  }

  Builder builder_;
  int forward_size_;
  const Values& ys_;
  const Values& xs_;
  const GradientOptions& options_;
  std::set<NodeId> stops_;
  std::vector<bool> on_path_;
  std::map<Output, std::vector<GradientValue>> gradients_;
};

}  // namespace

Result<std::vector<GradientValue>> sparse_gradients(
    const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options) {
  for (const auto* group : {&ys, &xs, &options.grad_ys, &options.stop_gradients})
    for (const auto& value : *group)
      if (!value.is_valid())
        return builder.status().ok() ? invalid_argument("gradients() was given no value")
                                     : builder.status();
  if (ys.empty()) return invalid_argument("gradients() was given no ys");
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size())
    return invalid_argument("gradients() takes as many grad_ys as ys");
  return Backward(builder.scope("gradients"), ys, xs, options).run();
}

Result<Values> gradients(
    const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options) {
  auto made = sparse_gradients(builder, ys, xs, options);
  if (!made) return made.status();
  Values tensors;
  for (const auto& gradient : *made)
    tensors.push_back(gradient.rows ? to_tensor(builder, *gradient.rows) : gradient.tensor);
  return tensors;
}

}  // namespace troupe
