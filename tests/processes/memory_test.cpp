#include <atomic>
#include <chrono>
#include <thread>

#include "troupe/tests/process_usage.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A tensor of ones whose size is fed, and a second one, computed after it.
struct Large {
  Builder b = Builder().on("/job:worker/task:0");
  Value count = b.placeholder(DType::int32, {1});
  Value first = b.named("first").fill(count, b.constant(1.0f));
  Value second = b.after({first}).named("second").fill(count, b.constant(1.0f));
  Value sum = b.reduce_sum(first);
  Value both = b.add(sum, b.reduce_sum(second));
};

Result<Tensors> run(Session& session, const Large& large, int32_t mebibytes, const Value& fetch) {
  return session.run({{large.count, Tensor::of<int32_t>({1}, {mebibytes << 18})}}, {fetch});
}

double resident_memory(const Process& node) { return usage_of(node.pid()).memory_mib; }

}  // namespace

BOOST_AUTO_TEST_SUITE(node_memory)

BOOST_AUTO_TEST_CASE(a_step_over_the_limit_fails_alone_and_leaves_the_memory_free) {
  NodeCluster nodes({{"worker", 1}}, {"--memory-limit", "64MiB"});
  auto client = connect(nodes.target("worker", 0)), other = connect(nodes.target("worker", 0));
  BOOST_TEST(client->list_devices()->devices[0].attributes.memory_limit == 64u << 20);
  auto session = open(*client), bystander = open(*other);
  Large large;
  BOOST_REQUIRE(session->extend(large.b).ok());
  BOOST_REQUIRE(bystander->extend(large.b).ok());

  std::atomic<bool> is_over = false;
  std::atomic<int> steps = 0, failures = 0;
  std::thread beside([&] {
    for (; !is_over; ++steps) failures += !run(*bystander, large, 1, large.sum).ok();
  });
  for (int round = 0; round < 20; ++round) {
    auto refused = run(*session, large, 40, large.both).status();
    BOOST_TEST((refused.code() == Code::resource_exhausted), refused.to_string());
    BOOST_TEST(refused.where().node == "second");
    BOOST_TEST(refused.where().op == "Fill");
    BOOST_TEST(refused.where().device == "/job:worker/task:0/device:CPU:0");
    check_says(refused.message(), "a tensor of 41943040 bytes (float32[10485760]): 4");
    check_says(refused.message(), " bytes are in use, the limit is 67108864");
    auto fits = run(*session, large, 56, large.sum);
    BOOST_TEST(fits.ok(), fits.status().to_string());
  }
  is_over = true;
  beside.join();
  BOOST_TEST(steps > 0);
  BOOST_TEST(failures == 0);
}

// ThreadSanitizer keeps its notes on memory that was given back, four times as large.
#ifndef __SANITIZE_THREAD__
BOOST_AUTO_TEST_CASE(what_a_reset_frees_goes_back_to_the_system) {
  NodeCluster nodes({{"worker", 1}});
  auto& node = nodes.node("worker", 0);
  auto client = connect(nodes.target("worker", 0));
  auto before = resident_memory(node);
  {
    auto session = open(*client);
    Builder b;
    for (auto [count, size] : {std::pair(2, 1 << 24), {100, 1 << 18}, {1500, 1 << 14}})
      for (int i = 0; i < count; ++i) b.variable("v", b.random_uniform({size}, DType::float32));
    auto initialize = b.initializer();
    BOOST_REQUIRE(session->extend(b).ok());
    BOOST_REQUIRE(session->run({}, {}, {initialize}).ok());
  }
  BOOST_TEST(resident_memory(node) > before + 150);
  BOOST_REQUIRE(client->reset_all().ok());
  auto end = std::chrono::steady_clock::now() + test_timeout;
  auto kept_max = with_instrumentation(15);
  while (resident_memory(node) > before + kept_max && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  BOOST_TEST(resident_memory(node) <= before + kept_max);
  BOOST_TEST_MESSAGE(before << " MiB before, " << resident_memory(node) << " MiB after");
}
#endif

BOOST_AUTO_TEST_SUITE_END()
