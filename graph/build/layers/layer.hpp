#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/build/initializers.hpp"
#include "troupe/graph/build/operand.hpp"

/// Layers in the functions of tf.layers, with its names and defaults. A layer makes variables with
/// the names that TensorFlow gives them ("dense/kernel"), so checkpoints can be exchanged.
namespace troupe::layers {

/// What a layer has made. It stands for its output wherever a Value is wanted.
struct Layer {
  Value output;
  std::vector<Variable> variables = {};
  Values updates = {};  // targets that a step of training has to run, such as moving averages

  operator Value() const { return output; }
};

/// What all layers with variables have among their options.
struct LayerScope {
  /// The scope of its nodes and variables; "": the kind of the layer, made unique. AlreadyExists
  /// where variables have those names.
  std::string name = "";
  /// If false, no gradient passes to its variables.
  bool trainable = true;
  /// Makes the variables on its device and in its container; none: the layer's builder.
  std::optional<Builder> variables = {};
};

/// One variable of a layer.
struct Weight {
  const char* name;
  Shape shape;
  DType dtype;
  Initializer initializer;
  bool trainable = true;
};

/// The builder of a layer, and the variables that it has made so far.
class LayerBuilder {
 public:
  LayerBuilder(const Builder& builder, const char* kind, const LayerScope& scope = {});

  /// Adds nodes in the layer's scope.
  const Builder& nodes() const { return nodes_; }
  /// Makes a variable.
  Variable add(const Weight& weight);
  /// Makes a variable, and reads it. One that is not trainable passes no gradient.
  Value add_and_read(const Weight& weight);
  Layer finish(const Value& output, Values updates = {}) const;
  /// Records an error; the layer has no output.
  Layer fail(Status status) const;

 private:
  LayerScope scope_;
  Builder nodes_;
  std::vector<Variable> variables_;
};

/// One of two results, by a number or by a bool of each step, which then computes both.
Value if_training(
    const Builder& builder, const Operand& training, const std::function<Value()>& one,
    const std::function<Value()>& other);

}  // namespace troupe::layers
