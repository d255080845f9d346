#include <boost/test/unit_test.hpp>
#include <random>

#include "troupe/graph/build/layers/convolutional.hpp"
#include "troupe/graph/build/layers/core.hpp"
#include "troupe/graph/build/losses/losses.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr int64_t rows = 64, side = 32, channels = 3, classes = 10;

/// Two convolutions and two dense layers for images of 32 x 32 pixels with 3 colours.
struct Network {
  Builder b;
  Value images, labels, loss, accuracy, train, initialize;

  Network() {
    images = b.placeholder(DType::float32, {rows, side, side, channels});
    labels = b.placeholder(DType::int64, {rows});
    auto layer = [&](const Value& from, int64_t filters) {
      auto filtered = layers::conv2d(
          b, from, filters, {3},
          {.padding = "same",
           .activation = nn::relu,
           .kernel_initializer = glorot_uniform_initializer(filters)});
      return layers::max_pooling2d(b, filtered);
    };
    auto flat = layers::flatten(b, layer(layer(images, 16), 32));
    auto hidden = layers::dense(
        b, flat, 64, {.activation = nn::relu, .kernel_initializer = glorot_uniform_initializer(3)});
    auto logits =
        layers::dense(b, hidden, classes, {.kernel_initializer = glorot_uniform_initializer(4)});
    loss = b.reduce_mean(b.sparse_softmax_cross_entropy(labels, logits));
    accuracy = b.reduce_mean(b.cast(b.equal(b.arg_max(logits, 1), labels), DType::float32));
    train = minimize(b, loss, Momentum{.learning_rate = 0.007});
    initialize = b.initializer();
  }
};

/// Images of a pattern for each class under much noise.
class Images {
 public:
  Images() {
    std::normal_distribution<float> normal;
    for (auto& pixel : patterns_) pixel = normal(random_);
  }

  std::vector<Feed> batch(const Network& network) {
    std::normal_distribution<float> noise(0, 2.5f);
    std::vector<float> pixels;
    std::vector<int64_t> labels;
    for (int64_t row = 0; row < rows; ++row) {
      auto label = static_cast<int64_t>(random_() % classes);
      labels.push_back(label);
      for (int64_t i = 0; i < size; ++i)
        pixels.push_back(patterns_[static_cast<size_t>(label * size + i)] + noise(random_));
    }
    return {
        {network.images, Tensor::of<float>({rows, side, side, channels}, pixels)},
        {network.labels, Tensor::of<int64_t>({rows}, labels)}};
  }

 private:
  static constexpr int64_t size = side * side * channels;
  std::mt19937 random_{1};
  std::vector<float> patterns_ = std::vector<float>(size * classes);
};

struct Training {
  std::vector<float> losses;
  double accuracy = 0;
};

/// Trains so many steps, and measures the accuracy with so many batches.
Training train(std::unique_ptr<Device> device, int steps, int batches) {
  Network network;
  BOOST_TEST_REQUIRE(network.b.status().ok(), network.b.status().to_string());
  GraphRunner runner(std::move(device));
  Images images;
  Training training;
  auto run = [&](const std::vector<Feed>& feeds, const Value& fetched, const Value* also) {
    std::vector<Ref> targets;
    if (also) targets.push_back(*also);
    auto got = runner.run(network.b, feeds, {fetched}, targets);
    BOOST_TEST_REQUIRE(got.ok(), got.status().to_string());
    return got->front().value<float>();
  };
  auto initialized = runner.run(network.b, {}, {}, {network.initialize});
  BOOST_TEST_REQUIRE(initialized.ok(), initialized.status().to_string());
  for (int step = 0; step < steps; ++step)
    training.losses.push_back(run(images.batch(network), network.loss, &network.train));
  for (int i = 0; i < batches; ++i)
    training.accuracy += double(run(images.batch(network), network.accuracy, nullptr)) / batches;
  return training;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(training_on_a_card)

BOOST_AUTO_TEST_CASE(the_first_steps_of_a_convolutional_network_are_those_of_the_cpu) {
  constexpr int steps = 3;
  auto on_card = train(make_gpu(), steps, 0), on_cpu = train(make_cpu_device(), steps, 0);
  for (size_t step = 0; step < steps; ++step)
    BOOST_TEST(std::abs(on_card.losses[step] - on_cpu.losses[step]) < 1e-3F, "step " << step);
}

BOOST_AUTO_TEST_CASE(
    a_convolutional_network_learns_as_on_the_cpu, *boost::unit_test::precondition(are_real_cards)) {
  constexpr int steps = 150, batches = 10;
  auto on_card = train(make_gpu(), steps, batches);
  auto on_cpu = train(make_cpu_device(), steps, batches);
  BOOST_TEST_MESSAGE(
      "loss " << on_card.losses.front() << " to " << on_card.losses.back() << ", on the CPU "
              << on_cpu.losses.front() << " to " << on_cpu.losses.back() << "; accuracy "
              << on_card.accuracy << ", on the CPU " << on_cpu.accuracy);
  BOOST_TEST(std::abs(on_card.losses[0] - on_cpu.losses[0]) < 1e-4F);
  BOOST_TEST(on_cpu.accuracy > 0.9);
  BOOST_TEST(on_card.accuracy > on_cpu.accuracy - 0.02);
}

BOOST_AUTO_TEST_SUITE_END()
