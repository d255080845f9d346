#include <farmhash.h>
#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/learning/sdca_features.hpp"
#include "troupe/devices/cpu/learning/sdca_losses.hpp"
#include "troupe/devices/cpu/learning/sdca_order.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace sdca {
namespace {

struct Options {
  const DualLoss* loss;
  bool is_adaptive;
  int sparse, with_values, dense;  // groups of features
  int64_t partitions;
  Regularization regularization;
};

/// Where the inputs are.
struct Places {
  int example_indices = 0, feature_indices, values, dense, weights, labels, sparse_indices,
      sparse_weights, dense_weights, state;

  explicit Places(const Options& o)
      : feature_indices(o.sparse),
        values(2 * o.sparse),
        dense(values + o.with_values),
        weights(dense + o.dense),
        labels(weights + 1),
        sparse_indices(labels + 1),
        sparse_weights(sparse_indices + o.sparse),
        dense_weights(sparse_weights + o.sparse),
        state(dense_weights + o.dense) {}
};

Result<Tensor> make_zeros(const Launch& launch, const Shape& shape) {
  auto zeros = launch.allocate(DType::float32, shape);
  if (zeros) std::fill_n(zeros->mutable_data<float>(), zeros->elements(), 0.0f);
  return zeros;
}

/// A batch of examples and the model that learns from it.
class Batch {
 public:
  /// Sets all outputs of the launch to what the batch changes nothing of yet.
  static Result<Batch> of(Launch& launch, const Options& options);

  int64_t size() const { return std::ssize(labels_); }

  /// Betters the dual variables of the examples in that order.
  void learn(const Order& order);
  /// How far each example's dual variable is from where it should be, as a likelihood.
  std::vector<double> likelihoods() const;

 private:
  Batch(const Options& options, const Tensor& weights) : o_(options), weights_(weights) {}

  Status read_labels(const Tensor& labels);
  Status read_state(Launch& launch, const Tensor& state);
  Status read_features(Launch& launch, const Places& at);
  void learn_from(int64_t example);

  float weight(int64_t example) const { return weights_.data<float>()[example]; }
  double label(int64_t example) const { return labels_[static_cast<size_t>(example)]; }
  double squared_norm(int64_t example) const;
  Scores scores(int64_t example) const;

