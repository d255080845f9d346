#include "troupe/devices/cpu/learning/sdca_features.hpp"

#include <Eigen/Core>
#include <string>
#include <unordered_map>

namespace troupe::cpu::sdca {
namespace {

using FloatMap = Eigen::Map<Eigen::ArrayXf>;
using ConstFloatMap = Eigen::Map<const Eigen::ArrayXf>;

Status check_as_many(const char* what, const Tensor& a, const char* than, const Tensor& b) {
  if (a.elements() == b.elements()) return {};
  return invalid_argument(
      std::string("there must be as many ") + what + " as " + than + ", but there are " +
      std::to_string(a.elements()) + " and " + std::to_string(b.elements()));
}

template <class Weights>
auto shrunk(const Weights& weights, const Regularization& by) {
  return weights.sign() * (weights.abs() - by.shrinkage).max(0.0f);
}

/// How many of the entries from `begin` on are of that example.
int64_t count_of_example(std::span<const int64_t> examples, int64_t begin, int64_t example) {
  auto end = begin;
  while (end < std::ssize(examples) && examples[static_cast<size_t>(end)] == example) ++end;
  return end - begin;
}

}  // namespace

SparseFeatures::SparseFeatures(const Inputs& inputs, Tensor& deltas)
    : values_(inputs.values ? inputs.values->data<float>() : nullptr),
      weights_(inputs.weights.data<float>()),
      deltas_(deltas.mutable_data<float>()) {}

Result<SparseFeatures> SparseFeatures::of(const Inputs& inputs, int64_t examples, Tensor& deltas) {
  const auto& indices = inputs.feature_indices;
  auto status = check_as_many(
      "sparse feature indices", indices, "sparse example indices", inputs.example_indices);
  if (status.ok() && inputs.values)
    status = check_as_many("sparse feature values", *inputs.values, "indices", indices);
  if (status.ok())
    status = check_as_many("sparse weights", inputs.weights, "indices", inputs.weight_indices);
  if (!status.ok()) return status;
  SparseFeatures features(inputs, deltas);
  status = features.read_places(inputs, examples);
  if (!status.ok()) return status;
  return features;
}

Status SparseFeatures::read_places(const Inputs& inputs, int64_t examples) {
  std::unordered_map<int64_t, int64_t> place_of;
  auto weight_indices = inputs.weight_indices.values<int64_t>();
  place_of.reserve(weight_indices.size());
  for (size_t i = 0; i < weight_indices.size(); ++i)
    place_of[weight_indices[i]] = static_cast<int64_t>(i);
  std::vector<int64_t> last_example(weight_indices.size(), -1);  // that has a feature
  auto entries = inputs.example_indices.values<int64_t>();
  const auto* indices = inputs.feature_indices.data<int64_t>();
  begins_ = {0};
  for (int64_t example = 0; example < examples; ++example) {
    auto begin = begins_.back(), end = begin + count_of_example(entries, begin, example);
    for (auto entry = begin; entry < end; ++entry) {
      auto place = place_of.find(indices[entry]);
      if (place == place_of.end())
        return invalid_argument(
            "Found sparse feature indices out of valid range: " + std::to_string(indices[entry]));
      auto& last = last_example[static_cast<size_t>(place->second)];
      if (last == example) return invalid_argument("Duplicate index in sparse vector.");
      last = example;
      places_.push_back(place->second);
    }
    begins_.push_back(end);
  }
  return {};
}

std::span<const int64_t> SparseFeatures::places_of(int64_t example) const {
  auto begin = begins_[static_cast<size_t>(example)],
       end = begins_[static_cast<size_t>(example) + 1];
  return {places_.data() + begin, static_cast<size_t>(end - begin)};
}

double SparseFeatures::squared_norm(int64_t example) const {
  auto entry = begins_[static_cast<size_t>(example)];
  double sum = 0;
  for (size_t i = 0; i < places_of(example).size(); ++i, ++entry)
    sum += value(entry) * value(entry);
  return sum;
}

Scores SparseFeatures::scores(int64_t example, float partitions, const Regularization& by) const {
  Scores scores;
  auto entry = begins_[static_cast<size_t>(example)];
  for (auto place : places_of(example)) {
    auto x = value(entry++);
    scores.before += x * by.shrink(weights_[place]);
    scores.now += x * by.shrink(weights_[place] + deltas_[place] * partitions);
  }
  return scores;
}

void SparseFeatures::add(int64_t example, double factor) {
  auto entry = begins_[static_cast<size_t>(example)];
  for (auto place : places_of(example))
    deltas_[place] = static_cast<float>(deltas_[place] + value(entry++) * factor);
}

Result<DenseFeatures> DenseFeatures::of(
    const Tensor& features, int64_t examples, const Tensor& weights, Tensor& deltas) {
  const auto& shape = features.shape();
  if (shape.rank() != 2 || shape[0] < examples)
    return invalid_argument(
        "dense features must be a matrix with a row for each of " + std::to_string(examples) +
        " examples, but have the shape " + shape.to_string());
  if (shape[1] > weights.elements())
    return invalid_argument(
        "More dense features than we have parameters for: " + std::to_string(shape[1]));
  if (shape[1] < weights.elements())
    return invalid_argument(
        "there are " + std::to_string(shape[1]) + " dense features, but " +
        std::to_string(weights.elements()) + " weights for them");
  return DenseFeatures(
      features.data<float>(), shape[1], weights.data<float>(), deltas.mutable_data<float>());
}

double DenseFeatures::squared_norm(int64_t example) const {
  return columns_ == 0 ? 0 : ConstFloatMap(row(example), columns_).square().sum();
}

Scores DenseFeatures::scores(int64_t example, float partitions, const Regularization& by) const {
  if (columns_ == 0) return {};
  ConstFloatMap x(row(example), columns_), weights(weights_, columns_), deltas(deltas_, columns_);
  auto now = weights + deltas * partitions;
  if (by.shrinkage == 0) return {(x * weights).sum(), (x * now).sum()};
  return {(x * shrunk(weights, by)).sum(), (x * shrunk(now, by)).sum()};
}

void DenseFeatures::add(int64_t example, double factor) {
  FloatMap(deltas_, columns_) += ConstFloatMap(row(example), columns_) * static_cast<float>(factor);
}

void shrink_all(const float* from, float* to, int64_t count, const Regularization& by) {
  FloatMap(to, count) = shrunk(ConstFloatMap(from, count), by);
}

}  // namespace troupe::cpu::sdca
