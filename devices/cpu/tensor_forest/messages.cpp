#include "troupe/devices/cpu/tensor_forest/messages.hpp"

#include "troupe/devices/cpu/parsing/message_fields.hpp"

namespace troupe::cpu {

// What each message has, in the order of the numbers: for reading and for writing.
template <class Io>
void fields(Io& io, typename Io::template Of<forest::Any>& any) {
  io.text(1, any.type_url);
  io.text(2, any.value);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::WrappedInt>& wrapped) {
  io.integer(1, wrapped.value);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::WrappedText>& wrapped) {
  io.text(1, wrapped.value);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::Value>& value) {
  io.template alternative<float>(1, value.held);
  io.template alternative<double>(2, value.held);
  io.template alternative<int32_t>(3, value.held);
  io.template alternative<int64_t>(4, value.held);
  io.template alternative<forest::Value::Custom>(5, value.held);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::Vector>& vector) {
  io.repeated(1, vector.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::SparseVector>& vector) {
  io.map(1, vector.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::Leaf>& leaf) {
  io.template alternative<forest::Vector>(1, leaf.values);
  io.template alternative<forest::SparseVector>(2, leaf.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::FeatureId>& feature) {
  io.optional(1, feature.id);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::ObliqueFeatures>& oblique) {
  io.repeated(1, oblique.features);
  io.reals(2, oblique.weights);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::InequalityTest>& test) {
  io.template alternative<forest::FeatureId>(1, test.features);
  io.integer(2, test.type);
  io.optional(3, test.threshold);
  io.template alternative<forest::ObliqueFeatures>(4, test.features);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::MatchingValuesTest>& test) {
  io.optional(1, test.feature_id);
  io.repeated(2, test.values);
  io.integer(3, test.inverse);
}

constexpr const char* matching_values_url =
    "type.googleapis.com/tensorflow.decision_trees.MatchingValuesTest";

using Test = decltype(forest::BinaryNode::test);

/// A custom test is an Any, in which there may be one that we know.
inline void custom_test(MessageWriter& writer, const Test& test) {
  auto* matching = std::get_if<forest::MatchingValuesTest>(&test);
  if (matching)
    writer.message(5, forest::Any{matching_values_url, MessageWriter::bytes_of(*matching)});
  else writer.alternative<forest::Any>(5, test);
}
inline void custom_test(FieldReader& reader, Test& test) {
  Test read;
  reader.alternative<forest::Any>(5, read);
  auto* any = std::get_if<forest::Any>(&read);
  if (!any) return;
  forest::MatchingValuesTest matching;
  if (any->type_url == matching_values_url && read_message(any->value, matching))
    test = std::move(matching);
  else test = std::move(*any);
}

template <class Io>
void fields(Io& io, typename Io::template Of<forest::BinaryNode>& node) {
  io.optional(1, node.left_child_id);
  io.optional(2, node.right_child_id);
  io.integer(3, node.default_direction);
  io.template alternative<forest::InequalityTest>(4, node.test);
  custom_test(io, node.test);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::TreeNode>& node) {
  io.optional(1, node.node_id);
  io.optional(2, node.depth);
  io.optional(3, node.subtree_size);
  io.template alternative<forest::BinaryNode>(4, node.content);
  io.template alternative<forest::Leaf>(5, node.content);
  io.template alternative<forest::Any>(6, node.content);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::DecisionTree>& tree) {
  io.repeated(1, tree.nodes);
}

inline void other_models(MessageWriter&, const forest::Model&) {}
inline void other_models(FieldReader& reader, forest::Model& model) {
  if (reader.was_taken()) return;
  // A model that is an ensemble, or custom, is no tree.
  std::string ignored;
  for (uint64_t number : {2, 3}) reader.text(number, ignored);
  if (reader.was_taken()) model.tree = {};
}

template <class Io>
void fields(Io& io, typename Io::template Of<forest::Model>& model) {
  io.message(1, model.tree);
  other_models(io, model);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::TreePath>& path) {
  io.repeated(1, path.nodes_visited);
}

template <class Io>
void fields(Io& io, typename Io::template Of<forest::GiniStats>& gini) {
  io.real(2, gini.square);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::ClassificationStat>& stat) {
  io.template alternative<forest::Vector>(1, stat.counts);
  io.template alternative<forest::SparseVector>(2, stat.counts);
  io.optional(3, stat.gini);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::RegressionStat>& stat) {
  io.optional(1, stat.mean_output);
  io.optional(2, stat.mean_output_squares);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::LeafStat>& stat) {
  io.template alternative<forest::ClassificationStat>(1, stat.stat);
  io.template alternative<forest::RegressionStat>(2, stat.stat);
  io.real(3, stat.weight_sum);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::SplitCandidate>& candidate) {
  io.optional(1, candidate.split);
  io.optional(4, candidate.left_stats);
  io.optional(5, candidate.right_stats);
  io.text(6, candidate.unique_id);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::FertileSlot>& slot) {
  io.repeated(1, slot.candidates);
  io.optional(4, slot.leaf_stats);
  io.integer(5, slot.node_id);
  io.optional(6, slot.post_init_leaf_stats);
  io.integer(7, slot.depth);
}
template <class Io>
void fields(Io& io, typename Io::template Of<forest::FertileStats>& stats) {
  io.repeated(1, stats.node_to_slot);
}

std::string serialize(const forest::Model& model) { return MessageWriter::bytes_of(model); }
std::string serialize(const forest::FertileStats& stats) { return MessageWriter::bytes_of(stats); }
std::string serialize(const forest::TreePath& path) { return MessageWriter::bytes_of(path); }

std::optional<forest::Model> parse_model(std::string_view bytes) {
  forest::Model model;
  if (!read_message(bytes, model)) return {};
  return model;
}

std::optional<forest::FertileStats> parse_fertile_stats(std::string_view bytes) {
  forest::FertileStats stats;
  if (!read_message(bytes, stats)) return {};
  return stats;
}

}  // namespace troupe::cpu
