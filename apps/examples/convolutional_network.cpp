#include <iostream>
#include <random>

#include "troupe/capnp/client.hpp"
#include "troupe/graph/build/layers/convolutional.hpp"
#include "troupe/graph/build/layers/core.hpp"
#include "troupe/graph/build/layers/normalization.hpp"
#include "troupe/graph/build/losses/losses.hpp"
#include "troupe/graph/build/optimizers/clip.hpp"
#include "troupe/graph/build/optimizers/global_step.hpp"
#include "troupe/graph/build/optimizers/learning_rate.hpp"

// Trains a small convolutional network to tell horizontal stripes from vertical ones, through the
// node of the command line. The variables are on the parameter server, all else is on the worker.

using namespace troupe;

constexpr int64_t image_size = 8;

struct Network {
  Builder b;
  Value images;    // to feed: float32[rows,8,8,1]
  Value labels;    // to feed: int64[rows], 0 or 1
  Value training;  // to feed: whether the step trains
  Value accuracy;
  Value global_step;
  Value train;
  Value initialize;
};

/// The updates of the variables, and of the moving averages that inference normalizes by.
Value make_step(const Builder& b, const Value& loss, const Values& updates, const Variable& step) {
  auto rate = exponential_decay(b, 0.01, step, {.decay_steps = 50, .decay_rate = 0.5});
  auto gradients = clip_by_global_norm(b, compute_gradients(b, loss), 5);
  return apply_gradients(b.after(updates), Adam{.learning_rate = rate}, gradients, step);
}

Network make_network() {
  Builder b;
  auto ps = b.on("/job:ps/task:0");
  auto worker = b.on("/job:worker/task:0");
  layers::LayerScope on_ps{.variables = ps};

  Shape of_images{Shape::unknown, image_size, image_size, 1};
  auto images = worker.named("images").placeholder(DType::float32, of_images);
  auto labels = worker.named("labels").placeholder(DType::int64, {Shape::unknown});
  auto training = worker.named("training").placeholder(DType::boolean, {});

  auto filtered = layers::conv2d(worker, images, 4, {3}, {.use_bias = false, .scope = on_ps});
  auto normal = layers::batch_normalization(
      worker, filtered, {.momentum = 0.9, .training = training, .scope = on_ps});
  auto pooled = layers::max_pooling2d(worker, nn::relu(worker, normal));
  auto hidden = layers::dense(
      worker, layers::flatten(worker, pooled), 16, {.activation = nn::relu, .scope = on_ps});
  auto kept = layers::dropout(worker, hidden, {.rate = 0.25, .training = training});
  auto logits = layers::dense(worker, kept, 2, {.scope = on_ps});

  auto loss = losses::sparse_softmax_cross_entropy(worker, labels, logits);
  auto is_right = worker.equal(worker.arg_max(logits, 1), labels);
  auto global_step = get_or_create_global_step(ps);
  auto train = make_step(worker, loss, normal.updates, global_step);
  return {
      .b = b,
      .images = images,
      .labels = labels,
      .training = training,
      .accuracy = worker.reduce_mean(worker.cast(is_right, DType::float32)),
      .global_step = global_step,
      .train = train,
      .initialize = b.initializer()};
}

/// Images of stripes and noise, and their labels.
std::vector<Feed> make_batch(const Network& network, std::mt19937& random, bool is_training) {
  constexpr int64_t rows = 64;
  std::vector<float> pixels;
  std::vector<int64_t> labels;
  std::normal_distribution<float> noise(0, 0.5f);
  for (int64_t row = 0; row < rows; ++row) {
    auto label = static_cast<int64_t>(random() % 2), phase = static_cast<int64_t>(random() % 4);
    labels.push_back(label);
    for (int64_t y = 0; y < image_size; ++y)
      for (int64_t x = 0; x < image_size; ++x)
        pixels.push_back(
            ((label == 0 ? y : x) + phase) % 4 < 2 ? 1 + noise(random) : noise(random));
  }
  return {
      {network.images, Tensor::of<float>({rows, image_size, image_size, 1}, pixels)},
      {network.labels, Tensor::of<int64_t>({rows}, labels)},
      {network.training, Tensor::scalar(is_training)}};
}

Status run(const std::string& target) {
  auto client = Client::connect(target);
  if (!client) return client.status();
  auto session = (*client)->session();
  if (!session) return session.status();
  auto network = make_network();
  auto status = (*session)->extend(network.b);
  if (status.ok()) status = (*session)->run({}, {}, {network.initialize}).status();
  std::mt19937 random(1);
  for (int step = 0; status.ok() && step < 100; ++step)
    status = (*session)->run(make_batch(network, random, true), {}, {network.train}).status();
  if (!status.ok()) return status;
  auto tested =
      (*session)->run(make_batch(network, random, false), {network.accuracy, network.global_step});
  if (!tested) return tested.status();
  std::cout << "accuracy " << (*tested)[0].value<float>() << " after "
            << (*tested)[1].value<int64_t>() << " steps\n";
  return {};
}

int main(int argc, char** argv) {
  auto status = run(argc > 1 ? argv[1] : "troupe://localhost:2223");
  if (status.ok()) return 0;
  std::cerr << status.to_string() << "\n";
  return 1;
}
