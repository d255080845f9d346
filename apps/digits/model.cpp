#include "troupe/apps/digits/model.hpp"

#include <cmath>

#include "troupe/apps/digits/dataset.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::digits {

namespace {

constexpr int64_t hidden_width = 128;

/// x weights + biases, with the variables on the device of `state` and the ops on that of
/// `compute`.
Value dense(
    const Builder& compute, const Builder& state, const Value& x, int64_t width, int64_t seed) {
  auto input_width = x.shape()[1];
  auto spread = std::sqrt(2.0 / static_cast<double>(input_width));
  auto noise = state.random_normal({input_width, width}, DType::float32, seed, /*seed2=*/width);
  auto weights = state.variable("weights", noise * spread);
  auto biases = state.variable("biases", state.zeros(DType::float32, {width}));
  return compute.matmul(x, weights) + biases;
}

}  // namespace

Model make_model(int worker, const Optimizer& optimizer, int64_t seed) {
  Builder b;
  auto ps = b.on(task_name("ps", 0)).container("digits");
  auto here = b.on(task_name("worker", worker));

  auto images = here.named("images").placeholder(DType::float32, {Shape::unknown, pixel_count});
  auto labels = here.named("labels").placeholder(DType::int64, {Shape::unknown});

  auto hidden = here.relu(dense(here, ps.scope("hidden"), images, hidden_width, seed));
  auto logits = dense(here, ps.scope("output"), hidden, class_count, seed);
  auto loss = here.reduce_mean(here.sparse_softmax_cross_entropy(labels, logits));
  auto step = minimize(here, loss, optimizer);
  auto global_step = ps.variable("global_step", ps.constant<int64_t>(0));
  auto counted = global_step.assign_add(ps.constant<int64_t>(1));

  return {
      .builder = b,
      .images = images,
      .labels = labels,
      .initialize = ps.initializer(),
      .train = here.group({step, counted}),
      .loss = loss,
      .global_step = global_step.value(),
      .predicted = here.arg_max(logits, 1)};
}

}  // namespace troupe::digits
