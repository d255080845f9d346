#pragma once

#include <functional>
#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// A gradient that is zero but for some rows, as tf.IndexedSlices: `values[i]` belongs to row
/// `indices[i]` of a tensor of the shape `dense_shape`. Rows that are named twice add up.
struct IndexedSlices {
  Value values;
  Value indices;      // a vector, int32 or int64
  Value dense_shape;  // a vector, int32 or int64
};

/// A gradient: a tensor, or the rows that are not zero; neither where there is none.
struct GradientValue {
  Value tensor = {};
  std::optional<IndexedSlices> rows = {};

  bool is_valid() const { return tensor.is_valid() || rows.has_value(); }
};

/// The tensor that the rows are of.
Value to_tensor(const Builder& builder, const IndexedSlices& rows);

/// What an op's gradient function sees: the node, the gradients with respect to its outputs, and a
/// builder for the nodes of the result, which have the device constraint of the forward node.
class Gradient : public Builder {
 public:
  Gradient(
      Builder builder, const Node& node, Values inputs, Values outputs,
      std::vector<GradientValue> output_gradients, std::vector<bool> needs_gradient)
      : Builder(std::move(builder)),
        node_(node),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        output_gradients_(std::move(output_gradients)),
        needs_gradient_(std::move(needs_gradient)),
        input_gradients_(inputs_.size()) {}

  const Node& node() const { return node_; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  const Value& in(int index) const { return inputs_[static_cast<size_t>(index)]; }
  const Value& out(int index) const { return outputs_[static_cast<size_t>(index)]; }
  /// The gradient of the ys with respect to that output; zeros if there is none.
  Value dy(int index = 0);
  /// True if there is a gradient with respect to that output.
  bool has_dy(int index) const { return output_gradients_[static_cast<size_t>(index)].is_valid(); }

  /// True if some x depends on the gradient with respect to that input. Setting it for another
  /// input is allowed, but adds unused nodes.
  bool wants(int index) const { return needs_gradient_[static_cast<size_t>(index)]; }
  /// The value of an int32 or int64 input, if it is known before any step.
  std::optional<std::vector<int64_t>> constant_ints(int input) const;

  /// Sums `gradient`, which has the shape of output 0, down to the shape of that input, which was
  /// broadcast to it. Adds no node where the static shapes show that none is needed.
  Value sum_to_shape_of(int input, const Value& gradient);
  /// Reshapes `gradient`, which has as many elements, to the shape of that input.
  Value reshape_to_shape_of(int input, const Value& gradient);

  /// Sets the gradient with respect to an input; an input left out has none.
  void to_input(int index, Value gradient) {
    input_gradients_[static_cast<size_t>(index)] = {.tensor = std::move(gradient)};
  }
  void to_input(int index, IndexedSlices rows) {
    input_gradients_[static_cast<size_t>(index)] = {.rows = std::move(rows)};
  }
  /// The gradient of an output is that of the input, rows stay rows.
  void pass_on(int input, int output = 0);
  /// As to_input, for an operand of a broadcasting op: sums down to its shape first.
  void to_operand(int index, const Value& gradient) {
    if (wants(index)) to_input(index, sum_to_shape_of(index, gradient));
  }
  const std::vector<GradientValue>& input_gradients() const { return input_gradients_; }

 private:
  /// The shape of that input for Reshape, with at most one size that is left to it.
  Value sizes_of(int input);

  const Node& node_;
  Values inputs_;
  Values outputs_;
  std::vector<GradientValue> output_gradients_;
  std::vector<bool> needs_gradient_;
  std::vector<GradientValue> input_gradients_;
};

/// The gradient of an op that passes none on, such as Shape and Equal.
inline void not_differentiable(Gradient&) {}

struct GradientOptions {
  /// Of the nodes: the name of a scope, which is made unique; of one that is, with a "/" at its
  /// end.
  std::string scope = "gradients";
  /// The gradient with respect to each y, as in tf.gradients; empty: ones.
  Values grad_ys = {};
  /// Nothing passes through the nodes of these, as in tf.gradients; an x among them has a gradient.
  Values stop_gradients = {};
  /// If true, the gradient of an x that the ys do not depend on is an invalid Value; else it is an
  /// error.
  bool allow_unconnected = false;
  /// Asked for each node before its op: true if it has set the gradients of the node's inputs.
  std::function<bool(Gradient&)> function = {};
};

/// Adds the nodes that compute the derivatives of sum(ys) with respect to each x, as tf.gradients.
/// The derivatives have the dtypes and shapes of the xs; where an x is the handle of a variable, of
/// its value, through all reads of it. Fails with InvalidArgument, naming the node, where an op on
/// a path from an x to a y has no gradient or no path exists at all.
Result<Values> gradients(
    const Builder& builder, const Values& ys, const Values& xs,
    const GradientOptions& options = {});

/// As gradients(), with rows where the gradient is one of rows.
Result<std::vector<GradientValue>> sparse_gradients(
    const Builder& builder, const Values& ys, const Values& xs,
    const GradientOptions& options = {});

}  // namespace troupe
