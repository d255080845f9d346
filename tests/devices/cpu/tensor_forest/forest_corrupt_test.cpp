#include <random>

#include "troupe/devices/cpu/tensor_forest/messages.hpp"
#include "troupe/tests/devices/cpu/tensor_forest/forest_fixture.hpp"

namespace troupe::testing {
namespace {

forest::TreeNode node_of(int32_t id, forest::Leaf leaf) {
  forest::TreeNode node;
  node.node_id = forest::WrappedInt{id};
  node.content = std::move(leaf);
  return node;
}
forest::Leaf leaf_of(std::initializer_list<float> weights) {
  forest::Leaf leaf;
  auto& values = leaf.values.emplace<forest::Vector>().values;
  for (auto weight : weights) values.push_back(forest::Value{weight});
  return leaf;
}
/// A node whose branches are those numbers, and which asks whether a feature is at most 2.
forest::TreeNode split(const std::string& feature, int32_t left, int32_t right, int32_t type = 0) {
  forest::BinaryNode binary;
  binary.left_child_id = forest::WrappedInt{left};
  binary.right_child_id = forest::WrappedInt{right};
  binary.test = forest::InequalityTest{
      forest::FeatureId{forest::WrappedText{feature}, {}}, type, forest::Value{2.0f}};
  forest::TreeNode node;
  node.content = std::move(binary);
  return node;
}

/// Bytes of which some are others, or missing.
std::string disturbed(std::string bytes, std::mt19937& random) {
  auto below = [&](size_t count) { return random() % count; };
  for (auto changes = 1 + below(2); changes > 0 && !bytes.empty(); --changes) {
    auto at = below(bytes.size());
    constexpr unsigned char values[] = {0, 1, 2, 3, 5, 8, 0x10, 0x30, 0x7f, 0x80, 0xff};
    switch (below(4)) {
      case 0: bytes.erase(at, 1 + below(4)); break;
      case 1: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(8))); break;
      default: bytes[at] = static_cast<char>(values[below(std::size(values))]);
    }
  }
  return bytes;
}

