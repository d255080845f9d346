#include "troupe/tests/devices/cpu/learning/tree_fixture.hpp"

namespace troupe::testing {

BOOST_FIXTURE_TEST_SUITE(boosted_trees, TreeFixture)

BOOST_AUTO_TEST_CASE(an_ensemble_is_created_once) {
  auto is_initialized = b.op("IsBoostedTreesEnsembleInitialized", {ensemble});
  BOOST_TEST(text_of(is_initialized) == "bool[] [0]");
  BOOST_TEST(
      states() == "NotFound: the tree ensemble was not created yet, or its container was reset");
  BOOST_TEST(create(bytes(first_layer), 3) == "");
  BOOST_TEST(create("", 4) == "");
  BOOST_TEST(text_of(is_initialized) == "bool[] [1]");
  BOOST_TEST(serialized() == first_layer);
  BOOST_TEST(states() == "int64[] [3]; int32[] [1]; int32[] [0]; int32[] [1]; int32[2] [1 3]");
}

BOOST_AUTO_TEST_CASE(a_new_ensemble_has_the_range_of_its_root) {
  create("");
  BOOST_TEST(states() == "int64[] [0]; int32[] [0]; int32[] [0]; int32[] [0]; int32[2] [0 1]");
  BOOST_TEST(predict() == "float32[4,1] [0 0 0 0]");
  BOOST_TEST(
      training_predict(vec<int32_t>({5, 6, 7, 8}), vec<int32_t>({1, 2, 3, 4})) ==
      "float32[4,1] [0 0 0 0]; int32[4] [5 6 7 8]; int32[4] [0 0 0 0]");
}

BOOST_AUTO_TEST_CASE(an_ensemble_becomes_what_bytes_say) {
  BOOST_TEST(deserialize("").starts_with("NotFound: "));
  create("");
  BOOST_TEST(deserialize(bytes(pruned_layers), 7) == "");
  BOOST_TEST(serialized() == pruned_layers);
  BOOST_TEST(deserialize("\x0a\x7f") == "InvalidArgument: Unable to parse tree ensemble proto.");
  BOOST_TEST(serialized() == pruned_layers);
  BOOST_TEST(states().starts_with("int64[] [7]; "));
}

BOOST_AUTO_TEST_CASE(layers_are_those_of_tensorflow) {
  create("", 3);
  BOOST_TEST(update({{0}, {1}, {4}, {2}, {-2}, 2, 2}) == "");
  BOOST_TEST(serialized() == first_layer);
  BOOST_TEST(update({{1, 2}, {-0.5f, 0.25f}, {2, 7}, {1, 3}, {-1, -3}, 2, 2}) == "");
  BOOST_TEST(serialized() == pruned_layers);
  BOOST_TEST(states() == "int64[] [5]; int32[] [2]; int32[] [1]; int32[] [2]; int32[2] [0 1]");
}

BOOST_AUTO_TEST_CASE(splits_without_gain_are_left_out_at_once) {
  create("");
  update({{0}, {1}, {4}, {2}, {-2}, 9, 1});
  update({{1, 2}, {-0.5f, 0}, {2, 7}, {1, 3}, {-1, -3}, 9, 1});
  BOOST_TEST(predict() == "float32[4,1] [1 1 0.5 -2.5]");
  // Nothing is split, but the attempt counts.
  update({{1}, {-0.5f}, {2}, {1}, {-1}, 9, 1});
  BOOST_TEST(states() == "int64[] [3]; int32[] [1]; int32[] [0]; int32[] [3]; int32[2] [3 5]");
}

BOOST_AUTO_TEST_CASE(examples_get_to_leaves) {
  create(bytes(pruned_layers));
  BOOST_TEST(predict() == "float32[4,1] [1 1 0.5 -2.5]");
  BOOST_TEST(predict(2).starts_with("Internal: a node of a tree has 1 values, but there are 2"));
}

BOOST_AUTO_TEST_CASE(a_bucket_at_the_threshold_goes_to_the_left) {
  create("");
  update({{0}, {1}, {3}, {2}, {-2}});
  BOOST_TEST(predict() == "float32[4,1] [1 1 -1 -1]");
}

BOOST_AUTO_TEST_CASE(examples_go_on_from_nodes_that_were_pruned) {
  create(bytes(pruned_layers));
  BOOST_TEST(
      training_predict(vec<int32_t>({0, 0, 0, 0}), vec<int32_t>({3, 4, 2, -1})) ==
      "float32[4,1] [-0.5 0.5 1.5 -2.5]; int32[4] [1 1 1 1]; int32[4] [0 0 0 0]");
  BOOST_TEST(
      training_predict(vec<int32_t>({0, 0, 0, 2}), vec<int32_t>({3, 4, 2, -1})) ==
      "InvalidArgument: the ensemble has no tree 2");
  BOOST_TEST(
      training_predict(vec<int32_t>({0, 0, 0, 0}), vec<int32_t>({3, 4, 2, 7})) ==
      "InvalidArgument: the tree had no node 7");
}

BOOST_AUTO_TEST_CASE(bias_is_added_to_the_root_of_the_first_tree) {
  create("");
  auto center = [&](float gradient) {
    auto means = [&](float mean) { return b.constant(vec({1, 1}, {mean})); };
    return text_of(b.op(
        "BoostedTreesCenterBias",
        {ensemble, means(gradient), means(2), b.constant(0.0f), b.constant(1.0f)}));
  };
  BOOST_TEST(center(-1.5f) == "bool[] [1]");
  BOOST_TEST(center(0.001f) == "bool[] [0]");
  BOOST_TEST(center(0.001f) == "bool[] [0]");
  update({{0}, {1}, {4}, {2}, {-2}, 2, 2});
  BOOST_TEST(serialized() == biased_layer);
  std::string left = "0a010112089ea8ff3e28eabf3f ", right = "0a010112089ea8ff3eb12b00bf ";
  BOOST_TEST(explain() == left + left + right + right);
  BOOST_TEST(center(1) == "InvalidArgument: the first tree has grown, or has no bias of one logit");
}

BOOST_AUTO_TEST_CASE(a_feature_may_have_dimensions_and_categories) {
  create("");
  std::vector<std::string> types{"EQUALITY_DEFAULT_RIGHT"};
  auto grow = [&] {
    return text_of(b.op(
        "BoostedTreesUpdateEnsembleV2",
        {ensemble, b.constant(vec<int32_t>({1})), b.constant(vec<int32_t>({6})),
         b.constant(vec<int32_t>({0})), b.constant(vec({1})), b.constant(vec<int32_t>({5})),
         b.constant(vec({1, 1}, {2})), b.constant(vec({1, 1}, {-2})),
         b.constant(Tensor::of<std::string>({1}, std::span<const std::string>(types))),
         b.constant(3), b.constant(0.5f), b.constant(0)}));
  };
  BOOST_TEST(grow() == "");
  BOOST_TEST(predict() == "float32[4,1] [-1 -1 1 -1]");
  types = {"EQUALITY"};
  BOOST_TEST(grow() == "InvalidArgument: 'EQUALITY' is no type of a split");
}

BOOST_AUTO_TEST_CASE(the_best_candidate_of_a_node_is_taken) {
  create("");
  auto f = [&](float value) { return b.constant(vec({value})); };
  auto i = [&](int32_t value) { return b.constant(vec<int32_t>({value})); };
  auto c = [&](float value) { return b.constant(vec({1, 1}, {value})); };
  auto node = b.op(
      "BoostedTreesUpdateEnsemble",
      {ensemble, b.constant(vec<int32_t>({5, 1, 0})), i(0), i(0), i(0), f(2), f(2), f(1), i(7),
       i(4), i(3), c(3), c(2), c(1), c(3), c(-2), c(1), b.constant(2), b.constant(0.5f)},
      {{"pruning_mode", 0}});
  BOOST_TEST(text_of(node) == "");
  // Of two with the same gain that of the feature with the least id.
  BOOST_TEST(predict() == "float32[4,1] [1 1 -1 -1]");
}

BOOST_AUTO_TEST_CASE(what_is_no_leaf_cannot_be_split) {
  create(bytes(first_layer));
  for (int32_t node : {-1, 0, 3})
    BOOST_TEST(
        update({{node}, {1}, {4}, {2}, {-2}}) ==
        "InvalidArgument: node " + std::to_string(node) +
            " is no leaf of the last tree, so it cannot be split");
  BOOST_TEST(serialized() == first_layer);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
