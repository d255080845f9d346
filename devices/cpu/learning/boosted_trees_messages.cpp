#include "troupe/devices/cpu/learning/boosted_trees_messages.hpp"

#include "troupe/devices/cpu/parsing/message_fields.hpp"

namespace troupe::cpu {

// What each message has, in the order of the numbers: for reading and for writing.
template <class Io>
void fields(Io& io, typename Io::template Of<LeafVector>& vector) {
  io.reals(1, vector.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<LeafSparseVector>& vector) {
  io.integers(1, vector.indices);
  io.reals(2, vector.values);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeLeaf>& leaf) {
  io.template alternative<LeafVector>(1, leaf.values);
  io.template alternative<LeafSparseVector>(2, leaf.values);
  io.real(3, leaf.scalar);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeBranches>& branches) {
  io.integer(3, branches.left);
  io.integer(4, branches.right);
}
template <class Io>
void fields(Io& io, typename Io::template Of<BucketizedSplit>& split) {
  io.integer(1, split.feature_id);
  io.integer(2, split.threshold);
  fields(io, split.branches);
  io.integer(5, split.dimension_id);
  io.integer(6, split.default_direction);
}
template <class Io>
void fields(Io& io, typename Io::template Of<CategoricalSplit>& split) {
  io.integer(1, split.feature_id);
  io.integer(2, split.value);
  fields(io, split.branches);
  io.integer(5, split.dimension_id);
}
template <class Io>
void fields(Io& io, typename Io::template Of<DenseSplit>& split) {
  io.integer(1, split.feature_id);
  io.real(2, split.threshold);
  fields(io, split.branches);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeNodeMetadata>& metadata) {
  io.real(1, metadata.gain);
  io.optional(2, metadata.original_leaf);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeNode>& node) {
  io.template alternative<TreeLeaf>(1, node.content);
  io.template alternative<BucketizedSplit>(2, node.content);
  io.template alternative<CategoricalSplit>(3, node.content);
  io.template alternative<DenseSplit>(4, node.content);
  io.optional(777, node.metadata);
}
template <class Io>
void fields(Io& io, typename Io::template Of<Tree>& tree) {
  io.repeated(1, tree.nodes);
}
template <class Io>
void fields(Io& io, typename Io::template Of<PrunedNode>& node) {
  io.integer(1, node.new_node_id);
  io.reals(2, node.logit_change);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeMetadata>& metadata) {
  io.integer(2, metadata.num_layers_grown);
  io.integer(3, metadata.is_finalized);
  io.repeated(4, metadata.post_pruned_nodes);
}
template <class Io>
void fields(Io& io, typename Io::template Of<GrowingMetadata>& metadata) {
  io.integer(1, metadata.num_trees_attempted);
  io.integer(2, metadata.num_layers_attempted);
  io.integer(3, metadata.last_layer_node_start);
  io.integer(4, metadata.last_layer_node_end);
}
template <class Io>
void fields(Io& io, typename Io::template Of<TreeEnsemble>& ensemble) {
  io.repeated(1, ensemble.trees);
  io.reals(2, ensemble.tree_weights);
  io.repeated(3, ensemble.tree_metadata);
  io.optional(4, ensemble.growing_metadata);
}

std::string serialize_ensemble(const TreeEnsemble& ensemble) {
  MessageWriter writer;
  fields(writer, ensemble);
  return writer.take();
}

std::optional<TreeEnsemble> parse_ensemble(std::string_view bytes) {
  TreeEnsemble ensemble;
  if (!read_message(bytes, ensemble)) return {};
  return ensemble;
}

std::string serialize_debug_output(const DebugOutput& output) {
  MessageWriter writer;
  writer.integers(1, output.feature_ids);
  writer.reals(2, output.logits_path);
  return writer.take();
}

}  // namespace troupe::cpu
