#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// A classifier whose variables are on one task and which computes on another, each on its device
/// of that kind.
struct Classifier {
  explicit Classifier(const std::string& device) {
    auto ps = b.on("/job:ps/task:0/device:" + device);
    auto worker = b.on("/job:worker/task:0/device:" + device);
    auto host = b.on("/job:worker/task:0/device:CPU:0");
    x = host.placeholder(DType::float32, {Shape::unknown, 4});
    labels = host.placeholder(DType::int64, {Shape::unknown});
    hidden = ps.variable("hidden", ps.constant(weights({4, 8})));
    output = ps.variable("output", ps.constant(weights({8, 3})));
    auto logits = worker.matmul(worker.relu(worker.matmul(x, hidden)), output);
    loss = worker.reduce_mean(worker.op("SparseSoftmaxCrossEntropyWithLogits", {logits, labels}));
    train = minimize(
        worker, loss, Momentum{.learning_rate = 0.2, .momentum = 0.9},
        {.var_list = {hidden, output}});
    initialize = b.initializer();
    trained = {hidden.value(), output.value()};
  }

  static Tensor weights(const Shape& shape) {
    std::vector<float> values;
    for (int64_t i = 0; i < shape.elements(); ++i)
      values.push_back(0.1f * static_cast<float>(i % 7) - 0.3f);
    return Tensor::of<float>(shape, std::span<const float>(values));
  }

  Builder b;
  Value x, labels, loss, train, initialize;
  Values trained;
  Variable hidden, output;
};

/// The losses of a few steps, and the weights after them.
Tensors train(sim::Cluster& cluster, const std::string& device) {
  Classifier model(device);
  auto session = cluster.session("/job:worker/task:0");
  BOOST_TEST_REQUIRE(session.extend(model.b.graph()).ok());
  auto initialized = session.run({}, {}, {model.initialize});
  BOOST_TEST_REQUIRE(initialized.ok(), initialized.status().to_string());
  Tensors values;
  std::vector<Feed> feeds = {
      {model.x, Classifier::weights({6, 4})},
      {model.labels, Tensor::of<int64_t>({6}, {0, 1, 2, 0, 1, 2})}};
  for (int step = 0; step < 10; ++step) {
    auto answer = session.run(feeds, {model.loss}, {model.train});
    BOOST_TEST_REQUIRE(answer.ok(), answer.status().to_string());
    values.push_back((*answer)[0]);
  }
  auto trained = session.run({}, {model.trained[0], model.trained[1]});
  BOOST_TEST_REQUIRE(trained.ok());
  values.insert(values.end(), trained->begin(), trained->end());
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(accelerators)

BOOST_DATA_TEST_CASE(
    training_on_asynchronous_devices_gives_what_it_gives_on_a_host,
    boost::unit_test::data::xrange(5), seed) {
  sim::Cluster cluster(
      {{"ps", 1}, {"worker", 1}}, sim::Seed{static_cast<uint64_t>(seed)}, {.accelerators = 1});
  auto on_host = train(cluster, "CPU:0");
  BOOST_TEST_REQUIRE(cluster.reset("/job:ps/task:0", {""}, 10s).ok());
  auto on_device = train(cluster, "GPU:0");
  BOOST_REQUIRE(on_host.size() == on_device.size());
  for (size_t i = 0; i < on_host.size(); ++i) BOOST_TEST(equal(on_host[i], on_device[i]));
  BOOST_TEST(on_host[9].value<float>() < on_host[0].value<float>());
}

BOOST_AUTO_TEST_CASE(tensors_between_devices_of_one_task_stay_in_device_memory) {
  sim::Cluster cluster({{"ps", 1}}, sim::Seed{1}, {.accelerators = 2});
  auto session = cluster.session("/job:ps/task:0");
  Builder b;
  auto first = b.on("/job:ps/task:0/device:GPU:0"), second = b.on("/job:ps/task:0/device:GPU:1");
  auto x = b.placeholder(DType::float32, {2});
  auto y = second.exp(first.square(x));
  BOOST_TEST_REQUIRE(session.extend(b.graph()).ok());
  auto answer = session.run({{x, Tensor::of<float>({2}, {1, 0})}}, {y});
  BOOST_TEST_REQUIRE(answer.ok(), answer.status().to_string());
  BOOST_TEST(equal((*answer)[0], Tensor::of<float>({2}, {std::exp(1.0f), 1})));
}

BOOST_DATA_TEST_CASE(
    what_two_machines_copy_while_it_is_on_its_way_is_whole, boost::unit_test::data::xrange(5),
    seed) {
  sim::Options options{
      .network =
          {.link_sizes = {.inline_bytes = 4096, .piece_bytes = 8192, .in_part_bytes_min = 16384}},
      .accelerators = 1};
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{static_cast<uint64_t>(seed)}, options);
  auto session = cluster.session("/job:worker/task:0");
  Builder b;
  auto far = b.on("/job:ps/task:0/device:GPU:0"), near = b.on("/job:worker/task:0/device:GPU:0");
  auto x = b.placeholder(DType::float32, {Shape::unknown});
  auto y = near.neg(far.square(x));
  BOOST_TEST_REQUIRE(session.extend(b.graph()).ok());
  constexpr int64_t elements = 50'000;  // in a dozen pieces of the copy, and more of the link
  auto feed = [](int step) {
    auto value = *Tensor::allocate(DType::float32, {elements});
    std::fill_n(value.mutable_data<float>(), elements, static_cast<float>(step));
    return value;
  };
  auto check = [&](const Result<Tensors>& answer, int step) {
    BOOST_TEST_REQUIRE(answer.ok(), answer.status().to_string());
    auto expected = -static_cast<float>(step * step);
    BOOST_TEST(std::ranges::count((*answer)[0].values<float>(), expected) == elements);
  };
  check(session.run({{x, feed(1)}}, {y}), 1);
  auto lost = session.start({{x, feed(2)}}, {y}), step = session.start({{x, feed(3)}}, {y});
  cluster.at(cluster.now() + std::chrono::microseconds(300 * seed)).crash("/job:ps/task:0");
  cluster.run_for(2ms);
  cluster.run_until([&] { return lost.is_done() && step.is_done(); });
  cluster.end_all_faults();
  BOOST_TEST(cluster.run_until([&] { return session.run({{x, feed(4)}}, {y}).status().ok(); }));
  check(session.run({{x, feed(5)}}, {y}), 5);
}

BOOST_AUTO_TEST_CASE(what_is_left_of_an_accelerator_in_the_middle_of_a_step_harms_nobody) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{3}, {.accelerators = 1});
  auto session = cluster.session("/job:worker/task:0");
  Builder b;
  auto far = b.on("/job:ps/task:0/device:GPU:0");
  auto x = b.placeholder(DType::float32, {2});
  auto y = far.exp(far.square(x));
  BOOST_TEST_REQUIRE(session.extend(b.graph()).ok());
  std::vector<Feed> feeds = {{x, Tensor::of<float>({2}, {1, 0})}};
  BOOST_TEST_REQUIRE(session.run(feeds, {y}).status().ok());
  auto step = session.start(feeds, {y});
  cluster.at(cluster.now() + 1ms).crash("/job:ps/task:0");
  cluster.run_until(step.done());
  BOOST_TEST((step.status().ok() || step.status().code() == Code::unavailable));
  cluster.end_all_faults();
  BOOST_TEST(cluster.run_until([&] { return session.run(feeds, {y}).status().ok(); }));
}

BOOST_AUTO_TEST_SUITE_END()
