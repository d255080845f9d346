#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

Tensor ids(std::initializer_list<int32_t> values) { return vec<int32_t>(values); }
Tensor column(std::initializer_list<float> values) {
  return vec({static_cast<int64_t>(values.size()), 1}, values);
}
Tensor number(float value) { return Tensor::scalar(value); }

/// Of l1, l2, the complexity of trees and the least weight of nodes.
Tensors with_costs(Tensors inputs, float l1 = 0, float l2 = 1) {
  for (auto value : {l1, l2, 0.0f, 0.0f}) inputs.push_back(number(value));
  return inputs;
}

const Attrs limits = {{"max_splits", 2}, {"num_buckets", 2}};

std::string summary(const Tensor& nodes, const Tensor& feature, const Tensor& hessians) {
  auto gradients = column({1, 2, 4});
  return show("BoostedTreesMakeStatsSummary", {nodes, gradients, hessians, feature}, limits);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(boosted_trees_stats)

BOOST_AUTO_TEST_CASE(gradients_add_up_by_nodes_and_buckets) {
  BOOST_TEST(
      summary(ids({0, 1, 0}), ids({1, 0, 1}), column({0.5f, 0.25f, 1})) ==
      "float32[1,2,2,2] [0 0 5 1.5 2 0.25 0 0]");
}

BOOST_AUTO_TEST_CASE(examples_that_do_not_fit_the_summary_are_errors) {
  auto hessians = column({1, 1, 1});
  BOOST_TEST(
      summary(ids({0, 2, 0}), ids({1, 0, 1}), hessians) ==
      "InvalidArgument: node 2 is not in [0, 2)");
  BOOST_TEST(
      summary(ids({0, 1, 0}), ids({1, -1, 1}), hessians) ==
      "InvalidArgument: bucket -1 is not in [0, 2)");
  BOOST_TEST(
      summary(ids({0, 1, 0}), ids({1, 0}), hessians) ==
      "InvalidArgument: feature 0 should have same size as node_ids, got 2 and 3");
  BOOST_TEST(
      summary(ids({0, 1, 0}), ids({1, 0, 1}), column({1, 1})).starts_with("InvalidArgument: "));
}

BOOST_AUTO_TEST_CASE(a_feature_may_have_dimensions_and_missing_values) {
  auto feature = vec<int32_t>({2, 2}, {1, -1, 0, 1});
  BOOST_TEST(
      show(
          "BoostedTreesAggregateStats", {ids({0, 0}), column({1, 2}), column({4, 8}), feature},
          {{"max_splits", 1}, {"num_buckets", 2}}) == "float32[1,2,3,2] [2 8 1 4 0 0 0 0 2 8 1 4]");
}

BOOST_AUTO_TEST_CASE(a_sparse_feature_has_values_for_some_examples) {
  auto indices = vec<int32_t>({2, 2}, {0, 0, 1, 1});
  auto call = [&](const Tensor& at) {
    return show(
        "BoostedTreesSparseAggregateStats",
        {ids({0, 0}), column({1, 2}), column({4, 8}), at, ids({1, 0}), ids({2, 2})},
        {{"max_splits", 1}, {"num_buckets", 2}});
  };
  BOOST_TEST(
      call(indices) ==
      "int32[8,4] [0 0 1 0 0 0 1 1 0 0 2 0 0 0 2 1 0 1 0 0 0 1 0 1 0 1 2 0 0 1 2 1]; "
      "float32[8] [1 4 2 8 2 8 1 4]; int32[4] [1 2 3 2]");
  BOOST_TEST(
      call(vec<int32_t>({2, 2}, {1, 1, 0, 0})) ==
      "InvalidArgument: feature_indices should be increasing");
}

BOOST_AUTO_TEST_CASE(a_node_is_split_where_the_gain_is_greatest) {
  auto stats = vec({1, 3, 2}, {-4, 1, 4, 1, 0, 0});
  auto call = [&](float l1, const Tensor& range) {
    return show(
        "BoostedTreesCalculateBestGainsPerFeature", with_costs({range, stats}, l1),
        {{"max_splits", 1}});
  };
  BOOST_TEST(
      call(0, ids({0, 1})) ==
      "int32[1] [0]; float32[1] [16]; int32[1] [0]; float32[1,1] [2]; float32[1,1] [-2]");
  BOOST_TEST(
      call(2, ids({0, 1})) ==
      "int32[1] [0]; float32[1] [4]; int32[1] [0]; float32[1,1] [1]; float32[1,1] [-1]");
  BOOST_TEST(
      call(0, ids({0, 2})) ==
      "InvalidArgument: node_id_range [0, 2) is not within the 1 nodes of the summary");
}

BOOST_AUTO_TEST_CASE(missing_values_go_where_they_gain) {
  auto call = [](std::initializer_list<float> stats, const char* type) {
    return show(
        "BoostedTreesCalculateBestFeatureSplit",
        with_costs({ids({0, 1}), vec({1, 1, 3, 2}, stats)}),
        {{"logits_dimension", 1}, {"split_type", type}});
  };
  BOOST_TEST(
      call({-4, 1, 4, 1, 0, 0}, "inequality") ==
      "int32[1] [0]; float32[1] [16]; int32[1] [0]; int32[1] [0]; float32[1,1] [2]; float32[1,1] "
      "[-2]; string[1] [\"INEQUALITY_DEFAULT_LEFT\"]");
  BOOST_TEST(call({-4, 1, 3, 1, 4, 1}, "inequality").ends_with("[\"INEQUALITY_DEFAULT_RIGHT\"]"));
  BOOST_TEST(
      call({0, 1, 4, 1, -4, 1}, "equality") ==
      "int32[1] [0]; float32[1] [13.3333]; int32[1] [0]; int32[1] [1]; float32[1,1] [-2]; "
      "float32[1,1] [1.33333]; string[1] [\"EQUALITY_DEFAULT_RIGHT\"]");
}

BOOST_AUTO_TEST_CASE(hessians_are_a_diagonal_or_a_matrix) {
  auto call = [](const Tensor& stats, float l1 = 0) {
    return show(
        "BoostedTreesCalculateBestFeatureSplit", with_costs({ids({0, 1}), stats}, l1, 0),
        {{"logits_dimension", 2}});
  };
  auto splits =
      "int32[1] [0]; float32[1] [10]; int32[1] [0]; int32[1] [0]; float32[1,2] [2 1]; float32[1,2] "
      "[-2 -1]; string[1] [\"INEQUALITY_DEFAULT_LEFT\"]";
  auto diagonal = vec({1, 1, 3, 4}, {-2, -1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 0});
  auto all = vec({1, 1, 3, 6}, {-2, -1, 1, 0, 0, 1, 2, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  BOOST_TEST(call(diagonal) == splits);
  BOOST_TEST(call(all) == call(diagonal));
  BOOST_TEST(call(diagonal, 1).starts_with("InvalidArgument: l1 != 0"));
  BOOST_TEST(
      call(vec({1, 1, 1, 5}, {0, 0, 0, 0, 0})).starts_with("InvalidArgument: stats_summary"));
}

BOOST_AUTO_TEST_CASE(a_sparse_summary_gives_the_same_split) {
  auto indices = vec<int32_t>({4, 4}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1});
  auto call = [&](const Tensor& range, const Tensor& shape) {
    return show(
        "BoostedTreesSparseCalculateBestFeatureSplit",
        with_costs({range, indices, vec({-4, 1, 4, 1}), shape}), {{"logits_dimension", 1}});
  };
  BOOST_TEST(
      call(ids({0, 1}), ids({1, 1, 3, 2})) ==
      "int32[1] [0]; float32[1] [16]; int32[1] [0]; int32[1] [0]; float32[1,1] [2]; float32[1,1] "
      "[-2]; string[1] [\"INEQUALITY_DEFAULT_RIGHT\"]");
  BOOST_TEST(
      call(ids({1, 2}), ids({1, 1, 3, 2})) ==
      "InvalidArgument: node_id = 0 which is not in [1, 2)");
  BOOST_TEST(call(ids({0, 1}), ids({1, 1, 0, 2})).starts_with("InvalidArgument: stats_summary"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
