#include <algorithm>

#include "troupe/graph/build/backward.hpp"
#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/loop_history.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

/// The dtype of the variable that a handle is of. A function's argument does not tell it, but those
/// who read the variable do.
std::optional<DType> variable_dtype(const Graph& graph, Output handle) {
  auto of = [](const Attrs& attrs) -> std::optional<DType> {
    auto found = attrs.find("dtype");
    auto* dtype = found == attrs.end() ? nullptr : found->second.get<DType>();
    return dtype ? std::optional(*dtype) : std::nullopt;
  };
  const auto& source = graph.source_attrs(handle);
  if (auto dtype = of(source)) return dtype;
  for (const auto& node : graph.nodes()) {
    const auto& op = node.op->name();
    auto reads = op == "ReadVariableOp" || op == "ResourceGather" || op == "ResourceGatherNd";
    if (reads && &graph.source_attrs(node.inputs[0]) == &source) return of(node.attrs);
  }
  return {};
}

}  // namespace

/// A context around the one that gradients are asked for in has its gradients there. The gradient
/// of a branch is in that branch, unless it is in a loop: then its values are those of an iteration
/// long past, and it gets a branch of its own.
int Backward::gradient_context(int context) {
  if (contexts().is_in(base_, context)) return base_;
  if (auto found = gradient_contexts_.find(context); found != gradient_contexts_.end())
    return found->second;
  auto forward = contexts().at(context);  // a copy: contexts are added
  auto parent = gradient_context(forward.parent);
  if (parent == forward.parent) return gradient_contexts_[context] = context;
  auto predicate = import_value(builder_, forward.predicate, parent);
  if (!predicate) {
    builder_.fail(predicate.status());
    return parent;
  }
  auto made = contexts().add(
      {.parent = parent, .forward = context, .predicate = *predicate, .branch = forward.branch});
  auto chosen = builder_.add_in(parent, "Switch", {*predicate, *predicate}).output().node;
  contexts().at(made).pivot =
      builder_.add_in(made, "Identity", {{chosen, forward.branch}}).output().node;
  return gradient_contexts_[context] = made;
}

/// A node whose gradients are computed in the scope of that context: in it, or around the one that
/// they are asked for in.
bool Backward::is_in_scope(NodeId id, int scope) const {
  auto context = contexts().of(id);
  return contexts().is_in(context, scope) || (scope == base_ && contexts().is_in(base_, context));
}

int Backward::loop_of(NodeId id, int scope) const {
  auto loop = -1;
  const auto& node = builder_.graph().node(id);
  auto inside = loops::is_exit(node.op->name()) ? node.inputs[0].node : id;
  for (auto context = contexts().of(inside); context >= 0 && context != scope;
       context = contexts().at(context).parent)
    if (contexts().at(context).is_loop && !contexts().is_in(base_, context)) loop = context;
  return loop;
}

Value Backward::zeros_of(const Value& value) {
  auto here = builder_.on(builder_.graph().node(value.output().node).device);
  if (value.dtype() != DType::resource) return here.zeros_like(value);
  auto dtype = variable_dtype(builder_.graph(), value.output());
  if (!dtype) {
    builder_.fail(invalid_argument("the gradient of what the handle is of is not known")
                      .at({.node = value.node_name()}));
    return {};
  }
  auto read = here.op("ReadVariableOp", {value}, {{"dtype", *dtype}});
  return here.zeros_like(read);
}

Value Backward::sum_or_zeros(Output output) {
  auto gradient = sum(output);
  if (gradient.rows) return to_tensor(builder_, *gradient.rows);
  return gradient.is_valid() ? gradient.tensor : zeros_of(builder_.value(output));
}

// -- branches

/// A Switch that brings a value into a branch.
bool Backward::is_import(const Node& node) const {
  auto context = contexts().of(node.id);
  if (context < 0 || contexts().at(context).is_loop) return false;
  const auto& branch = contexts().at(context);
  return std::ranges::any_of(branch.imported, [&](const auto& value) {
    return value.second == Output{node.id, branch.branch};
  });
}

