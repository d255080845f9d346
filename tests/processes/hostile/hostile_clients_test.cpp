#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <random>
#include <span>
#include <thread>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/capnp/fake_source.hpp"
#include "troupe/tests/capnp/plain_client.hpp"
#include "troupe/tests/capnp/raw_calls.hpp"
#include "troupe/tests/processes/support/node_under_attack.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

/// The frame, after login_frames(), that opens a session whose node "large" is of 60 KB.
Bytes open_session() {
  std::vector<NodeDef> nodes = {
      {.name = "size",
       .op = "Const",
       .device = "",
       .inputs = {},
       .attrs = {{"dtype", DType::int32}, {"value", Tensor::of<int32_t>({1}, {15'000})}}},
      {.name = "one",
       .op = "Const",
       .device = "",
       .inputs = {},
       .attrs = {{"dtype", DType::float32}, {"value", Tensor::scalar(1.0f)}}},
      {.name = "large", .op = "Fill", .device = "", .inputs = {"size", "one"}, .attrs = {}}};
  return call<rpc::Master::CreateSessionParams>(
      /*question=*/2, {1, 1}, capnp::typeId<rpc::Master>(), /*method=*/0, [&](auto params) {
        ExternalSegmentBudget no_budget;
        auto list = params.initGraph().initNodes(static_cast<unsigned>(nodes.size()));
        for (unsigned i = 0; i < nodes.size(); ++i) fill(list[i], nodes[i], no_budget);
      });
}

/// The frames of steps of that session, which fetch "large".
Bytes large_fetches(uint32_t first_question, uint32_t steps) {
  Bytes bytes;
  for (uint32_t step = 0; step < steps; ++step)
    bytes += call<rpc::Session::RunParams>(
        first_question + step, {2, 1}, capnp::typeId<rpc::Session>(), /*method=*/1,
        [](auto params) { params.initFetches(1).set(0, "large"); });
  return bytes;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_clients, NodeUnderAttack)

BOOST_AUTO_TEST_CASE(a_thousand_silent_connections_are_closed_and_do_not_block_clients) {
  auto before = usage();
  std::vector<RawSocket> connections;
  for (int i = 0; i < 1000; ++i) {
    connections.emplace_back(port());
    if (i % 2 == 0) continue;  // sends nothing
    connections.back().send(header_of(protocol::login_message_bytes_max / 8));
    if (i % 4 == 1) connections.back().send(Bytes(protocol::login_message_bytes_max / 2));
  }
  check_service();
  auto during = usage();
  BOOST_TEST(during.memory_mib < before.memory_mib + with_instrumentation(100));
  BOOST_TEST(holds_at_most(before.descriptors));
}

BOOST_AUTO_TEST_CASE(random_bytes_leave_a_node_as_it_was) {
  auto before = usage();
  std::mt19937 random(5);
  for (int i = 0; i < 1000; ++i) {
    Bytes bytes(1 + random() % 2000);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random() % 4 ? random() % 3 : random());
    BOOST_REQUIRE(closes_after(port(), bytes));
  }
  BOOST_TEST(session->run({}, {sum}).ok());
  BOOST_TEST(holds_at_most(before.descriptors));
  BOOST_TEST(usage().memory_mib < before.memory_mib + with_instrumentation(50));
}

BOOST_AUTO_TEST_CASE(a_slow_sender_holds_no_more_than_it_has_sent) {
  auto before = usage();
  RawSocket sender(port());
  sender.send(login_frames());
  sender.send(header_of(uint32_t{1} << 28));  // 2 GiB are to follow
  std::atomic<bool> is_over = false;
  std::thread sending([&] {
    while (!is_over && sender.send(Bytes(1))) std::this_thread::sleep_for(10ms);
  });
  check_service();
  auto during = usage();
  is_over = true;
  sending.join();
  BOOST_TEST(during.memory_mib < before.memory_mib + with_instrumentation(20));
}

BOOST_AUTO_TEST_CASE(tensors_that_are_announced_and_never_sent_take_no_memory) {
  constexpr int steps_count = 500;
  auto before = usage();
  PlainClient attacker(port());
  auto open = attacker.login(protocol::version).getMaster().createSessionRequest();
  auto attackers_session = open.send().getSession();
  auto announced = *Tensor::allocate(DType::uint8, {int64_t{64} << 20});
  int read_count = 0;
  std::optional<bool> is_dropped;
  auto never = [&](FakeSource::Context context) -> kj::Promise<void> {
    ++read_count;
    context.releaseParams();
    context.allowCancellation();
    return kj::NEVER_DONE;
  };
  std::vector<kj::Promise<void>> steps;
  for (int i = 0; i < steps_count; ++i) {
    auto run = attackers_session.runRequest();
    feed_from(run.initFeeds(1)[0], announced, kj::heap<FakeSource>(never, is_dropped));
    steps.push_back(run.send().ignoreResult());
  }
  auto end = Clock::now() + test_timeout;
  while (read_count < steps_count && Clock::now() < end)
    attacker.io.provider->getTimer().afterDelay(1 * kj::MILLISECONDS).wait(attacker.io.waitScope);
  BOOST_TEST(read_count >= steps_count);
  // A client cannot be used on this thread, which runs an event loop.
  std::async(std::launch::async, [this] { check_service(); }).get();
  BOOST_TEST(usage().memory_mib < before.memory_mib + with_instrumentation(50));
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_answers_is_not_read) {
  auto before = usage();
  auto steps_before = client->node_info()->steps;
  RawSocket attacker(port(), /*receive_buffer=*/64 << 10);
  // First, answers that the socket's buffers cannot hold. The calls are few enough to be all in
  // progress, as they are while the session opens.
  constexpr uint32_t blocking_steps = 200;
  attacker.send(login_frames());
  attacker.send(open_session());
  attacker.send(large_fetches(/*first_question=*/3, blocking_steps));
  auto end = Clock::now() + test_timeout;
  while (client->node_info()->steps < steps_before + blocking_steps / 2 && Clock::now() < end)
    std::this_thread::yield();
  std::atomic<size_t> sent = 0;
  auto all = large_fetches(3 + blocking_steps, /*steps=*/100'000);
  std::thread sending([&] {
    std::span<const uint8_t> rest(all);
    for (size_t bytes; !rest.empty(); rest = rest.subspan(bytes), sent += bytes) {
      bytes = std::min(rest.size(), size_t{4096});
      if (!attacker.send(rest.first(bytes))) return;
    }
  });
  size_t seen = 0;
  constexpr auto idle_time = std::chrono::milliseconds(200);
  auto taken = Clock::now();  // when something more was taken last
  while (Clock::now() < std::min(end, taken + idle_time)) {
    check_service();
    if (sent == 0 || sent != seen) taken = Clock::now();
    seen = sent;
  }
  BOOST_TEST((Clock::now() >= taken + idle_time));
  BOOST_TEST(sent < all.size());
  auto during = usage();
  // The connection was not closed for too many calls in progress, as they were never read.
  BOOST_TEST(client->node_info()->sessions == 2u);
  attacker.finish();
  sending.join();
  BOOST_TEST(during.memory_mib < before.memory_mib + with_instrumentation(400));
}

BOOST_AUTO_TEST_SUITE_END()
