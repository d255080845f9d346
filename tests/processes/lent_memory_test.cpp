#include <chrono>
#include <csignal>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A variable of 100 MiB on a ps; a worker sums it up.
struct LargeVariable {
  Builder ps = Builder().on("/job:ps/task:0"), worker = ps.on("/job:worker/task:0");
  Value element = ps.placeholder(DType::float32, {});
  Value elements = ps.fill(ps.constant(Tensor::of<int32_t>({1}, {25 << 20})), element);
  Variable variable = ps.variable("large", elements);
  Value assign = variable.assign(elements);
  Value sum = worker.reduce_sum(variable.value());
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lent_memory)

BOOST_AUTO_TEST_CASE(another_process_reads_the_newest_value_with_and_without_shared_memory) {
  for (const auto& flags : {std::vector<std::string>{}, {"--tcp-only"}}) {
    NodeCluster nodes({{"ps", 1}, {"worker", 1}}, flags);
    auto client = connect(nodes.target("worker", 0));
    auto session = open(*client);
    LargeVariable large;
    BOOST_REQUIRE(session->extend(large.ps).ok());
    for (float element = 1; element <= 5; ++element) {
      auto value = Tensor::scalar(element);
      BOOST_REQUIRE(session->run({{large.element, value}}, {}, {large.assign}).ok());
      auto sum = session->run({}, {large.sum});
      BOOST_REQUIRE(sum.ok());
      BOOST_TEST(sum->at(0).value<float>() == element * (25 << 20));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_was_lent_to_a_silent_process_is_used_again_once_that_has_ended) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}}, {"--memory-limit", "250MiB", "--heartbeat", "0.5"});
  auto client = connect(nodes.target("ps", 0));
  auto session = open(*client);
  LargeVariable large;
  BOOST_REQUIRE(session->extend(large.ps).ok());
  auto update = [&] {
    return session->run({{large.element, Tensor::scalar(1.0f)}}, {}, {large.assign}).status();
  };
  BOOST_REQUIRE(update().ok());
  BOOST_REQUIRE(session->run({}, {large.sum}).ok());
  nodes.node("worker", 0).send(SIGSTOP);
  BOOST_TEST(!session->run({}, {large.sum}).ok());
  BOOST_TEST(update().ok());
  BOOST_TEST((update().code() == Code::resource_exhausted));
  nodes.node("worker", 0).send(SIGKILL);
  auto deadline = std::chrono::steady_clock::now() + test_timeout;
  auto status = update();
  while (!status.ok() && std::chrono::steady_clock::now() < deadline) status = update();
  BOOST_TEST(status.ok(), status.to_string());
}

BOOST_AUTO_TEST_SUITE_END()
