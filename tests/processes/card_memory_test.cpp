#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

const std::map<std::string, int> jobs = {{"ps", 1}, {"worker", 1}};
constexpr auto there = "/job:ps/task:0/device:GPU:0", here = "/job:worker/task:0/device:GPU:0";

/// A variable on the card of a ps; a worker sums it up on its own.
struct VariableOnCard {
  explicit VariableOnCard(int64_t elements) : elements(static_cast<int32_t>(elements)) {}

  int32_t elements;
  Builder ps = Builder().on(there), worker = ps.on(here);
  Value element = ps.placeholder(DType::float32, {});
  Value filled = ps.fill(ps.constant(Tensor::of<int32_t>({1}, {elements})), element);
  Variable variable = ps.variable("large", filled);
  Value assign = variable.assign(filled);
  Value sum = worker.reduce_sum(variable.value());
};

/// A ps and a worker that share the machine's card, or, where it has none, have emulated ones,
/// whose tensors are smaller.
class NodesWithCards {
 public:
  explicit NodesWithCards(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--gpu-memory-limit", "1GiB"});
    nodes_ = std::make_unique<NodeCluster>(jobs, flags);
    if (has_cards()) return;
    ::setenv(variable, TROUPE_EMULATED_CARDS, 1);
    is_emulated_ = true;
    nodes_ = std::make_unique<NodeCluster>(jobs, flags);
    BOOST_TEST_REQUIRE(has_cards());
  }
  NodesWithCards(const NodesWithCards&) = delete;
  ~NodesWithCards() {
    if (is_emulated_) ::unsetenv(variable);
  }

  NodeCluster* operator->() { return nodes_.get(); }
  int64_t elements() const { return is_emulated_ ? 4 << 20 : 16 << 20; }  // of float32
  int rounds() const { return is_emulated_ ? 5 : 20; }

 private:
  static constexpr auto variable = "TROUPE_CARD_LIBRARY";

  bool has_cards() {
    auto devices = connect(nodes_->target("worker", 0))->list_devices();
    BOOST_TEST_REQUIRE(devices.ok(), devices.status().to_string());
    return std::ranges::any_of(devices->devices, [](const auto& device) {
      return device.name.find("GPU") != std::string::npos;
    });
  }

  std::unique_ptr<NodeCluster> nodes_;
  bool is_emulated_ = false;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(card_memory_of_processes)

BOOST_AUTO_TEST_CASE(a_card_of_another_process_reads_the_newest_value_by_all_ways) {
  for (const auto& way : {std::vector<std::string>{}, {"--tcp-only"}}) {
    NodesWithCards nodes(way);
    auto client = connect(nodes->target("worker", 0));
    auto session = open(*client);
    VariableOnCard large(nodes.elements());
    BOOST_REQUIRE(session->extend(large.ps).ok());
    for (int round = 1; round <= nodes.rounds(); ++round) {
      auto element = static_cast<float>(round);
      auto assigned = session->run({{large.element, Tensor::scalar(element)}}, {}, {large.assign});
      BOOST_TEST_REQUIRE(assigned.ok(), assigned.status().to_string());
      auto sum = session->run({}, {large.sum});
      BOOST_TEST_REQUIRE(sum.ok(), sum.status().to_string());
      BOOST_TEST(sum->at(0).value<float>() == element * static_cast<float>(large.elements));
    }
    auto& worker = nodes->node("worker", 0);
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
  NodesWithCards nodes({"--heartbeat", "0.5"});
  auto client = connect(nodes->target("worker", 0));
  auto session = open(*client);
  VariableOnCard large(nodes.elements());
  BOOST_REQUIRE(session->extend(large.ps).ok());
  BOOST_REQUIRE(session->run({{large.element, Tensor::scalar(1.0F)}}, {}, {large.assign}).ok());
  for (int i = 0; i < 3; ++i) BOOST_TEST(session->run({}, {large.sum}).ok());
  nodes->node("ps", 0).send(SIGKILL);
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
