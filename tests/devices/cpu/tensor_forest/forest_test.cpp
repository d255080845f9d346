#include "troupe/tests/devices/cpu/tensor_forest/forest_fixture.hpp"

namespace troupe::testing {
namespace {

const auto labels = vec({0, 1, 0, 1, 1, 0, 1, 0});
const auto numbers = vec({0, 1, 2, 3, 4, 5, 6, 7});

struct RegressionFixture : ForestFixture {
  RegressionFixture() : ForestFixture(of_numbers) {}
};

// What TensorFlow makes of the same steps.
constexpr const char* tree_of_classes =
    "0a4c0a1a22180a02080112020802220e0a050a030a01311a050d000040400a160a0208012a100a0e0a050d000040"
    "400a050d000000400a160a0208022a100a0e0a050d000000000a050d0000803f";
constexpr const char* stats_of_classes =
    "0a18280232120a100a0e0a050d000000000a050d0000000038010a18280132120a100a0e0a050d000000000a050d"
    "000000003801";
constexpr const char* next_tree_of_classes =
    "0a4c0a1a22180a02080112020802220e0a050a030a01311a050d000040400a160a0208012a100a0e0a050d0000e0"
    "400a050d0000a0400a160a0208022a100a0e0a050d000000000a050d00000040";
constexpr const char* next_stats_of_classes =
    "0a18280132120a100a0e0a050d000000000a050d0000000038010a400a260a10220e0a050a030a01301a050d0000"
    "c04022120a100a0e0a050d000000000a050d00000000280232120a100a0e0a050d000000000a050d000000003801";
constexpr const char* tree_of_numbers =
    "0a3e0a1a22180a02080112020802220e0a050a030a01311a050d000040400a0f0a0208012a090a070a050d666686"
    "400a0f0a0208022a090a070a050d0000c040";
constexpr const char* stats_of_numbers =
    "0a1a2802321412120a070a050d0000000012070a050d0000000038010a1a2801321412120a070a050d0000000012"
    "070a050d000000003801";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tensor_forest, ForestFixture)

BOOST_AUTO_TEST_CASE(a_tree_is_created_once) {
  auto has_tree = b.op("TreeIsInitializedOp", {tree});
  auto has_stats = b.op("FertileStatsIsInitializedOp", {stats});
  BOOST_TEST(text_of(has_tree) == "bool[] [0]");
  BOOST_TEST(text_of(has_stats) == "bool[] [0]");
  BOOST_TEST(
      traverse() == "NotFound: decision tree was not created yet, or its container was reset");
  BOOST_TEST(create(bytes(tree_of_classes), bytes(stats_of_classes)) == "");
  BOOST_TEST(create() == "");
  BOOST_TEST(text_of(has_tree) == "bool[] [1]");
  BOOST_TEST(text_of(has_stats) == "bool[] [1]");
  BOOST_TEST(serialized_tree() == tree_of_classes);
  BOOST_TEST(text_of(b.op("TreeSize", {tree})) == "int32[] [3]");
}

BOOST_AUTO_TEST_CASE(a_new_tree_is_one_leaf) {
  create();
  BOOST_TEST(text_of(b.op("TreeSize", {tree})) == "int32[] [1]");
  BOOST_TEST(traverse() == "int32[8] [0 0 0 0 0 0 0 0]");
  BOOST_TEST(predict() == "float32[8,2] [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]; string[0] []");
  BOOST_TEST(serialized_tree() == "0a0a0a082a060a040a000a00");
}

BOOST_AUTO_TEST_CASE(trees_of_classes_grow_as_those_of_tensorflow) {
  create();
  BOOST_TEST(train(labels) == "");
  BOOST_TEST(serialized_tree() == tree_of_classes);
  BOOST_TEST(serialized_stats() == stats_of_classes);
  BOOST_TEST(traverse() == "int32[8] [1 1 1 1 1 1 2 1]");
  BOOST_TEST(
      predict() ==
      "float32[8,2] [0.6 0.4 0.6 0.4 0.6 0.4 0.6 0.4 0.6 0.4 0.6 0.4 0 1 0.6 0.4]; string[0] []");
  BOOST_TEST(train(labels) == "");
  BOOST_TEST(serialized_tree() == next_tree_of_classes);
  BOOST_TEST(serialized_stats() == next_stats_of_classes);
  auto counts = b.op("FeatureUsageCounts", {tree}, {{"params", params}});
  BOOST_TEST(text_of(counts) == "int32[2] [0 1]");
}

BOOST_AUTO_TEST_CASE(training_goes_on_from_what_was_saved) {
  create(bytes(tree_of_classes), bytes(stats_of_classes));
  BOOST_TEST(train(labels) == "");
  BOOST_TEST(serialized_tree() == next_tree_of_classes);
  BOOST_TEST(deserialize_tree(bytes(tree_of_classes)) == "");
  BOOST_TEST(deserialize_stats(bytes(stats_of_classes)) == "");
  BOOST_TEST(train(labels) == "");
  BOOST_TEST(serialized_tree() == next_tree_of_classes);
}

BOOST_AUTO_TEST_CASE(weights_count) {
  create();
  BOOST_TEST(update(vec<int32_t>({0, 0, 0}), vec({0, 1, 1}), vec({0.5f, 2})) == "");
  // The last one has none, and so the weight 1.
  BOOST_TEST(predict().starts_with("float32[8,2] [0.142857 0.857143 "));
}

BOOST_AUTO_TEST_CASE(only_regressions_are_final) {
  create();
  BOOST_TEST(
      text_of(b.op("FinalizeTree", {tree, stats}, {{"params", params}})) ==
      "Unimplemented: FinalizeTree is disabled for classification");
  auto of_regression = bytes(of_numbers);
  BOOST_TEST(text_of(b.op("FinalizeTree", {tree, stats}, {{"params", of_regression}})) == "");
}

BOOST_AUTO_TEST_CASE(equal_strings_become_equal_numbers) {
  // What TensorFlow makes of them.
  BOOST_TEST(
      show("ReinterpretStringToFloat", {Tensor::of<std::string>({3}, {"a", "bb", "a"})}) ==
      "float32[3] [4.99389e+18 1.56727e+18 4.99389e+18]");
}

BOOST_FIXTURE_TEST_CASE(trees_of_numbers_grow_as_those_of_tensorflow, RegressionFixture) {
  create();
  BOOST_TEST(train(numbers) == "");
  BOOST_TEST(serialized_tree() == tree_of_numbers);
  BOOST_TEST(serialized_stats() == stats_of_numbers);
  BOOST_TEST(predict() == "float32[8,1] [4.2 4.2 4.2 4.2 4.2 4.2 6 4.2]; string[0] []");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
