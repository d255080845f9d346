#include <algorithm>
#include <csignal>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr auto there = "/job:ps/task:0/device:GPU:0", here = "/job:worker/task:0/device:GPU:0";
constexpr int64_t elements = 16 << 20;  // 64 MiB

/// A variable on the card of a ps; a worker sums it up on its own.
struct VariableOnCard {
  Builder ps = Builder().on(there), worker = ps.on(here);
  Value element = ps.placeholder(DType::float32, {});
  Value filled = ps.fill(ps.constant(Tensor::of<int32_t>({1}, {int32_t{elements}})), element);
  Variable variable = ps.variable("large", filled);
  Value assign = variable.assign(filled);
  Value sum = worker.reduce_sum(variable.value());
};

/// False where the machine has no card, which is said.
bool has_cards(Client& client) {
  auto devices = client.list_devices();
  BOOST_TEST_REQUIRE(devices.ok(), devices.status().to_string());
  auto has = std::ranges::any_of(devices->devices, [](const auto& device) {
    return device.name.find("GPU") != std::string::npos;
  });
  if (!has) BOOST_TEST_MESSAGE("skipped: the machine has no card");
  return has;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(card_memory_of_processes)

BOOST_AUTO_TEST_CASE(a_card_of_another_process_reads_the_newest_value_by_all_ways) {
  for (const auto& way : {std::vector<std::string>{}, {"--tcp-only"}}) {
    auto flags = way;
    flags.insert(flags.end(), {"--gpu-memory-limit", "1GiB"});
    NodeCluster nodes({{"ps", 1}, {"worker", 1}}, flags);
    auto client = connect(nodes.target("worker", 0));
    if (!has_cards(*client)) return;
    auto session = open(*client);
    VariableOnCard large;
    BOOST_REQUIRE(session->extend(large.ps).ok());
    for (float element = 1; element <= 20; ++element) {
      auto assigned = session->run({{large.element, Tensor::scalar(element)}}, {}, {large.assign});
      BOOST_TEST_REQUIRE(assigned.ok(), assigned.status().to_string());
      auto sum = session->run({}, {large.sum});
      BOOST_TEST_REQUIRE(sum.ok(), sum.status().to_string());
      BOOST_TEST(sum->at(0).value<float>() == element * elements);
    }
    auto& worker = nodes.node("worker", 0);
    worker.send(SIGTERM);
    BOOST_TEST(worker.wait().has_value());
    auto log = worker.output() + worker.errors();
    auto lends = log.find("lends memory of its card") != std::string::npos;
    auto copies = log.find("are copied by way of its memory") != std::string::npos;
    BOOST_TEST_MESSAGE((way.empty() ? "" : way[0]) << (lends ? " lent" : " copied"));
    BOOST_TEST((way.empty() ? lends != copies : !lends && !copies));
  }
}

BOOST_AUTO_TEST_CASE(a_task_whose_peer_with_the_card_is_killed_goes_on) {
  NodeCluster nodes(
      {{"ps", 1}, {"worker", 1}}, {"--gpu-memory-limit", "1GiB", "--heartbeat", "0.5"});
  auto client = connect(nodes.target("worker", 0));
  if (!has_cards(*client)) return;
  auto session = open(*client);
  VariableOnCard large;
  BOOST_REQUIRE(session->extend(large.ps).ok());
  BOOST_REQUIRE(session->run({{large.element, Tensor::scalar(1.0F)}}, {}, {large.assign}).ok());
  for (int i = 0; i < 3; ++i) BOOST_TEST(session->run({}, {large.sum}).ok());
  nodes.node("ps", 0).send(SIGKILL);
  BOOST_TEST(!session->run({}, {large.sum}).ok());
  auto alone = open(*client);
  Builder worker = Builder().on(here);
  auto twice =
      worker.add(worker.constant(Tensor::scalar(1.0F)), worker.constant(Tensor::scalar(1.0F)));
  BOOST_REQUIRE(alone->extend(worker).ok());
  auto sum = alone->run({}, {twice});
  BOOST_TEST_REQUIRE(sum.ok(), sum.status().to_string());
  BOOST_TEST(sum->at(0).value<float>() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