struct CorruptForestFixture : ForestFixture {
  std::string predict_with(std::vector<forest::TreeNode> nodes) {
    forest::Model model;
    model.tree.nodes = std::move(nodes);
    create();
    auto error = deserialize_tree(cpu::serialize(model));
    return error.empty() ? predict() : error;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tensor_forest_corrupt, CorruptForestFixture)

BOOST_AUTO_TEST_CASE(splits_that_lead_nowhere_are_errors) {
  auto leaf = leaf_of({1, 3});
  BOOST_TEST(predict_with({split("0", 1, 2), node_of(1, leaf), node_of(2, leaf)})
                 .starts_with("float32[8,2] [0.25 0.75 "));
  BOOST_TEST(
      predict_with({split("0", 1, 2), node_of(1, leaf)}) ==
      "InvalidArgument: there is no node 2 in a tree of 2");
  BOOST_TEST(
      predict_with({split("0", -1, -1)}) == "InvalidArgument: there is no node -1 in a tree of 1");
  BOOST_TEST(
      predict_with({split("0", 1, 1), node_of(9, leaf)}) ==
      "InvalidArgument: there is no node 9 in a tree of 2");
  BOOST_TEST(
      predict_with({split("0", 0, 0)}) ==
      "InvalidArgument: the splits of a tree lead round in a circle");
  BOOST_TEST(
      predict_with({forest::TreeNode{}}) ==
      "InvalidArgument: node 0 of a tree is no leaf and no split");
}

BOOST_AUTO_TEST_CASE(tests_that_are_none_are_errors) {
  auto leaf = leaf_of({1, 3});
  BOOST_TEST(
      predict_with({split("x", 1, 1), node_of(1, leaf)}) ==
      "InvalidArgument: Invalid feature ID: [x]");
  BOOST_TEST(
      predict_with({split("0", 1, 1, 4), node_of(1, leaf)}) ==
      "InvalidArgument: Unknown split test type: 4");
  for (const auto* feature : {"2", "-1", "2147483647"})
    BOOST_TEST(
        predict_with({split(feature, 1, 1), node_of(1, leaf)}) ==
        "InvalidArgument: node 0 asks for a feature that examples do not have");
  forest::TreeNode node;
  node.content = forest::BinaryNode{};
  BOOST_TEST(predict_with({node}) == "InvalidArgument: Unknown split test");
}

BOOST_AUTO_TEST_CASE(leaves_have_a_value_for_each_output) {
  BOOST_TEST(
      predict_with({node_of(0, leaf_of({1}))}) ==
      "InvalidArgument: a leaf has 1 values, but there are 2 outputs");
  BOOST_TEST(
      update(vec<int32_t>({0}), vec({1}), vec({})) ==
      "InvalidArgument: a leaf has no weight of class 1");
}

BOOST_AUTO_TEST_CASE(examples_that_do_not_fit_are_errors) {
  create();
  auto leaves = vec<int32_t>({0, 0, 0, 0, 0, 0, 0, 0});
  auto labels = vec({0, 1, 0, 1, 1, 0, 1, 0});
  auto nan = std::numeric_limits<float>::quiet_NaN();
  for (auto label : {2.0f, -1.0f, nan, 1e30f})
    BOOST_TEST(
        update(vec<int32_t>({0}), vec({label}), vec({})).starts_with("InvalidArgument: label "));
  for (int32_t node : {1, -1})
    BOOST_TEST(update(vec<int32_t>({node}), vec({1}), vec({}))
                   .starts_with("InvalidArgument: there is no node "));
  BOOST_TEST(update(vec<int32_t>({0}), vec({1, 1}), vec({})).starts_with("InvalidArgument: "));
  BOOST_TEST(process(vec<int32_t>({0}), labels, vec({})).starts_with("InvalidArgument: "));
  BOOST_TEST(process(leaves, vec({1, 1}), vec({})).starts_with("InvalidArgument: "));
  BOOST_TEST(
      process(vec<int32_t>({0, 0, 7, 0, 0, 0, 0, 0}), labels, vec({})) ==
      "InvalidArgument: there are no statistics of node 7");
  BOOST_TEST(grow(vec<int32_t>({7})) == "InvalidArgument: there are no statistics of node 7");
  BOOST_TEST(grow(vec<int32_t>({0, 1}, {})).starts_with("InvalidArgument: finished_nodes must be"));
  features = vec({8, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  BOOST_TEST(process(leaves, labels, vec({})).starts_with("InvalidArgument: examples have no"));
  BOOST_TEST(serialized_tree() == "0a0a0a082a060a040a000a00");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_no_crash) {
  create();
  auto nan = std::numeric_limits<float>::quiet_NaN();
  features = vec({8, 2}, {nan, 3, 1, -1, 2, nan, nan, nan, 4, 1, 5, -2, 6, 4, 7, -3});
  auto labels = vec({0, 1, 0, 1, 1, 0, 1, 0});
  for (int step = 0; step < 6; ++step) BOOST_TEST(train(labels) == "");
  for (int step = 0; step < 6; ++step)
    BOOST_TEST(train(labels, vec({nan, -1, 1e38f, 0, -1e38f, 2, 3, nan})) == "");
  BOOST_TEST(predict().starts_with("float32[8,2]"));
}

BOOST_AUTO_TEST_CASE(malformed_attributes_are_errors) {
  create();
  for (std::string wrong :
       {"", "dense_features_size: 2", "dense_features_size: x dense: [] sparse: []",
        "dense_features_size: 2 dense: [{name: a b original_type: 0 size: 2}] sparse: []",
        "dense_features_size: 2 dense: [{name: a original_type: 0 size: ?}] sparse: []"}) {
    spec = wrong;
    BOOST_TEST(predict().starts_with("InvalidArgument: input_spec is malformed"));
  }
  params = "\x0a";
  BOOST_TEST(create() == "InvalidArgument: params is no TensorForestParams");
  params = "";
  BOOST_TEST(create().starts_with("InvalidArgument: the parameters have no value of "));
}

BOOST_AUTO_TEST_CASE(corrupt_bytes_end_in_errors_or_in_results) {
  std::mt19937 random(7);
  auto labels = vec({0, 1, 0, 1, 1, 0, 1, 0});
  create();
  for (int step = 0; step < 5; ++step) train(labels);
  auto tree_bytes = bytes(serialized_tree()), stats_bytes = bytes(serialized_stats());
  int made = 0, failed = 0;
  for (int round = 0; round < 3000; ++round) {
    auto tree_text = round % 3 ? disturbed(tree_bytes, random) : tree_bytes;
    auto stats_text = round % 2 ? disturbed(stats_bytes, random) : stats_bytes;
    ForestFixture other;
    if (round % 5 == 0) other.params = disturbed(other.params, random);
    if (other.create(tree_text, stats_text) != "") continue;
    ++made;
    // What is written is read as the same.
    auto again = other.serialized_tree();
    BOOST_TEST(other.deserialize_tree(bytes(again)) == "");
    BOOST_TEST(other.serialized_tree() == again);
    failed += other.predict().starts_with("float32") ? 0 : 1;
    for (int step = 0; step < 3; ++step) std::ignore = other.train(labels);
    std::ignore = other.process(vec<int32_t>({0, 1, 2, 3, 4, 5, 6, 7}), labels, vec({}));
    std::ignore = other.grow(vec<int32_t>({1, 2, 3, 4, 2}));
    std::ignore = other.serialized_stats();
  }
  BOOST_TEST(made > 500);
  BOOST_TEST(failed > 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
