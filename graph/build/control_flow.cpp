#include "troupe/graph/build/control_flow.hpp"

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

/// Fails unless the value can choose a branch or end a loop.
bool check_predicate(const Builder& builder, const Value& value, const char* what) {
  if (!value.is_valid()) {
    if (builder.status().ok()) builder.fail(invalid_argument(std::string(what) + " has no value"));
    return false;
  }
  auto is_bool = value.dtype() == DType::boolean && value.shape().is_compatible_with(Shape());
  if (is_bool) return true;
  builder.fail(invalid_argument(
                   std::string(what) + " must be a bool scalar, not " + to_string(value.dtype()) +
                   value.shape().to_string())
                   .at({.node = value.node_name()}));
  return false;
}

}  // namespace

Conditional::Conditional(const Builder& builder, const Value& predicate)
    : builder_(builder), before_(builder.contexts().current()) {
  if (!check_predicate(builder_, predicate, "the predicate of a conditional")) return;
  auto id = builder_.named("pred_id").op("Identity", {predicate});
  if (!id.is_valid()) return;
  predicate_ = id.output();
  switch_ = builder_.add_in(before_, "Switch", {predicate_, predicate_}).output().node;
}

Conditional::~Conditional() { builder_.contexts().set_current(before_); }

void Conditional::begin(bool branch) {
  if (switch_ < 0) return;
  auto& contexts = builder_.contexts();
  context_ = contexts.add(
      {.parent = before_, .is_loop = false, .predicate = predicate_, .branch = branch ? 1 : 0});
  auto pivot = builder_.named(branch ? "switch_t" : "switch_f")
                   .add_in(context_, "Identity", {{switch_, branch ? 1 : 0}});
  contexts.at(context_).pivot = pivot.output().node;
  contexts.set_current(context_);
}

Value Conditional::pivot() const {
  if (context_ < 0) return {};
  return builder_.value({builder_.contexts().at(context_).pivot, 0});
}

void Conditional::end(const Values& results) {
  if (context_ < 0) return;
  auto& of_branch = results_[builder_.contexts().at(context_).branch];
  for (const auto& result : results) {
    auto inside = builder_.op("Identity", {result});
    if (inside.is_valid()) of_branch.push_back(inside.output());
  }
  builder_.contexts().set_current(before_);
  context_ = -1;
}

Values Conditional::merge() {
  if (!builder_.status().ok()) return {};
  if (results_[0].size() != results_[1].size()) {
    builder_.fail(invalid_argument(
        "the branches of a conditional must have as many results, but true has " +
        std::to_string(results_[1].size()) + " and false " + std::to_string(results_[0].size())));
    return {};
  }
  Values merged;
  for (size_t i = 0; i < results_[0].size(); ++i)
    merged.push_back(builder_.add_in(before_, loops::merge, {results_[0][i], results_[1][i]}));
  return merged;
}

Values cond(
    const Builder& builder, const Value& predicate,
    const std::function<Values(const Builder&)>& then_branch,
    const std::function<Values(const Builder&)>& else_branch) {
  auto inner = builder.scope("cond");
  Conditional conditional(inner, predicate);
  conditional.begin(true);
  conditional.end(then_branch(inner));
  conditional.begin(false);
  conditional.end(else_branch(inner));
  return conditional.merge();
}

WhileLoop::WhileLoop(const Builder& builder, const Values& initial, const WhileOptions& options)
    : builder_(builder), before_(builder.contexts().current()) {
  auto& contexts = builder_.contexts();
  if (initial.empty()) builder_.fail(invalid_argument("a loop needs a variable"));
  if (!options.shape_invariants.empty() && options.shape_invariants.size() != initial.size())
    builder_.fail(invalid_argument("a loop takes as many shape_invariants as variables"));
  if (options.parallel_iterations < 1)
    builder_.fail(invalid_argument("parallel_iterations must be at least 1"));
  if (!builder_.status().ok()) return;
  context_ = contexts.add(
      {.parent = before_,
       .is_loop = true,
       .frame = builder_.prefix() + "while_context_" + std::to_string(contexts.size()),
       .parallel_iterations = options.parallel_iterations});
  for (size_t i = 0; i < initial.size() && builder_.status().ok(); ++i)
    begin_variable(
        initial[i],
        options.shape_invariants.empty() ? initial[i].shape() : options.shape_invariants[i]);
  if (builder_.status().ok()) {
    contexts.at(context_).pivot = nodes_[0].merge.node;
    contexts.set_current(context_);
  } else {
    abandon();
  }
}

