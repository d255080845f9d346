#include "troupe/capnp/server/link/link_streams.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>

#include "troupe/actors/node_messages.hpp"
#include "troupe/capnp/server/rpc_server.hpp"
#include "troupe/devices/accelerator/filling_memory.hpp"

using namespace troupe;
using accelerator::FillingMemory;
using namespace std::chrono_literals;

namespace {

struct NodeConfig : caf::actor_system_config {
  NodeConfig() {
    add_message_types<caf::id_block::troupe>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 1);
  }
};

/// A node that is reached by TCP, whose root actor keeps the tensors that it is sent.
struct LinkedNode {
  LinkedNode() {
    auto served = server->serve(Service{
        .system = system,
        .master = caf::actor_cast<MasterActor>(root),
        .stop = {},
        .identity = {},
        .tcp_only = true});
    BOOST_TEST_REQUIRE(served.ok());
  }
  ~LinkedNode() {
    server.reset();
    caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  }
  caf::actor connect(const LinkedNode& to) {
    std::promise<Result<caf::strong_actor_ptr>> connected;
    server->connections().connect(
        {"127.0.0.1", to.server->port()}, 10s,
        [&connected](Result<caf::strong_actor_ptr> peer) { connected.set_value(std::move(peer)); });
    auto peer = connected.get_future().get();
    BOOST_TEST_REQUIRE(peer.ok(), peer.status().to_string());
    return caf::actor_cast<caf::actor>(*peer);
  }

  NodeConfig config;
  caf::actor_system system{config};
  std::promise<Tensor> arrived;
  caf::actor root = system.spawn([this]() -> caf::behavior {
    return {[this](Deliver& message) { arrived.set_value(std::move(message.tensors.at(0))); }};
  });
  std::unique_ptr<RpcServer> server = *RpcServer::open("127.0.0.1", 0);
};

}  // namespace

BOOST_AUTO_TEST_SUITE(link_streams)

BOOST_AUTO_TEST_CASE(a_tensor_arrives_while_another_thread_fills_it) {
  constexpr int64_t bytes = 8 << 20, step = 300'000;
  LinkedNode sender, receiver;
  auto peer = sender.connect(receiver);
  for (uint8_t round = 1; round <= 10; ++round) {
    receiver.arrived = {};
    auto whole = *Tensor::allocate(DType::uint8, {bytes});
    auto filling = FillingMemory::begin(whole);
    BOOST_TEST(Link::lends_to(caf::actor_cast<caf::strong_actor_ptr>(peer), filling));
    caf::anon_send(peer, Deliver{.step = {1, round}, .edges = {{1}}, .tensors = {filling}});
    std::thread writer([&] {
      for (int64_t begin = 0; begin < bytes; begin += step) {
        auto end = std::min(begin + step, bytes);
        std::memset(
            static_cast<uint8_t*>(whole.mutable_raw()) + begin, round,
            static_cast<size_t>(end - begin));
        FillingMemory::of(filling)->set_ready(static_cast<size_t>(end));
        if (round % 2 == 0) std::this_thread::sleep_for(100us);
      }
    });
    auto arrived = receiver.arrived.get_future();
    writer.join();
    BOOST_TEST_REQUIRE((arrived.wait_for(30s) == std::future_status::ready));
    BOOST_TEST(std::ranges::count(arrived.get().values<uint8_t>(), round) == bytes);
  }
}

BOOST_AUTO_TEST_SUITE_END()
