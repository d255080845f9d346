#include <random>

#include "troupe/devices/cpu/learning/boosted_trees_messages.hpp"
#include "troupe/tests/devices/cpu/learning/tree_fixture.hpp"

namespace troupe::testing {
namespace {

TreeNode leaf(float value) {
  TreeNode node;
  node.content = TreeLeaf{{}, value};
  return node;
}
TreeNode split(int32_t feature, int32_t threshold, TreeBranches branches, float gain = 0) {
  TreeNode node;
  node.content = BucketizedSplit{feature, threshold, branches};
  node.metadata = TreeNodeMetadata{gain, {}};
  return node;
}

/// An ensemble of one tree.
TreeEnsemble of_nodes(std::vector<TreeNode> nodes) {
  TreeEnsemble ensemble;
  ensemble.trees.push_back({std::move(nodes)});
  ensemble.tree_weights = {1};
  ensemble.tree_metadata.resize(1);
  return ensemble;
}

struct CorruptFixture : TreeFixture {
  std::string predict_with(const TreeEnsemble& ensemble_value) {
    create("");
    auto error = deserialize(cpu::serialize_ensemble(ensemble_value));
    return error.empty() ? predict() : error;
  }
};

/// Bytes of which some are others, or missing.
std::string disturbed(std::string bytes, std::mt19937& random) {
  auto below = [&](size_t count) { return random() % count; };
  for (auto changes = 1 + below(2); changes > 0 && !bytes.empty(); --changes) {
    auto at = below(bytes.size());
    constexpr unsigned char values[] = {0, 1, 2, 3, 5, 8, 0x10, 0x7f, 0x80, 0xff};
    switch (below(4)) {
      case 0: bytes.erase(at, 1 + below(4)); break;
      case 1: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(8))); break;
      default: bytes[at] = static_cast<char>(values[below(std::size(values))]);
    }
  }
  return bytes;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(boosted_trees_corrupt, CorruptFixture)

BOOST_AUTO_TEST_CASE(splits_that_lead_nowhere_are_errors) {
  BOOST_TEST(
      predict_with(of_nodes({split(1, 4, {1, 2}), leaf(1)})) ==
      "InvalidArgument: a split leads to node 2, but its tree has 2 nodes");
  BOOST_TEST(
      predict_with(of_nodes({split(1, 4, {-1, -1})})) ==
      "InvalidArgument: a split leads to node -1, but its tree has 1 nodes");
  BOOST_TEST(
      predict_with(of_nodes({split(1, 4, {0, 0})})) ==
      "InvalidArgument: the splits of a tree lead round in a circle");
  for (int32_t feature : {-1, 2})
    BOOST_TEST(
        predict_with(of_nodes({split(feature, 4, {1, 1}), leaf(1)})) ==
        "InvalidArgument: a split asks for feature " + std::to_string(feature) +
            ", but there are 2");
  BOOST_TEST(
      predict_with(of_nodes({TreeNode{}})) ==
      "InvalidArgument: node 0 of a tree is no leaf and no split");
  TreeNode dense;
  dense.content = DenseSplit{0, 1, {1, 1}};
  BOOST_TEST(predict_with(of_nodes({dense, leaf(1)})).starts_with("InvalidArgument: node 0"));
}

BOOST_AUTO_TEST_CASE(trees_without_nodes_or_weights_are_errors) {
  BOOST_TEST(
      predict_with(of_nodes({})) == "InvalidArgument: the ensemble has a tree without nodes");
  auto ensemble = of_nodes({leaf(1)});
  ensemble.tree_weights.clear();
  BOOST_TEST(predict_with(ensemble) == "InvalidArgument: the ensemble has 1 trees, but 0 weights");
  BOOST_TEST(states().starts_with("InvalidArgument: the ensemble has 1 trees, but 0 weights and"));
  BOOST_TEST(update({{0}, {1}, {4}, {2}, {-2}}).starts_with("InvalidArgument: the ensemble has"));
}

BOOST_AUTO_TEST_CASE(trees_that_cannot_be_pruned_are_errors) {
  // A branch that two splits share, and one that comes before its split.
  for (TreeBranches branches : {TreeBranches{1, 1}, TreeBranches{0, 1}}) {
    create("");
    deserialize(cpu::serialize_ensemble(of_nodes({split(1, 4, branches, -1), leaf(1), leaf(2)})));
    BOOST_TEST(update({{2}, {1}, {4}, {2}, {-2}, 1, 2})
                   .starts_with("InvalidArgument: a split leads to node"));
  }
}

BOOST_AUTO_TEST_CASE(vectors_of_leaves_have_a_value_for_each_logit) {
  TreeNode node;
  node.content = TreeLeaf{LeafVector{{1, 2}}, 0};
  create("");
  deserialize(cpu::serialize_ensemble(of_nodes({node})));
  BOOST_TEST(predict(2) == "float32[4,2] [1 2 1 2 1 2 1 2]");
  BOOST_TEST(predict(1).starts_with("Internal: a node of a tree has 2 values"));
  BOOST_TEST(explain().starts_with("Internal: "));
}

BOOST_AUTO_TEST_CASE(corrupt_bytes_end_in_errors_or_in_results) {
  std::mt19937 random(7);
  int parsed = 0, failed = 0;
  for (int round = 0; round < 3000; ++round) {
    auto layers = round % 3 == 0 ? first_layer : round % 3 == 1 ? pruned_layers : biased_layer;
    auto text = disturbed(bytes(layers), random);
    auto ensemble_value = cpu::parse_ensemble(text);
    if (!ensemble_value) continue;
    ++parsed;
    // What is written of it is read as the same.
    auto again = cpu::serialize_ensemble(*ensemble_value);
    auto reread = cpu::parse_ensemble(again);
    BOOST_TEST_REQUIRE(reread.has_value());
    BOOST_TEST(cpu::serialize_ensemble(*reread) == again);
    TreeFixture trees;
    BOOST_TEST(trees.create(text) == "");
    std::ignore = trees.states();
    failed += trees.predict().starts_with("float32") ? 0 : 1;
    std::ignore = trees.explain();
    std::ignore = trees.training_predict(vec<int32_t>({0, 0, 0, 0}), vec<int32_t>({3, 1, 0, -1}));
    std::ignore = trees.update({{0}, {-1}, {4}, {2}, {-2}, 1, 2});
    std::ignore = trees.update({{1, 2}, {-1, 1}, {4, 4}, {2, 2}, {-2, -2}, 1, 2});
    std::ignore = trees.predict();
  }
  BOOST_TEST(parsed > 500);
  BOOST_TEST(failed > 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
