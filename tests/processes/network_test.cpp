#include "troupe/tests/processes/support/network.hpp"

#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <thread>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

/// A parameter server on one host; a worker and its client on another.
struct TwoHosts {
  std::unique_ptr<Host> there;
  std::unique_ptr<Host> here;
  std::optional<Link> link;
  std::unique_ptr<Process> ps;
  std::unique_ptr<Process> worker;
  std::string ps_target;
  std::string worker_target;

  /// False, with a line that says why, where this machine does not permit it.
  bool can_start() {
    auto first = Host::make("10.77.0.1"), second = Host::make("10.77.0.2");
    for (auto* made : {&first, &second})
      if (!made->ok()) {
        std::cout << "skipped: no two hosts here: " << made->status().message() << std::endl;
        return false;
      }
    there = *std::move(first);
    here = *std::move(second);
    link.emplace(*there, *here);
    ps = start(*there, "ps");
    worker = start(*here, "worker");
    ps_target = await_target(*ps);
    worker_target = await_target(*worker);
    return true;
  }

  static std::unique_ptr<Process> start(const Host& host, const std::string& job) {
    Host::Scope scope(host);
    return start_node(
        {"--cluster", "ps=10.77.0.1:2222;worker=10.77.0.2:2222", "--job", job, "--bind",
         host.address(), "--insecure", "--connect-timeout", "5"});
  }

  std::unique_ptr<Client> connect_here(const std::string& target) const {
    Host::Scope scope(*here);
    return connect(target);
  }
};

/// A variable on one host that is incremented from the other, and a value of 64 KiB that is sent
/// there.
struct Counter {
  Builder b;
  Builder ps = b.on("/job:ps/task:0");
  Builder worker = b.on("/job:worker/task:0");
  Variable count = ps.variable("count", ps.constant(0.0f));
  Value bump = count.assign_add(worker.constant(1.0f));
  Value large = worker.fill(worker.ints({128, 128}), worker.constant(1.0f));
  Value sum = ps.reduce_sum(large);
};

/// Repeats a call until it fails.
std::future<Status> repeat(std::function<Status()> call) {
  return std::async(std::launch::async, [call = std::move(call)] {
    auto status = call();
    while (status.ok()) status = call();
    return status;
  });
}

void check_names_it(std::future<Status> call, Clock::time_point cut) {
  auto status = call.get();
  std::chrono::duration<double> took = Clock::now() - cut;
  BOOST_TEST((status.code() == Code::unavailable), status.to_string());
  BOOST_TEST(status.where().task == "/job:ps/task:0", status.to_string());
  BOOST_TEST((took < test_timeout));
  check_says(status.message(), "has not answered for 2");
  BOOST_TEST_MESSAGE(took.count() << " s: " << status.to_string());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(network, TwoHosts)

BOOST_AUTO_TEST_CASE(steps_tolerate_delay_and_loss_and_name_an_unreachable_task) {
  if (!can_start()) return;
  auto client = connect_here(worker_target), far = connect_here(ps_target);
  auto session = open(*client), far_session = open(*far);
  Counter counter;
  BOOST_REQUIRE(session->extend(counter.b).ok());
  BOOST_REQUIRE(session->run({}, {}, {counter.count.initializer}).ok());
  auto step = [&] { return session->run({}, {counter.sum}, {counter.bump}).status(); };
  auto far_step = [&] { return far->list_devices().status(); };

  link->set(20ms, /*loss=*/0.05);
  for (int i = 0; i < 20; ++i) {
    auto status = step();
    BOOST_TEST(status.ok(), status.to_string());
    BOOST_TEST(far_step().ok());
  }

  auto waiting = repeat(step), far_waiting = repeat(far_step);
  std::this_thread::sleep_for(500ms);
  link->cut();
  auto cut = Clock::now();
  check_names_it(std::move(waiting), cut);
  check_names_it(std::move(far_waiting), cut);

  link->set(1ms, /*loss=*/0);
  Status healed = unavailable("not tried");
  for (auto start = Clock::now(); !healed.ok() && Clock::now() - start < test_timeout;)
    healed = step();
  BOOST_TEST(healed.ok(), healed.to_string());
  BOOST_TEST(connect_here(ps_target)->node_info().ok());
}

BOOST_AUTO_TEST_CASE(the_sessions_of_a_host_that_vanished_close) {
  if (!std::getenv("TROUPE_FAILURE_ROUNDS")) {
    std::cout << "skipped: it takes 35 s; set TROUPE_FAILURE_ROUNDS to run it" << std::endl;
    return;
  }
  if (!can_start()) return;
  auto far = connect_here(ps_target);
  auto session = open(*far);
  Host::Scope scope(*there);
  auto near = connect(ps_target);
  BOOST_TEST(near->node_info()->sessions == 1u);
  link->cut();
  auto start = Clock::now();
  while (near->node_info()->sessions > 0 && Clock::now() - start < 60s)
    std::this_thread::sleep_for(100ms);
  auto took = Clock::now() - start;
  BOOST_TEST(near->node_info()->sessions == 0u);
  BOOST_TEST((took < 40s));
  BOOST_TEST_MESSAGE(std::chrono::duration<double>(took).count() << " s");
}

BOOST_AUTO_TEST_SUITE_END()