bool Backward::is_import_around(const Node& node) const {
  auto context = contexts().of(node.id);
  if (context < 0 || !contexts().is_in(base_, context)) return false;
  return std::ranges::any_of(contexts().at(context).imported, [&](const auto& value) {
    return value.second.node == node.id;
  });
}

/// The gradient of what was brought in is wanted inside.
Status Backward::pass_outside(const Node& node) {
  for (int i = 0; i < static_cast<int>(node.output_dtypes.size()); ++i)
    if (auto gradient = sum({node.id, i}); gradient.is_valid()) add(node.inputs[0], gradient);
  return builder_.status();
}

/// The Merge of the results of two branches.
bool Backward::is_conditional_merge(const Node& node) const {
  if (node.op->name() != loops::merge || node.inputs.size() != 2) return false;
  return std::ranges::all_of(node.inputs, [&](Output input) {
    auto context = contexts().of(input.node);
    return context >= 0 && !contexts().at(context).is_loop &&
           contexts().at(context).parent == contexts().of(node.id);
  });
}

Status Backward::propagate_merge(const Node& node) {
  auto gradient = sum({node.id, 0});
  if (!gradient.is_valid()) return builder_.status();
  auto here = builder_for(node);
  auto dy = gradient.rows ? to_tensor(here, *gradient.rows) : gradient.tensor;
  for (auto input : node.inputs) {
    auto chosen = import_value(here, dy.output(), gradient_context(contexts().of(input.node)));
    if (!chosen) return chosen.status();
    add(input, {.tensor = here.value(*chosen)});
  }
  return builder_.status();
}

/// The gradient of what was brought into a branch is that of its use there, or zeros where the
/// other branch runs.
Status Backward::propagate_switch(const Node& node) {
  auto context = contexts().of(node.id);
  auto branch = contexts().at(context).branch;
  if (!gradients_.contains({node.id, branch})) return builder_.status();
  auto inside = sum_or_zeros({node.id, branch});
  if (!builder_.status().ok()) return builder_.status();
  auto parent = gradient_context(contexts().at(context).parent);
  CurrentContext outside(contexts(), parent);
  auto here = builder_for(node);
  auto predicate = import_value(here, contexts().at(context).predicate, parent);
  if (!predicate) return predicate.status();
  auto zeros = zeros_of(here.value(node.inputs[0]));
  if (!zeros.is_valid()) return builder_.status();
  auto other = contexts().add({.parent = parent, .predicate = *predicate, .branch = 1 - branch});
  auto unused = import_value(here, zeros.output(), other);
  if (!unused) return unused.status();
  auto merged = here.named("cond_grad").add_in(parent, loops::merge, {*unused, inside.output()});
  if (merged.is_valid()) add(node.inputs[0], {.tensor = merged});
  return builder_.status();
}

// -- loops

/// The variables that a path goes through.
std::vector<LoopVariable> Backward::active_variables(int loop) const {
  std::vector<LoopVariable> active;
  for (const auto& variable : contexts().at(loop).variables)
    if (variable.next.node >= 0 && variable.merge.node < forward_size_ &&
        on_path_[variable.merge.node])
      active.push_back(variable);
  return active;
}

void Backward::note_loop_nodes(int loop) {
  for (const auto& variable : contexts().at(loop).variables) {
    auto chosen = builder_.graph().node(variable.body.node).inputs[0].node;
    loop_nodes_.insert(
        {variable.enter.node, variable.merge.node, chosen, variable.body.node, variable.exit.node,
         variable.next.node});
  }
  for (const auto& [source, inside] : contexts().at(loop).imported) loop_nodes_.insert(inside.node);
}

