#include <initializer_list>

#include "troupe/tests/fuzz/calls/written_call.hpp"

namespace troupe::fuzz {
namespace {

Call::Input ids(std::initializer_list<int32_t> values) {
  return {Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values)};
}
Call::Input ids(const Shape& shape, std::initializer_list<int32_t> values) {
  return {Tensor::of<int32_t>(shape, values)};
}
Call::Input reals(const Shape& shape, std::initializer_list<float> values) {
  return {Tensor::of<float>(shape, values)};
}
Call::Input rows(std::initializer_list<float> values) {
  return reals({static_cast<int64_t>(values.size()), 1}, values);
}
Call::Input real(float value) { return {Tensor::scalar(value)}; }
Call::Input made_by(const char* op) { return {Tensor(), {Call{op, {{"shared_name", "r"}}}}}; }

/// With l1, l2, the complexity of trees and the least weight of nodes.
std::vector<Call::Input> with_costs(std::vector<Call::Input> inputs) {
  for (auto cost : {0.0f, 1.0f, 0.25f, 0.0f}) inputs.push_back(real(cost));
  return inputs;
}

void add_stats(std::vector<Call>& calls) {
  Attrs limits = {{"max_splits", 3}, {"num_buckets", 4}};
  auto nodes = ids({0, 2, 1}), feature = ids({3, 0, 1});
  auto sums = rows({1, -2, 3}), hessians = rows({1, 0.5f, 2});
  calls.push_back(
      {"BoostedTreesMakeStatsSummary", limits, {nodes, sums, hessians, feature, feature}});
  calls.push_back(
      {"BoostedTreesAggregateStats",
       limits,
       {nodes, sums, reals({3, 2}, {1, 2, 3, 4, 5, 6}), ids({3, 2}, {0, -1, 4, 2, 3, 1})}});
  calls.push_back(
      {"BoostedTreesSparseAggregateStats",
       limits,
       {nodes, sums, hessians, ids({3, 2}, {0, 0, 1, 1, 2, 0}), feature, ids({3, 2})}});
}

void add_splits(std::vector<Call>& calls) {
  auto range = ids({0, 2});
  auto stats = reals({2, 2, 2}, {-4, 1, 4, 1, 2, 1, -2, 3});
  calls.push_back(
      {"BoostedTreesCalculateBestGainsPerFeature",
       {{"max_splits", 2}},
       with_costs({range, stats, stats})});
  for (const auto* type : {"inequality", "equality"})
    calls.push_back(
        {"BoostedTreesCalculateBestFeatureSplit",
         {{"logits_dimension", 1}, {"split_type", type}},
         with_costs({range, reals({2, 1, 2, 2}, {-4, 1, 4, 1, 2, 1, -2, 3})})});
  for (int64_t hessians : {2, 4}) {
    auto summary = Tensor::allocate(DType::float32, {2, 1, 3, 2 + hessians});
    for (int64_t i = 0; i < summary->elements(); ++i)
      summary->mutable_data<float>()[i] = static_cast<float>(i * 5 % 11 - 3);
    calls.push_back(
        {"BoostedTreesCalculateBestFeatureSplit",
         {{"logits_dimension", 2}},
         with_costs({range, {*summary}})});
  }
  calls.push_back(
      {"BoostedTreesSparseCalculateBestFeatureSplit",
       {{"logits_dimension", 1}},
       with_costs(
           {range, ids({4, 4}, {0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1}),
            reals({4}, {-4, 1, 4, 1}), ids({2, 1, 3, 2})})});
}

void add_quantiles(std::vector<Call>& calls) {
  auto values = reals({5}, {3, 1, 2, 2, 5}), weights = reals({5}, {1, 2, 0, 1, 1});
  calls.push_back(
      {"BoostedTreesMakeQuantileSummaries", {}, {values, values, weights, real(0.25f)}});
  calls.push_back(
      {"BoostedTreesBucketize", {}, {values, values, reals({2}, {1, 2}), reals({3}, {-1, 0, 4})}});
  auto streams = made_by("BoostedTreesQuantileStreamResourceHandleOp");
  calls.push_back(
      {"BoostedTreesCreateQuantileStreamResource",
       {},
       {streams, real(0.1f), {Tensor::scalar<int64_t>(2)}}});
}

void add_ensembles(std::vector<Call>& calls) {
  auto trees = made_by("BoostedTreesEnsembleResourceHandleOp");
  auto both = ids({0, 1}), matrix = rows({1, 2}), gains = reals({2}, {1, 2});
  std::string leaf(
      "\x0a\x09\x0a\x07\x0a\x05\x1d\x00\x00\x80\x3f\x12\x04\x00\x00\x80\x3f\x1a\x00", 19);
  calls.push_back(
      {"BoostedTreesCreateEnsemble",
       {},
       {trees, {Tensor::scalar<int64_t>(1)}, {Tensor::string(leaf)}}});
  calls.push_back(
      {"BoostedTreesUpdateEnsemble",
       {{"pruning_mode", 1}},
       {trees, ids({0}), both, gains, both, matrix, matrix, {Tensor::scalar(3)}, real(0.5f)}});
  calls.push_back(
      {"BoostedTreesPredict", {{"logits_dimension", 1}}, {trees, ids({0, 1}), ids({2, 3})}});
  calls.push_back(
      {"BoostedTreesTrainingPredict", {{"logits_dimension", 1}}, {trees, both, both, both, both}});
  calls.push_back({"BoostedTreesCenterBias", {}, {trees, rows({1}), rows({2}), real(0), real(1)}});
}

}  // namespace

void add_tree_calls(std::vector<Call>& calls) {
  add_stats(calls);
  add_splits(calls);
  add_quantiles(calls);
  add_ensembles(calls);
}

}  // namespace troupe::fuzz
