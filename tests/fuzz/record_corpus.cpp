#include <fstream>
#include <functional>
#include <iostream>
#include <string>

#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/builder.hpp"
#include "troupe/graph/check.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/relay.hpp"

// Writes what clients say to a node into the folder that is named, a file a session: the seeds of
// door_fuzz and of tests/capnp/corpus_test.cpp.

using namespace troupe;
using namespace troupe::testing;

namespace {

std::string recorded(const std::function<void(Client&)>& talk) {
  FakeNode node;
  Relay relay(node.door->port());
  {
    auto client = Client::connect(
        "troupe://127.0.0.1:" + std::to_string(relay.port()),
        {.timeout = patience, .heartbeat_limit = std::chrono::milliseconds(0)});
    CHECK(client.ok());
    talk(**client);
  }
  relay.stop();
  return relay.said_by_first();
}

void ask_questions(Client& client) {
  CHECK(client.list_devices().ok());
  CHECK(client.list_resources().ok());
  CHECK(client.node_info().ok());
  CHECK(client.explain().ok());
  CHECK(client.reset({"", "mine"}).ok());
}

void run_steps(Client& client) {
  auto session = client.session({.operation_timeout = patience, .log_device_placement = true});
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

void make_steps(Client& client) {
  auto session = client.session();
  CHECK(session.ok());
  auto callable = (*session)->make_callable({"x"}, {"z"});
  CHECK(callable.ok() && (*callable)->run({Tensor::scalar(1.0f)}).ok());
  auto partial = (*session)->partial_run_setup({"x"}, {"z"});
  CHECK(partial.ok() && (*partial)->run({{"x", Tensor::scalar(1.0f)}}, {"z"}).ok());
  CHECK((*session)->close().ok());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: record_corpus FOLDER\n";
    return 2;
  }
  auto write = [folder = std::string(argv[1])](const std::string& name, const auto& talk) {
    std::ofstream(folder + "/" + name + ".session", std::ios::binary) << recorded(talk);
  };
  write("questions", ask_questions);
  write("steps", run_steps);
  write("made", make_steps);
}