/// Adds the loop that goes through the iterations in reverse order. Its variables are the number of
/// iterations that are left, the gradients of the loop's variables, and the sums of those of what
/// all its iterations take from outside.
Status Backward::propagate_loop(int loop) {
  note_loop_nodes(loop);
  auto variables = active_variables(loop);
  auto has_gradient = [&](const LoopVariable& variable) {
    return gradients_.contains(variable.exit);
  };
  if (std::ranges::none_of(variables, has_gradient)) return builder_.status();
  if (contexts().at(loop).forward >= 0)
    return invalid_argument("Second-order gradient for while loops not supported.")
        .at({.node = builder_.graph().node(contexts().at(loop).condition).name});
  auto parent = gradient_context(contexts().at(loop).parent);
  CurrentContext outside(contexts(), parent);
  auto counter = begin_counting(builder_, loop);
  auto count = import_value(builder_, counter.variable.exit, parent);
  if (!count) return count.status();

  std::vector<Carried> carried;
  for (const auto& variable : variables)
    carried.push_back(
        {.initial = sum_or_zeros(variable.exit),
         .shape = builder_.graph().shape_of(variable.merge),
         .source = builder_.graph().node(variable.enter.node).inputs[0],
         .inside = variable.body,
         .is_sum = false});
  for (const auto& [source, inside] : contexts().at(loop).imported)
    if (inside.node < forward_size_ && on_path_[inside.node]) {
      auto outer = builder_.graph().node(inside.node).inputs[0];
      auto zeros = zeros_of(builder_.value(outer));
      carried.push_back(
          {.initial = zeros,
           .shape = zeros.shape(),
           .source = outer,
           .inside = inside,
           .is_sum = true});
    }
  Values initial = {builder_.value(*count)};
  Shapes shapes = {Shape()};
  for (const auto& value : carried) {
    initial.push_back(value.initial);
    shapes.push_back(value.shape);
  }
  if (!builder_.status().ok()) return builder_.status();
  WhileLoop reverse(
      builder_.scope("while"), initial,
      {.parallel_iterations = contexts().at(loop).parallel_iterations, .shape_invariants = shapes});
  if (!builder_.status().ok()) return builder_.status();
  auto gradient = gradient_contexts_[loop] = contexts().current();
  contexts().at(gradient).forward = loop;
  contexts().at(gradient).counter = std::move(counter);
  auto exits = add_reverse_iterations(loop, reverse, variables, carried);
  if (!builder_.status().ok()) return builder_.status();
  end_counting(builder_, loop, contexts().at(gradient).counter);
  for (size_t i = 0; i < carried.size(); ++i) add(carried[i].source, {.tensor = exits[1 + i]});
  return builder_.status();
}

/// The condition and the body of the loop in reverse order.
Values Backward::add_reverse_iterations(
    int loop, WhileLoop& reverse, const std::vector<LoopVariable>& variables,
    const std::vector<Carried>& carried) {
  auto gradient = contexts().current();
  reverse.begin_body(
      builder_.op("Greater", {reverse.variables()[0], builder_.constant<int32_t>(0)}));
  if (!builder_.status().ok()) return {};
  const auto inner = reverse.variables();
  for (size_t i = 0; i < variables.size(); ++i)
    add(builder_.graph().node(variables[i].next.node).inputs[0], {.tensor = inner[1 + i]});
  if (auto status = propagate_all(loop); !status.ok()) {
    builder_.fail(status);
    return {};
  }
  Values results(1);
  for (size_t i = 0; i < carried.size(); ++i) {
    auto before = inner[1 + i];
    auto found = sum(carried[i].inside);
    auto more = found.rows ? to_tensor(builder_, *found.rows) : found.tensor;
    auto value = carried[i].is_sum ? (more.is_valid() ? builder_.add(before, more) : before)
                                   : (more.is_valid() ? more : builder_.zeros_like(before));
    results.push_back(with_shape(value, carried[i].shape));
  }
  if (!builder_.status().ok()) return {};
  results[0] =
      add_step(builder_, gradient, inner[0].output(), "Sub", contexts().at(gradient).counter.pops);
  return reverse.end(results);
}

/// As a variable of that shape: less may be known of it.
Value Backward::with_shape(const Value& value, const Shape& shape) {
  if (!value.is_valid()) return {};
  auto both = shape.merge(value.shape());
  if (both && *both == value.shape()) return value;
  return builder_.op("EnsureShape", {value}, {{"shape", shape}});
}

}  // namespace troupe