void WhileLoop::begin_variable(const Value& initial, const Shape& shape) {
  if (!initial.is_valid()) return builder_.fail(invalid_argument("a loop's variable has no value"));
  if (!initial.shape().is_compatible_with(shape))
    return builder_.fail(invalid_argument(
                             "a variable of a loop begins with the shape " +
                             initial.shape().to_string() + ", which its invariant " +
                             shape.to_string() + " does not allow")
                             .at({.node = initial.node_name()}));
  auto outside = import_value(builder_, initial.output(), before_);
  if (!outside) return builder_.fail(outside.status());
  const auto& loop = builder_.contexts().at(context_);
  LoopVariable variable;
  variable.enter =
      builder_
          .add_in(
              context_, loops::enter, {*outside},
              {{"frame_name", loop.frame}, {"parallel_iterations", loop.parallel_iterations}})
          .output();
  if (!builder_.status().ok()) return;
  auto [merge, next] = builder_.add_loop_merge(context_, variable.enter, shape);
  variable.merge = merge.output();
  nodes_.push_back(variable);
  next_names_.push_back(std::move(next));
  variables_.push_back(merge);
}

void WhileLoop::abandon() {
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].next.node < 0)
      nodes_[i].next =
          builder_.add_next_iteration(context_, next_names_[i], nodes_[i].enter).output();
  builder_.contexts().set_current(before_);
}

void WhileLoop::begin_body(const Value& condition) {
  if (!builder_.status().ok()) return;
  if (!check_predicate(builder_, condition, "the condition of a loop")) return;
  auto& contexts = builder_.contexts();
  auto goes_on = builder_.op(loops::loop_cond, {condition});
  if (!goes_on.is_valid()) return;
  contexts.at(context_).condition = goes_on.output().node;
  variables_.clear();
  for (auto& variable : nodes_) {
    auto chosen =
        builder_.add_in(context_, "Switch", {variable.merge, goes_on.output()}).output().node;
    variable.exit = builder_.add_in(before_, loops::exit, {{chosen, 0}}).output();
    variables_.push_back(builder_.add_in(context_, "Identity", {{chosen, 1}}));
    variable.body = variables_.back().output();
  }
  contexts.at(context_).pivot = nodes_[0].body.node;
}

Values WhileLoop::end(const Values& results) {
  if (!builder_.status().ok() || context_ < 0) return {};
  auto& contexts = builder_.contexts();
  if (results.size() != nodes_.size())
    builder_.fail(invalid_argument(
        "the body of a loop must give as many values as the loop has variables: " +
        std::to_string(nodes_.size()) + ", not " + std::to_string(results.size())));
  for (size_t i = 0; i < results.size() && builder_.status().ok(); ++i) {
    if (!results[i].is_valid()) return {};
    // What comes from outside is there once more when the loop has ended: it must not go round.
    auto is_inside = contexts.of(results[i].output().node) == context_;
    auto result = is_inside ? results[i] : builder_.op("Identity", {results[i]});
    if (!result.is_valid()) return {};
    nodes_[i].next =
        builder_.add_next_iteration(context_, next_names_[i], result.output()).output();
  }
  contexts.at(context_).variables = nodes_;
  contexts.set_current(before_);
  Values exits;
  if (builder_.status().ok())
    for (const auto& variable : nodes_) exits.push_back(builder_.value(variable.exit));
  return exits;
}

Values while_loop(
    const Builder& builder, const std::function<Value(const Builder&, const Values&)>& condition,
    const std::function<Values(const Builder&, const Values&)>& body, const Values& initial,
    const WhileOptions& options) {
  auto inner = builder.scope("while");
  WhileLoop loop(inner, initial, options);
  if (!inner.status().ok()) return {};
  loop.begin_body(condition(inner, loop.variables()));
  if (!inner.status().ok()) return {};
  return loop.end(body(inner, loop.variables()));
}

}  // namespace troupe