  const Options& o_;
  Tensor weights_;
  std::vector<float> labels_;
  std::vector<SparseFeatures> sparse_;
  std::vector<DenseFeatures> dense_;
  float* state_ = nullptr;  // four numbers for each example
};

Result<Batch> Batch::of(Launch& launch, const Options& options) {
  Places at(options);
  Batch batch(options, launch.input(at.weights));
  auto status = batch.read_labels(launch.input(at.labels));
  if (status.ok()) status = batch.read_state(launch, launch.input(at.state));
  if (status.ok()) status = batch.read_features(launch, at);
  if (!status.ok()) return status;
  return batch;
}

Status Batch::read_labels(const Tensor& labels) {
  if (labels.elements() != weights_.elements())
    return invalid_argument(
        "Expected " + std::to_string(weights_.elements()) + " example labels but got " +
        std::to_string(labels.elements()));
  for (auto given : labels.values<float>()) {
    auto label = o_.loss->label(given);
    if (!label) return label.status();
    labels_.push_back(*label);
  }
  return {};
}

Status Batch::read_state(Launch& launch, const Tensor& state) {
  Shape expected = {size(), 4};
  if (state.shape() != expected)
    return invalid_argument(
        "Expected shape " + expected.to_string() + " for example_state_data, got " +
        state.shape().to_string());
  auto next = launch.allocate(DType::float32, expected);
  if (!next) return next.status();
  state_ = next->mutable_data<float>();
  std::ranges::copy(state.values<float>(), state_);
  launch.set(0, *std::move(next));
  return {};
}

Status Batch::read_features(Launch& launch, const Places& at) {
  for (int i = 0; i < o_.sparse + o_.dense; ++i) {
    const auto& weights = launch.input(at.sparse_weights + i);  // the dense ones follow
    auto deltas = make_zeros(launch, weights.shape());
    if (!deltas) return deltas.status();
    if (i < o_.sparse) {
      auto features = SparseFeatures::of(
          {.example_indices = launch.input(at.example_indices + i),
           .feature_indices = launch.input(at.feature_indices + i),
           .values = i < o_.with_values ? &launch.input(at.values + i) : nullptr,
           .weight_indices = launch.input(at.sparse_indices + i),
           .weights = weights},
          size(), *deltas);
      if (!features) return features.status();
      sparse_.push_back(*std::move(features));
    } else {
      auto features =
          DenseFeatures::of(launch.input(at.dense + i - o_.sparse), size(), weights, *deltas);
      if (!features) return features.status();
      dense_.push_back(*features);
    }
    launch.set(1 + i, *std::move(deltas));
  }
  return {};
}

double Batch::squared_norm(int64_t example) const {
  double sum = 0;
  for (const auto& features : sparse_) sum += features.squared_norm(example);
  for (const auto& features : dense_) sum += features.squared_norm(example);
  return sum;
}

Scores Batch::scores(int64_t example) const {
  Scores sum;
  auto add = [&](const auto& features) {
    auto scores = features.scores(example, static_cast<float>(o_.partitions), o_.regularization);
    sum.before += scores.before;
    sum.now += scores.now;
  };
  for (const auto& features : sparse_) add(features);
  for (const auto& features : dense_) add(features);
  return sum;
}

void Batch::learn(const Order& order) {
  for (auto example : order) learn_from(example);
}

void Batch::learn_from(int64_t example) {
  auto found = scores(example);
  auto* state = state_ + 4 * example;
  auto norm = squared_norm(example) / o_.regularization.l2;
  DualStep step = {
      .label = label(example),
      .weight = weight(example),
      .dual = state[0],
      .score = found.now,
      .curvature = static_cast<double>(o_.partitions) * norm * weight(example)};
  auto dual = o_.loss->best_dual(step);
  auto factor = (dual - step.dual) * step.weight / o_.regularization.l2;
  for (auto& features : sparse_) features.add(example, factor);
  for (auto& features : dense_) features.add(example, factor);
  state[0] = static_cast<float>(dual);
  state[1] = static_cast<float>(o_.loss->primal_loss(found.before, step.label, step.weight));
  state[2] = static_cast<float>(o_.loss->dual_loss(step.dual, step.label, step.weight));
  state[3] = weight(example);
}

std::vector<double> Batch::likelihoods() const {
  std::vector<double> found;
  for (int64_t i = 0; i < size(); ++i) {
    auto gap = state_[4 * i] + o_.loss->slope(scores(i).now, label(i));
    auto scale = squared_norm(i) + o_.regularization.l2 * o_.loss->smoothness();
    found.push_back(weight(i) * std::sqrt(scale) * std::abs(gap));
  }
  return found;
}

Status learn(Launch& launch, const Options& options) {
  auto batch = Batch::of(launch, options);
  if (!batch) return batch.status();
  std::mt19937_64 random(fresh_seed());  // the op has no seed
  batch->learn(
      options.is_adaptive ? adaptive_order(batch->likelihoods(), random)
                          : shuffled_order(batch->size(), random));
  return {};
}

Regularization regularization_of(const Node& node) {
  return {node.attr<float>("l1"), node.attr<float>("l2")};
}

/// `adaptive`: the name of that attribute.
Result<Kernel> make_learn(const Node& node, const char* adaptive) {
  auto count = [&](const char* name) { return static_cast<int>(node.attr<int64_t>(name)); };
  Options options = {
      .loss = find_loss(node.attr<std::string>("loss_type")),
      .is_adaptive = node.attr<bool>(adaptive),
      .sparse = count("num_sparse_features"),
      // TensorFlow ignores values that have no indices.
      .with_values = count("num_sparse_features_with_values"),
      .dense = count("num_dense_features"),
      .partitions = node.attr<int64_t>("num_loss_partitions"),
      .regularization = regularization_of(node)};
  CHECK(options.loss);
  if (options.sparse + options.dense == 0)
    return invalid_argument("Requires at least one feature to train.");
  return Kernel{.compute = [options](Launch& launch) { return learn(launch, options); }};
}

/// The weights of the inputs, which no other update changes while it lives.
class HeldWeights {
 public:
  /// Fails, having changed nothing, unless all are variables with values of float32.
  Status hold(const Launch& launch);
  void shrink(const Regularization& by);

