#pragma once

#include <random>
#include <utility>

#include "troupe/graph/build/nn/cross_entropy.hpp"
#include "troupe/graph/build/optimizers/global_step.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/graph/train/run.hpp"

/// What one task of a logistic regression does: a parameter server holds the weights, workers train
/// them with examples of their own, which say whether 2a - b + 0.5 is positive. The program for
/// real machines and its simulated test share it.
class LogisticRegression {
 public:
  /// `seed` determines the examples. A step of more than step_timeout fails; 0: never.
  explicit LogisticRegression(uint64_t seed, std::chrono::milliseconds step_timeout = {})
      : random_(seed), step_timeout_(step_timeout) {}

  /// Trains until all workers have done `steps` together. The loss of the last step is then loss().
  troupe::Status run(troupe::train::Task& task, troupe::train::TrainingOptions options) {
    return troupe::train::run(
        task, [this](const troupe::Role& role) { return make_model(role); },
        [this](auto& session, const auto&) { return step(session); }, std::move(options));
  }

  troupe::train::TrainedModel make_model(const troupe::Role& role) {
    troupe::Builder b;
    auto ps = b.on(role.num_ps > 0 ? "/job:ps/task:0" : "");
    auto weights = ps.variable("weights", ps.constant(troupe::Tensor::of<float>({2, 1}, {0, 0})));
    auto bias = ps.variable("bias", ps.constant(0.0f));
    auto global_step = troupe::get_or_create_global_step(ps);
    examples_ = b.placeholder(troupe::DType::float32, {rows, 2});
    labels_ = b.placeholder(troupe::DType::float32, {rows, 1});
    auto logits = b.matmul(examples_, weights) + bias;
    loss_of_step_ =
        b.reduce_mean(troupe::nn::sigmoid_cross_entropy_with_logits(b, labels_, logits));
    train_ = minimize(
        b, loss_of_step_, troupe::GradientDescent{.learning_rate = 1},
        {.global_step = global_step});
    return {b, global_step};
  }

  troupe::Status step(troupe::train::MonitoredSession& session) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> examples, labels;
    for (int row = 0; row < rows; ++row) {
      auto a = uniform(random_), b = uniform(random_);
      examples.insert(examples.end(), {a, b});
      labels.push_back(2 * a - b + 0.5f > 0 ? 1.0f : 0.0f);
    }
    auto fetched = session.run(
        {{examples_, troupe::Tensor::of<float>({rows, 2}, std::span<const float>(examples))},
         {labels_, troupe::Tensor::of<float>({rows, 1}, std::span<const float>(labels))}},
        {loss_of_step_}, {train_}, {.timeout = step_timeout_});
    if (fetched) loss_ = (*fetched)[0].value<float>();
    return fetched.status();
  }

  /// Of this task's last step; 0 before the first.
  float loss() const { return loss_; }

 private:
  static constexpr int rows = 16;  // of a batch

  std::mt19937_64 random_;
  const std::chrono::milliseconds step_timeout_;
  troupe::Value examples_, labels_, loss_of_step_, train_;
  float loss_ = 0;
};
