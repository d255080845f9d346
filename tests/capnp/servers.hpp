#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/server/listen/listening_socket.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

inline ServerOptions few_threads(int threads = 1) {
  ServerOptions options;
  options.devices.cpu.threads = threads;
  return options;
}

/// A server that is not started.
inline std::unique_ptr<Server> make_server(
    const ClusterSpec& cluster, const std::string& job, int task,
    ServerOptions options = few_threads()) {
  auto server = Server::create(
      {.cluster = cluster, .job = job, .task = task, .protocol = {}}, std::move(options));
  BOOST_REQUIRE_MESSAGE(server.ok(), server.status().to_string());
  return *std::move(server);
}

/// A running server of a cluster of one task.
inline std::unique_ptr<Server> start_local(ServerOptions options = few_threads()) {
  auto server = Server::create_local(std::move(options));
  BOOST_REQUIRE_MESSAGE(server.ok(), server.status().to_string());
  auto status = (*server)->start();
  BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
  return *std::move(server);
}

inline std::unique_ptr<Client> connect(const Server& server) {
  auto client = Client::connect(server.target());
  BOOST_REQUIRE_MESSAGE(client.ok(), client.status().to_string());
  return *std::move(client);
}

inline std::unique_ptr<Session> open(Client& client) {
  auto session = client.session();
  BOOST_REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  return *std::move(session);
}

/// A client of a server with a session, whose graph has the constant 2.
struct TestClient {
  explicit TestClient(const Server& server)
      : client(connect(server)), session(open(*client)), two(b.constant(2.0f)) {
    BOOST_REQUIRE(session->extend(b).ok());
  }
  Status step() { return session->run({}, {two}).status(); }

  std::unique_ptr<Client> client;
  std::unique_ptr<Session> session;
  Builder b;
  Value two;
};

inline ClusterSpec cluster_of(const std::map<std::string, int>& jobs) {
  std::map<std::string, JobTasks> tasks;
  std::vector<BoundSocket> kept;
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task) {
      kept.push_back(*listen_on("", 0));
      tasks[job].by_index[task] = "127.0.0.1:" + std::to_string(kept.back().port);
    }
  return *ClusterSpec::make(tasks);
}

/// A server, and a client whose step waits for a task that never answers.
struct StuckStep {
  /// Connections are accepted into its backlog, and never answered.
  BoundSocket silent = *listen_on("", 0);
  ClusterSpec cluster = *ClusterSpec::make(
      {{"local", {"127.0.0.1:0"}}, {"silent", {"127.0.0.1:" + std::to_string(silent.port)}}});
  std::unique_ptr<Server> server = start();
  TestClient user{*server};
  std::future<Status> step = begin();

  std::unique_ptr<Server> start() const {
    auto options = few_threads();
    options.connect_timeout = 10min;
    options.heartbeat_limit = 0ms;
    auto made = make_server(cluster, "local", 0, options);
    auto status = made->start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return made;
  }
  std::future<Status> begin() {
    auto there = user.b.on("/job:silent/task:0").constant(1.0f);
    BOOST_REQUIRE(user.session->extend(user.b).ok());
    auto running = std::async(
        std::launch::async, [this, there] { return user.session->run({}, {there}).status(); });
    while (user.client->list_waiting_steps()->empty()) std::this_thread::yield();
    return running;
  }
};

/// A server, and a client whose step computes for a while.
struct LongStep {
  std::unique_ptr<Server> server = start_local();
  TestClient user{*server};
  std::future<Status> step = begin();

  std::future<Status> begin() {
    auto& b = user.b;
    auto product = b.fill(b.constant(Tensor::of<int32_t>({2}, {700, 700})), b.constant(0.001f));
    for (int i = 0; i < 40; ++i) product = b.matmul(product, product);
    BOOST_REQUIRE(user.session->extend(b).ok());
    auto running = std::async(std::launch::async, [this, product] {
      return user.session->run({}, {}, {product}).status();
    });
    while (user.client->list_waiting_steps()->empty() &&
           running.wait_for(0s) != std::future_status::ready)
      std::this_thread::yield();
    return running;
  }
};

inline bool says(const Status& status, const std::string& words) {
  return status.message().find(words) != std::string::npos;
}

inline bool has_ended(std::future<Status>& call) {
  return call.wait_for(0s) == std::future_status::ready;
}

inline Status result_of(std::future<Status>& call) {
  BOOST_REQUIRE(call.wait_for(test_timeout) == std::future_status::ready);
  return call.get();
}

inline std::future<Status> join(Server& server) {
  return std::async(std::launch::async, [&server] { return server.join(); });
}

}  // namespace troupe::testing