 private:
  struct Held {
    VariableUpdate update;
    Tensor next = {};
    int inputs = 0;  // that are this variable

    explicit Held(VariableResource& variable) : update(variable) {}
  };

  std::deque<Held> held_;
};

Status HeldWeights::hold(const Launch& launch) {
  std::vector<std::pair<VariableResource*, int>> inputs;
  for (int i = 0; i < launch.input_count(); ++i) {
    auto variable = variable_input(launch, i);
    if (!variable) return variable.status();
    inputs.emplace_back(*variable, i);
  }
  std::ranges::sort(inputs, [](const auto& a, const auto& b) {
    return std::less<>()(a.first, b.first);  // so that updates cannot deadlock
  });
  const VariableResource* last = nullptr;
  for (auto [variable, input] : inputs) {
    if (variable != last) {
      last = variable;
      const auto& value = held_.emplace_back(*variable).update.value();
      if (!value.is_set()) return no_value(launch, input);
      if (value.dtype() != DType::float32)
        return invalid_argument(
            std::string("weights must be float32, but a variable is ") + to_string(value.dtype()));
      auto next = allocate_update(launch, value);
      if (!next) return next.status();
      held_.back().next = *std::move(next);
    }
    ++held_.back().inputs;
  }
  return {};
}

void HeldWeights::shrink(const Regularization& by) {
  for (auto& held : held_) {
    for (; held.inputs > 0; --held.inputs) {
      auto& value = held.update.value();
      const auto* from = value.data<float>();
      shrink_all(from, held.next.mutable_data<float>(), value.elements(), by);
      value = held.next;
    }
    held.next = {};  // the variable is its only owner
  }
}

Result<Kernel> make_shrink(const Node& node) {
  return Kernel{.compute = [by = regularization_of(node)](Launch& launch) -> Status {
    HeldWeights weights;
    auto status = weights.hold(launch);
    if (!status.ok()) return status;
    weights.shrink(by);
    for (int i = 0; i < launch.input_count(); ++i) note_change(launch, i);
    return {};
  }};
}

Status set_fingerprints(Launch& launch) {
  const auto& texts = launch.input(0);
  if (texts.shape().rank() != 1)
    return invalid_argument("Input must be a vector, got shape " + texts.shape().to_string());
  auto out = launch.allocate(DType::int64, {texts.elements(), 2});
  if (!out) return out.status();
  auto* halves = out->mutable_data<int64_t>();
  auto status = each_element(texts.elements(), [&](int64_t i) -> Status {
    const auto& text = texts.data<std::string>()[i];
    auto print = util::Fingerprint128(text.data(), text.size());
    auto low = util::Uint128Low64(print);
    // 0 and 1 are the keys of tables that stand for none.
    halves[2 * i] = static_cast<int64_t>(low >= 2 ? low : low - 2);
    halves[2 * i + 1] = static_cast<int64_t>(util::Uint128High64(print));
    return {};
  });
  launch.set(0, *std::move(out));
  return status;
}

}  // namespace
}  // namespace sdca

void add_sdca_kernels(KernelCatalog& catalog) {
  catalog.add(
      "SdcaOptimizer", [](const Node& node) { return sdca::make_learn(node, "adaptative"); });
  catalog.add(
      "SdcaOptimizerV2", [](const Node& node) { return sdca::make_learn(node, "adaptive"); });
  catalog.add("SdcaShrinkL1", sdca::make_shrink);
  add_string_kernel(catalog, "SdcaFprint", sdca::set_fingerprints);
}

}  // namespace troupe::cpu
