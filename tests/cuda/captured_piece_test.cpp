#include <boost/test/unit_test.hpp>
#include <random>

#include "troupe/graph/build/builder.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/plan_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

Tensor random_tensor(const Shape& shape, uint32_t seed) {
  auto made = Tensor::allocate(DType::float32, shape);
  BOOST_TEST_REQUIRE(made.ok());
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  for (int64_t i = 0; i < made->elements(); ++i) made->mutable_data<float>()[i] = between(random);
  return *made;
}

/// Steps of the same graph with and without captured work.
struct Cards {
  std::shared_ptr<accelerator::AcceleratorDevice> captures = make_gpu();
  std::shared_ptr<accelerator::AcceleratorDevice> plain = make_gpu({.graphs = {.are_kept = false}});

  /// Feeds of several steps, and some shapes: all bits are the same.
  void check(const std::shared_ptr<const Graph>& graph, const std::vector<Tensors>& feeds) {
    PlanSteps got(graph, *captures), as(graph, *plain);
    for (const auto& fed : feeds) {
      auto expected = as.run(fed), values = got.run(fed);
      BOOST_TEST_REQUIRE(expected.ok(), expected.status().to_string());
      BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
      for (size_t i = 0; i < values->size(); ++i) BOOST_TEST(equal((*values)[i], (*expected)[i]));
    }
    BOOST_TEST_MESSAGE(captures->describe_graphs());
  }
  bool says(const std::string& text) const {
    return captures->describe_graphs().find(text) != std::string::npos;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(captured_piece_of_a_card)

BOOST_AUTO_TEST_CASE(a_chain_of_a_thousand_nodes_has_the_same_bits_when_it_is_replayed) {
  PartGraph part;
  auto last = part.arg(0);
  for (int i = 0; i < 1000; ++i)
    last = part.op(i % 3 == 2 ? "Tanh" : i % 3 ? "Exp" : "Neg", {last});
  part.retval(0, last);
  Cards cards;
  std::vector<Tensors> feeds;
  for (uint32_t step = 0; step < 6; ++step)
    for (int64_t elements : {1, 1000}) feeds.push_back({random_tensor({elements}, step)});
  cards.check(part.graph(), feeds);
  BOOST_TEST(cards.says("2 captures"), cards.captures->describe_graphs());
  BOOST_TEST(cards.says("10 replays"), cards.captures->describe_graphs());
  BOOST_TEST(!cards.says("refusal"), cards.captures->describe_graphs());
}

/// Two layers, a loss and the gradients of all weights, which are fed.
BOOST_AUTO_TEST_CASE(layers_and_their_gradients_have_the_same_bits_when_they_are_replayed) {
  PartGraph part;
  auto x = part.arg(0), w1 = part.arg(1), b1 = part.arg(2), w2 = part.arg(3), labels = part.arg(4);
  auto hidden = part.op("Relu", {part.op("BiasAdd", {part.op("MatMul", {x, w1}), b1})});
  auto logits = part.op("MatMul", {hidden, w2});
  auto loss = part.op("SoftmaxCrossEntropyWithLogits", {logits, labels});
  auto grad = loss + ":1";
  auto to_hidden = part.op("MatMul", {grad, w2}, {{"transpose_b", true}});
  auto back = part.op("ReluGrad", {to_hidden, hidden});
  part.retval(0, loss);
  part.retval(1, part.op("MatMul", {hidden, grad}, {{"transpose_a", true}}));
  part.retval(2, part.op("MatMul", {x, back}, {{"transpose_a", true}}));
  part.retval(3, part.op("BiasAddGrad", {back}));
  Cards cards;
  std::vector<Tensors> feeds;
  for (uint32_t step = 0; step < 6; ++step)
    feeds.push_back(
        {random_tensor({64, 100}, step), random_tensor({100, 50}, 100 + step),
         random_tensor({50}, 200 + step), random_tensor({50, 10}, 300 + step),
         random_tensor({64, 10}, 400 + step)});
  cards.check(part.graph(), feeds);
  BOOST_TEST(cards.says("replays"), cards.captures->describe_graphs());
  BOOST_TEST(!cards.says("refusal"), cards.captures->describe_graphs());
}

BOOST_AUTO_TEST_CASE(steps_that_run_at_once_have_their_own_values_when_they_are_replayed) {
  PartGraph part;
  auto last = part.arg(0);
  for (int i = 0; i < 100; ++i) last = part.op(i % 2 ? "Exp" : "Neg", {last});
  part.retval(0, last);
  Cards cards;
  PlanSteps got(part.graph(), *cards.captures), as(part.graph(), *cards.plain);
  for (uint32_t round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<PlanSteps::Running>> running;
    for (uint32_t step = 0; step < 8; ++step)
      running.push_back(got.start_step({random_tensor({200}, 10 * round + step)}));
    for (uint32_t step = 0; step < 8; ++step) {
      auto values = running[step]->wait();
      auto expected = as.run({random_tensor({200}, 10 * round + step)});
      BOOST_TEST_REQUIRE((values.ok() && expected.ok()));
      BOOST_TEST(equal((*values)[0], (*expected)[0]));
    }
  }
  BOOST_TEST(cards.says("replays"), cards.captures->describe_graphs());
}

BOOST_AUTO_TEST_SUITE_END()
