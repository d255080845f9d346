#pragma once

#include <vector>

#include "troupe/graph/builder.hpp"

namespace troupe {

/// What an op's gradient function sees: the node, the gradients that arrived at its outputs, and a
/// builder for the nodes of the answer (which wish for the device of the forward node).
class Gradient : public Builder {
 public:
  Gradient(Builder builder, const Node& node, Values inputs, Values outputs, Values arrived)
      : Builder(std::move(builder)),
        node_(node),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        arrived_(std::move(arrived)),
        answers_(inputs_.size()) {}

  const Node& node() const { return node_; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  const Value& in(int index) const { return inputs_[static_cast<size_t>(index)]; }
  const Value& out(int index) const { return outputs_[static_cast<size_t>(index)]; }
  /// The gradient of the ys with respect to that output; zeros if none arrived.
  Value dy(int index = 0);
  /// True when a gradient arrived at that output.
  bool has_dy(int index) const { return arrived_[static_cast<size_t>(index)].is_valid(); }

  /// Sums `gradient`, of a broadcast result's shape, down to the shape of that input.
  Value sum_to_shape_of(int input, const Value& gradient);

  /// Sets the gradient with respect to an input; an input left out has none.
  void to_input(int index, Value gradient) { answers_[static_cast<size_t>(index)] = gradient; }
  const Values& answers() const { return answers_; }

 private:
  const Node& node_;
  Values inputs_;
  Values outputs_;
  Values arrived_;
  Values answers_;
};

/// Adds the nodes that compute the derivatives of sum(ys) with respect to each x, as tf.gradients.
/// The derivatives have the dtypes and shapes of the xs. Fails with InvalidArgument, naming the
/// node, where an op on a path from an x to a y has no gradient or no path exists at all.
Result<Values> gradients(const Builder& builder, const Values& ys, const Values& xs);

}  // namespace troupe
