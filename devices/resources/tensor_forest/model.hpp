#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// Values with the fields of TensorFlow's decision_trees.Model. They may come from a file, so ids
// may lead anywhere, and lists may have any length. `rest` is what else a message has, as bytes.

namespace troupe::forest {

/// google.protobuf.Any: the bytes of a message, and which message it is.
struct Any {
  std::string type_url;
  std::string value;
};

// google.protobuf.Int32Value and StringValue: what tells a value that is not there from a 0.
struct WrappedInt {
  int32_t value = 0;
};
struct WrappedText {
  std::string value;
};

/// A number, of which trees use those that are float32.
struct Value {
  using Custom = std::shared_ptr<const std::string>;  // the bytes of an Any
  std::variant<std::monostate, float, double, int32_t, int64_t, Custom> held;

  /// 0 where it is none.
  float real() const {
    auto* found = std::get_if<float>(&held);
    return found ? *found : 0;
  }
};

struct Vector {
  std::vector<Value> values;
};
struct SparseVector {
  std::map<int64_t, Value> values;
};
/// What a leaf predicts: weights of classes, or means.
struct Leaf {
  std::variant<std::monostate, Vector, SparseVector> values;
  std::string rest;
};

struct FeatureId {
  std::optional<WrappedText> id;
  std::string rest;

  static FeatureId of(int32_t feature) { return {WrappedText{std::to_string(feature)}, {}}; }
};
/// A weighted sum of features.
struct ObliqueFeatures {
  std::vector<FeatureId> features;
  std::vector<float> weights;
};
/// Whether a feature, or a sum of some, is below a threshold, or above.
struct InequalityTest {
  enum Type : int32_t { less_or_equal = 0, less = 1, greater_or_equal = 2, greater = 3 };

  std::variant<std::monostate, FeatureId, ObliqueFeatures> features;
  int32_t type = less_or_equal;
  std::optional<Value> threshold;
};
/// Whether a feature is one of some values. In the message it is an Any.
struct MatchingValuesTest {
  std::optional<FeatureId> feature_id;
  std::vector<Value> values;
  bool inverse = false;
};

/// A node with two branches: examples that pass the test go to the left.
struct BinaryNode {
  std::optional<WrappedInt> left_child_id;
  std::optional<WrappedInt> right_child_id;
  int32_t default_direction = 0;
  std::variant<std::monostate, InequalityTest, MatchingValuesTest, Any> test;
};
struct TreeNode {
  std::optional<WrappedInt> node_id;
  std::optional<WrappedInt> depth;
  std::optional<WrappedInt> subtree_size;
  std::variant<std::monostate, BinaryNode, Leaf, Any> content;
  std::string rest;
};
/// Node 0 is the root.
struct DecisionTree {
  std::vector<TreeNode> nodes;
  std::string rest;
};
/// A model that is no tree is kept by no field: `rest` has none of it.
struct Model {
  DecisionTree tree;
  std::string rest;
};

/// The nodes on the way of an example.
struct TreePath {
  std::vector<TreeNode> nodes_visited;
};

}  // namespace troupe::forest
