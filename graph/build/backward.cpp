#include "troupe/graph/build/backward.hpp"

#include <algorithm>

namespace troupe {
namespace {

bool is_differentiable(DType dtype) { return std::ranges::count(differentiable(), dtype) > 0; }

/// A variable's handle collects the gradients of all reads of the variable; the gradient of a list
/// of tensors is a list of theirs.
bool carries_gradient(DType dtype) { return is_differentiable(dtype) || is_opaque(dtype); }

/// What arrives at a result, by default. Where its shape is known a step does not compute y for it.
Value ones(const Builder& b, const Value& y, const std::string& name) {
  if (!y.shape().is_known()) return b.named("Fill").ones_like(y);
  auto one = b.named(name).like(y, 1);
  return y.shape().is_scalar() ? one : b.named("Fill").fill(b.named("Shape").shape_of(y), one);
}

}  // namespace

Backward::Backward(
    const Builder& builder, const Values& ys, const Values& xs, const GradientOptions& options)
    : builder_(builder),
      forward_size_(builder.graph().size()),
      ys_(ys),
      xs_(xs),
      options_(options),
      base_(builder.contexts().current()) {
  for (const auto& value : options.stop_gradients) stops_.insert(value.output().node);
  for (const auto& node : builder.graph().nodes())
    for (auto input : node.inputs)
      if (input.node > node.id) back_edges_.emplace_back(input.node, node.id);
}

Result<std::vector<GradientValue>> Backward::run() {
  mark_paths();
  if (auto status = begin(); !status.ok()) return status;
  if (auto status = propagate_all(base_); !status.ok()) return status;
  std::vector<GradientValue> x_gradients;
  for (const auto& x : xs_) {
    auto gradient = sum(x.output());
    if (!gradient.is_valid() && builder_.status().ok() && !options_.allow_unconnected)
      return unconnected(x);
    x_gradients.push_back(outside(gradient));
  }
  if (!builder_.status().ok()) return builder_.status();
  return x_gradients;
}

/// As a value of the scope around: what a caller adds to it by operators is no gradient of a node.
GradientValue Backward::outside(GradientValue gradient) const {
  auto move = [&](Value& value) {
    value = value.builder().within(builder_.prefix()).value(value.output());
  };
  if (gradient.tensor.is_valid()) move(gradient.tensor);
  if (gradient.rows) {
    move(gradient.rows->values);
    move(gradient.rows->indices);
    move(gradient.rows->dense_shape);
  }
  return gradient;
}

Status Backward::begin() {
  for (size_t i = 0; i < ys_.size(); ++i) {
    const auto& y = ys_[i];
    if (!is_differentiable(y.dtype()) && options_.allow_unconnected) continue;
    if (!is_differentiable(y.dtype()))
      return invalid_argument(
                 std::string("no gradient of a ") + to_string(y.dtype()) + " value exists")
          .at({.node = y.node_name()});
    auto here = builder_.on(builder_.graph().node(y.output().node).device);
    if (!options_.grad_ys.empty()) add(y.output(), {options_.grad_ys[i]});
    else add(y.output(), {ones(here, y, "grad_ys_" + std::to_string(i))});
  }
  return {};
}

/// Marks the nodes that lie on some path from an x to a y. A path may go round a loop.
void Backward::mark_paths() {
  std::vector<bool> reached(static_cast<size_t>(forward_size_));
  needed_ = reached;
  for (const auto& x : xs_) reached[x.output().node] = true;
  while (mark_reached(reached)) {
  }
  for (const auto& y : ys_) needed_[y.output().node] = true;
  while (mark_needed(needed_)) {
  }
  on_path_.resize(static_cast<size_t>(forward_size_));
  for (int id = 0; id < forward_size_; ++id) on_path_[id] = reached[id] && needed_[id];
}

/// Inputs have smaller ids than their users, so one pass does but for back edges; returns whether
/// one of these needs another.
bool Backward::mark_reached(std::vector<bool>& reached) const {
  const auto& graph = builder_.graph();
  for (int id = 0; id < forward_size_; ++id) {
    if (auto* value = contexts().recalled(id); value && reached[value->node]) reached[id] = true;
    for (auto input : passes_on(id) ? graph.node(id).inputs : std::vector<Output>())
      if (input.node >= 0 && reached[input.node] && carries_gradient(graph.dtype_of(input)))
        reached[id] = true;
  }
  return std::ranges::any_of(back_edges_, [&](const auto& edge) {
    return reached[edge.first] && !reached[edge.second] && passes_on(edge.second);
  });
}

bool Backward::mark_needed(std::vector<bool>& needed) const {
  const auto& graph = builder_.graph();
  auto again = false;
  for (int id = forward_size_ - 1; id >= 0; --id)
    for (auto input : needed[id] ? graph.node(id).inputs : std::vector<Output>()) {
      if (input.node < 0) continue;  // the loop is not complete yet
      again |= input.node > id && !needed[input.node];
      needed[input.node] = true;
    }
  return again;
}

/// The last node on a path from the x that a gradient reaches and does not pass, in words; empty if
/// there is no path.
std::string Backward::blocker(const Value& x) const {
  const auto& graph = builder_.graph();
  std::vector<bool> depends(static_cast<size_t>(forward_size_));
  depends[x.output().node] = true;
  std::string found;
  for (int id = 0; id < forward_size_; ++id) {
    if (!needed_[id]) continue;
    const auto& node = graph.node(id);
    for (auto input : node.inputs) {
      if (input.node < 0 || input.node >= id || !depends[input.node]) continue;
      depends[id] = true;
      auto dtype = graph.dtype_of(input);
      if (found.empty() && !carries_gradient(dtype))
        found = std::string("the ") + to_string(dtype) + " value '" + graph.name_of(input) + "'";
    }
    auto has_gradient = [&](const auto& entry) { return entry.first.node == id; };
    auto ends_here = !passes_on(id) || std::ranges::any_of(gradients_, has_gradient);
    if (found.empty() && depends[id] && id != x.output().node && ends_here)
      found = "'" + node.name + "' (" + node.op->name() + ")";
  }
  return found;
}

Status Backward::unconnected(const Value& x) const {
  std::string names;
  for (size_t i = 0; i < ys_.size() && i < 3; ++i)
    names += (i > 0 ? ", '" : "'") + ys_[i].name() + "'";
  if (ys_.size() > 3) names += " and " + std::to_string(ys_.size() - 3) + " more";
  auto between = blocker(x);
  auto message = between.empty()
                     ? names + (ys_.size() == 1 ? " does" : " do") + " not depend on it"
                     : names + (ys_.size() == 1 ? " depends" : " depend") + " on it only through " +
                           between + ", which passes no gradient on";
  return invalid_argument(message).at({.node = x.node_name()});
}

GradientValue Backward::sum(Output output) {
  auto found = gradients_.find(output);
  if (found == gradients_.end()) return {};
  auto& parts = found->second;
  if (parts.size() > 1) parts = {sum(parts)};
  return parts[0];
}

GradientValue Backward::sum(const std::vector<GradientValue>& parts) {
  if (std::ranges::all_of(parts, [](const auto& part) { return part.rows.has_value(); }))
    return {.rows = all_rows(parts)};
  Values tensors;
  for (const auto& part : parts)
    tensors.push_back(part.rows ? to_tensor(builder_, *part.rows) : part.tensor);
  return {.tensor = builder_.add_n(tensors)};
}

/// Rows that several parts name are named several times.
IndexedSlices Backward::all_rows(const std::vector<GradientValue>& parts) {
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
bool Backward::continues(const Node& node) const {
  return std::ranges::any_of(node.inputs, [&](Output input) { return on_path_[input.node]; });
}

Status Backward::propagate_all(int scope) {
  // Inputs have smaller ids than the nodes that use them, so one pass downward suffices; a loop is
  // passed as a whole at the last of its nodes.
  for (auto id = static_cast<NodeId>(forward_size_ - 1); id >= 0; --id) {
    if (!on_path_[id] || !is_in_scope(id, scope) || loop_nodes_.contains(id)) continue;
    if (auto loop = loop_of(id, scope); loop >= 0) {
      if (!loops_done_.insert(loop).second) continue;
      if (auto status = propagate_loop(loop); !status.ok()) return status;
    } else if (auto status = propagate(id); !status.ok()) {
      return status;
    }
  }
  return {};
}

Status Backward::propagate(NodeId id) {
  if (!passes_on(id)) return {};
  // A copy, as adding nodes to the graph invalidates references to its nodes.
  const Node node = builder_.graph().node(id);
  if (!continues(node)) return {};
  CurrentContext inside(contexts(), gradient_context(contexts().of(id)));
  if (is_import_around(node)) return pass_outside(node);
  if (is_conditional_merge(node)) return propagate_merge(node);
  if (is_import(node)) return propagate_switch(node);
  return apply_gradient(node);
}

/// Nodes of its gradient are named after it, as TensorFlow's. The prefix is not reserved: that of
/// all gradients is, and they differ by the names of their nodes.
Builder Backward::builder_for(const Node& node) const {
  return builder_.on(node.device).within(builder_.prefix() + node.name + "_grad/");
}

Status Backward::apply_gradient(const Node& node) {
  auto here = builder_for(node);
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
    outputs.push_back(here.value({node.id, i}));
    auto dy = sum({node.id, i});
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

}  // namespace troupe
