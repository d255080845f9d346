#pragma once

#include <functional>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// Adds a conditional step by step, for a caller that cannot do it in functions: begin(true), the
/// nodes of that branch, end() with its results, the same for false, then merge().
class Conditional {
 public:
  /// `predicate` is a bool scalar.
  Conditional(const Builder& builder, const Value& predicate);
  /// Leaves the branch that was begun.
  ~Conditional();
  Conditional(const Conditional&) = delete;

  /// From now on nodes of the graph belong to the branch that the value chooses; what they use from
  /// outside is brought in.
  void begin(bool branch);
  void end(const Values& results);
  /// The results of the branch that is chosen. The builder fails where the branches have other
  /// numbers or dtypes of results.
  Values merge();
  /// A node that runs when the branch that was begun does: a result for one that has none.
  Value pivot() const;
  /// The number of the branch that was begun.
  int context() const { return context_; }

 private:
  Builder builder_;
  Output predicate_;
  NodeId switch_ = -1;
  int before_;  // the context around
  int context_ = -1;
  std::vector<Output> results_[2];
};

/// The results of `then_branch` if `predicate` is true, else those of `else_branch`. Only the nodes
/// of the branch that is chosen run. Both give as many values, of the same dtypes. (tf.cond)
Values cond(
    const Builder& builder, const Value& predicate,
    const std::function<Values(const Builder&)>& then_branch,
    const std::function<Values(const Builder&)>& else_branch);

struct WhileOptions {
  /// How many iterations may run at once, as far as they do not need each other's values.
  int64_t parallel_iterations = 10;
  /// The shapes that the variables have in all iterations; empty: those that they begin with.
  Shapes shape_invariants = {};
};

/// Adds a loop step by step: the condition from variables(), begin_body(), the body from
/// variables(), then end().
class WhileLoop {
 public:
  WhileLoop(const Builder& builder, const Values& initial, const WhileOptions& options);
  /// Leaves the loop; one that has no end becomes one that runs at most once, as no graph may have
  /// loops without end.
  ~WhileLoop() { abandon(); }
  void abandon();
  WhileLoop(const WhileLoop&) = delete;

  /// The variables, as the condition or the body has them.
  const Values& variables() const { return variables_; }
  int context() const { return context_; }
  /// `condition` is a bool scalar: whether there is another iteration.
  void begin_body(const Value& condition);
  /// The variables when the loop has ended; `results` are their values after an iteration. The
  /// builder fails where a dtype or shape is another than that of the variable.
  Values end(const Values& results);

 private:
  void begin_variable(const Value& initial, const Shape& shape);

  Builder builder_;
  int before_;  // the context around
  int context_ = -1;
  Values variables_;
  std::vector<LoopVariable> nodes_;
  std::vector<std::string> next_names_;
};

/// The variables after the loop `while (condition(v)) v = body(v)`, which begins with `initial`.
/// (tf.while_loop)
Values while_loop(
    const Builder& builder, const std::function<Value(const Builder&, const Values&)>& condition,
    const std::function<Values(const Builder&, const Values&)>& body, const Values& initial,
    const WhileOptions& options = {});

}  // namespace troupe
