#pragma once

#include <vector>

#include "troupe/graph/builder.hpp"

namespace troupe {

/// What an op's gradient function sees: the node, the gradients that arrived at its outputs, and a
/// builder for the nodes of the answer (which wish for the device of the forward node).
class Gradient : public Builder {
 public:
  Gradient(
      Builder builder, const Node& node, Values inputs, Values outputs, Values arrived,
      std::vector<bool> wanted)
      : Builder(std::move(builder)),
        node_(node),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        arrived_(std::move(arrived)),
        wanted_(std::move(wanted)),
        answers_(inputs_.size()) {}

  const Node& node() const { return node_; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  const Value& in(int index) const { return inputs_[static_cast<size_t>(index)]; }
  const Value& out(int index) const { return outputs_[static_cast<size_t>(index)]; }
  /// The gradient of the ys with respect to that output; zeros if none arrived.
  Value dy(int index = 0);
  /// True when a gradient arrived at that output.
  bool has_dy(int index) const { return arrived_[static_cast<size_t>(index)].is_valid(); }

  /// True when the gradient with respect to that input leads on to an x; making it for another
  /// input is allowed, but adds nodes that nobody needs.
  bool wants(int index) const { return wanted_[static_cast<size_t>(index)]; }
  /// The value of an int32 or int64 input, if it is known before any step.
  std::optional<std::vector<int64_t>> constant_ints(int input) const;

  /// Sums `gradient`, which has the shape of output 0, down to the shape of that input, which was
  /// broadcast to it. Adds no node where the static shapes show that none is needed.
  Value sum_to_shape_of(int input, const Value& gradient);
  /// Reshapes `gradient`, which has as many elements, to the shape of that input.
  Value reshape_to_shape_of(int input, const Value& gradient);

  /// Sets the gradient with respect to an input; an input left out has none.
  void to_input(int index, Value gradient) { answers_[static_cast<size_t>(index)] = gradient; }
  /// As to_input, for an operand of a broadcasting op: sums down to its shape first.
  void to_operand(int index, const Value& gradient) {
    if (wants(index)) to_input(index, sum_to_shape_of(index, gradient));
  }
  const Values& answers() const { return answers_; }

 private:
  const Node& node_;
  Values inputs_;
  Values outputs_;
  Values arrived_;
  std::vector<bool> wanted_;
  Values answers_;
};

/// The gradient of an op that passes none on, such as Shape and Equal.
inline void not_differentiable(Gradient&) {}

struct GradientOptions {
  /// What arrives at each y; empty: ones.
  Values arriving = {};
  /// An x that the ys do not depend on has an invalid Value for a gradient, which is no error.
  bool allow_unconnected = false;
};

/// Adds the nodes that compute the derivatives of sum(ys) with respect to each x, as tf.gradients.
/// The derivatives have the dtypes and shapes of the xs; where an x is the handle of a variable, of
/// its value, through all reads of it. Fails with InvalidArgument, naming the node, where an op on
/// a path from an x to a y has no gradient or no path exists at all.
Result<Values> gradients(
    const Builder& builder, const Values& ys, const Values& xs,
    const GradientOptions& options = {});

}  // namespace troupe
