#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/support/check.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/fake_source.hpp"
#include "troupe/tests/capnp/plain_client.hpp"
#include "troupe/tests/capnp/relay.hpp"
#include "troupe/tests/fuzz/memory_node.hpp"

// Records the bytes that clients and peers send to a node, one file a connection: the seeds of
// rpc_fuzz, of link_fuzz, and of tests/capnp/server/corpus_test.cpp.

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The bytes of the first connection that `connect` makes to the given port.
std::string recorded(const std::function<void(int port)>& connect) {
  FakeNode node;
  Relay relay(node.rpc_server->port());
  connect(relay.port());
  relay.stop();
  return relay.bytes_of_first();
}

std::string recorded_client(const std::function<void(Client&)>& use) {
  return recorded([&use](int port) {
    auto client = Client::connect(
        "troupe://127.0.0.1:" + std::to_string(port),
        {.timeout = test_timeout, .heartbeat_limit = std::chrono::milliseconds(0)});
    CHECK(client.ok());
    use(**client);
  });
}

void call_master(Client& client) {
  CHECK(client.list_devices().ok());
  CHECK(client.list_resources().ok());
  CHECK(client.node_info().ok());
  CHECK(client.list_waiting_steps().ok());
  CHECK(client.reset({"", "mine"}).ok());
}

void run_steps(Client& client) {
  auto session = client.session({.operation_timeout = test_timeout, .log_device_placement = true});
  CHECK(session.ok());
  Builder b;
  auto ps = b.on("/job:ps/task:0");
  auto x = ps.placeholder(DType::float32, {Shape::unknown, 2});
  auto w = ps.variable("w", ps.constant(Tensor::of<float>({2, 1}, {0.5f, -1.0f})));
  auto y = ps.named("y").relu(ps.matmul(x, w) + 1.0);
  CHECK((*session)->extend(b).ok());
  auto rows = Tensor::of<float>({2, 2}, {1, 2, 3, 1});
  CHECK((*session)->run({{x, rows}, {"text", Tensor::string("words")}}, {}, {"echo"}).ok());
  CHECK((*session)->trace({}, {y}, {}, {.trace = Trace::full}).ok());
  auto dropped = (*session)->start({}, {y}, {"wait"});
}

void use_session_objects(Client& client) {
  auto session = client.session();
  CHECK(session.ok());
  auto callable = (*session)->make_callable({"x"}, {"z"});
  CHECK(callable.ok() && (*callable)->run({Tensor::scalar(1.0f)}).ok());
  auto partial = (*session)->partial_run_setup({"x"}, {"z"});
  CHECK(partial.ok() && (*partial)->run({{"x", Tensor::scalar(1.0f)}}, {"z"}).ok());
  CHECK((*session)->close().ok());
}

void feed_from_source(int port) {
  PlainClient plain(port);
  auto open = plain.login(protocol::version).getMaster().createSessionRequest();
  auto run = open.send().getSession().runRequest();
  run.initTargets(1).set(0, "echo");
  auto value = Tensor::of<float>({3}, {1, 2, 3});
  std::optional<bool> is_dropped;
  feed_from(run.initFeeds(1)[0], value, kj::heap<FakeSource>(pieces_of(value), is_dropped));
  CHECK(run.send().wait(plain.io.waitScope).getStatus().getCode() == 0);
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// What a node sends that connects and then sends those messages.
template <class... Messages>
std::string recorded_peer(const Messages&... messages) {
  MemoryNode from(1), to(2);
  std::string recorded;
  auto exchange = [&] {
    for (auto sent = from.output(); !sent.empty(); sent = from.output()) {
      recorded += sent;
      CHECK(to.receive(bytes_of(sent)).ok());
      CHECK(from.receive(bytes_of(to.output())).ok());
    }
  };
  to.accept();
  from.connect();
  exchange();
  CHECK(from.peer);
  (caf::anon_send(from.peer, messages), ...);
  exchange();
  from.end();
  to.end();
  return recorded;
}

Register registration() {
  Builder b;
  auto x = b.placeholder(DType::float32, {Shape::unknown, 2});
  auto w = b.variable("w", b.constant(Tensor::of<float>({2, 1}, {0.5f, -1.0f})));
  (void)b.on("/job:ps/task:0").relu(b.matmul(x, w) + 1.0);
  Register message{.session = 1, .plan = 1, .master = "/job:ps/task:0"};
  for (const auto& node : b.graph().nodes()) message.nodes.push_back(b.graph().def_of(node.id));
  return message;
}

StartStep start() {
  return {
      .step = {1, 1},
      .plan = 1,
      .feeds = {Tensor::of<float>({2, 2}, {1, 2, 3, 1}), Tensor::string("words")}};
}

Deliver delivery(int64_t elements) {
  auto tensor = *Tensor::allocate(DType::uint8, Shape({elements}));
  std::memset(tensor.mutable_raw(), 7, tensor.bytes());
  return {.step = {1, 1}, .edges = {{0}, {1}}, .tensors = {tensor, Tensor::scalar(1.0f)}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: record_corpus FOLDER, as tests/fuzz\n";
    return 2;
  }
  auto write = [folder = std::string(argv[1])](const std::string& name, const std::string& bytes) {
    std::ofstream(folder + "/" + name + ".bytes", std::ios::binary) << bytes;
  };
  write("rpc_corpus/master_calls", recorded_client(call_master));
  write("rpc_corpus/steps", recorded_client(run_steps));
  write("rpc_corpus/session_objects", recorded_client(use_session_objects));
  write("rpc_corpus/sources", recorded(feed_from_source));
  write("link_corpus/step", recorded_peer(registration(), start(), delivery(100)));
  write("link_corpus/pieces", recorded_peer(delivery(9000), CancelStep{.step = {1, 1}}));
  write(
      "link_corpus/answers", recorded_peer(
                                 StepDone{.step = {1, 1}, .status = unavailable("x")}, Ping(),
                                 Pong(), ListStepWaits{.step = {1, 1}}));
}
