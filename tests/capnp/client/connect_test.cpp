#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/server/listen/listening_socket.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/tests/capnp/fake_node.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

std::string target_of(int port) { return "troupe://127.0.0.1:" + std::to_string(port); }

bool says(const Status& status, const std::string& words) {
  return status.message().find(words) != std::string::npos;
}

/// A port that no socket listens on.
int free_port() { return listen_on("", 0)->port; }

/// A server of another protocol: it sends `words` to the first client and keeps the connection
/// open.
class ForeignServer {
 public:
  explicit ForeignServer(std::string words) : listening_(*listen_on("", 0)) {
    thread_ = std::thread([this, words = std::move(words)] {
      int client = -1;
      while (client < 0 && !is_over_) {
        client = ::accept(listening_.socket, nullptr, nullptr);
        std::this_thread::sleep_for(1ms);
      }
      if (client < 0) return;
      (void)!::send(client, words.data(), words.size(), MSG_NOSIGNAL);
      while (!is_over_) std::this_thread::sleep_for(1ms);
      ::close(client);
    });
  }
  ~ForeignServer() {
    is_over_ = true;
    thread_.join();
  }
  int port() const { return listening_.port; }

 private:
  BoundSocket listening_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

Result<uint64_t> probe(RpcServer& server, int port, std::chrono::milliseconds timeout) {
  std::promise<Result<uint64_t>> answer;
  server.connections().probe(
      Address{"127.0.0.1", port}, timeout,
      [&answer](Result<uint64_t> found) { answer.set_value(std::move(found)); });
  return answer.get_future().get();
}

Result<caf::strong_actor_ptr> link_to(
    RpcServer& server, int port, std::chrono::milliseconds timeout) {
  std::promise<Result<caf::strong_actor_ptr>> found;
  server.connections().connect(
      Address{"127.0.0.1", port}, timeout,
      [&found](Result<caf::strong_actor_ptr> task) { found.set_value(std::move(task)); });
  return found.get_future().get();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(connecting)

BOOST_AUTO_TEST_CASE(a_refused_port_is_tried_until_the_timeout) {
  auto port = free_port();
  auto start = std::chrono::steady_clock::now();
  auto client = Client::connect(target_of(port), {.timeout = 300ms});
  auto took = std::chrono::steady_clock::now() - start;
  BOOST_TEST((client.status().code() == Code::unavailable));
  BOOST_TEST(says(client.status(), "127.0.0.1:" + std::to_string(port)));
  BOOST_TEST(says(client.status(), "refused"));
  BOOST_TEST(says(client.status(), "tried for"));
  BOOST_TEST((took >= 100ms && took < stretched(3s)));
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_refused_for_a_second_says_so_once) {
  auto port = free_port();
  std::vector<std::string> told;
  auto hear = [&](const std::string& text) { told.push_back(text); };
  auto client = Client::connect(target_of(port), {.timeout = 1900ms, .on_wait = hear});
  BOOST_TEST((client.status().code() == Code::unavailable));
  BOOST_REQUIRE(told.size() == 1u);
  BOOST_TEST(told[0].starts_with(
      "cannot connect to 127.0.0.1:" + std::to_string(port) + " yet: Connection refused; trying"));
}

BOOST_AUTO_TEST_CASE(a_node_that_starts_late_is_found) {
  auto port = free_port();
  auto waiting = std::async(std::launch::async, [&] {
    return Client::connect(target_of(port), {.timeout = test_timeout}).status();
  });
  std::this_thread::sleep_for(50ms);
  auto server = RpcServer::open("127.0.0.1", port);
  BOOST_REQUIRE(server.ok());
  FakeConfig config;
  caf::actor_system system(config);
  auto master = system.spawn(fake_master, std::make_shared<Record>());
  BOOST_TEST((*server)->serve({.system = system, .master = master, .identity = {}}).ok());
  auto status = waiting.get();
  BOOST_TEST(status.ok());
  server->reset();
  caf::anon_send_exit(master, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_CASE(a_port_with_another_protocol_is_no_node) {
  ForeignServer foreign("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  auto client = Client::connect(target_of(foreign.port()), {.timeout = stretched(5000ms)});
  BOOST_TEST((client.status().code() == Code::failed_precondition));
  BOOST_TEST(says(client.status(), "is not a Troupe node"));
  BOOST_TEST(says(client.status(), std::to_string(foreign.port())));
}

BOOST_AUTO_TEST_CASE(a_silent_port_is_given_up_at_the_timeout) {
  ForeignServer foreign("");
  auto start = std::chrono::steady_clock::now();
  auto client = Client::connect(target_of(foreign.port()), {.timeout = 300ms});
  BOOST_TEST((client.status().code() == Code::unavailable));
  BOOST_TEST(says(client.status(), "is not a Troupe node"));
  BOOST_TEST((std::chrono::steady_clock::now() - start < stretched(3s)));
}

BOOST_AUTO_TEST_CASE(a_silent_port_says_so_once_while_it_is_waited_for) {
  ForeignServer foreign("");
  std::vector<std::string> told;
  auto hear = [&](const std::string& text) { told.push_back(text); };
  auto client = Client::connect(target_of(foreign.port()), {.timeout = 1900ms, .on_wait = hear});
  BOOST_TEST((client.status().code() == Code::unavailable));
  BOOST_REQUIRE(told.size() == 1u);
  BOOST_TEST(told[0].starts_with(
      "connected to " + target_of(foreign.port()) + ", but it has not answered the login yet"));
}

BOOST_AUTO_TEST_CASE(what_hears_of_a_silent_port_may_end_the_waiting) {
  ForeignServer foreign("");
  auto stop = [](const std::string&) { throw std::runtime_error("stop"); };
  auto start = std::chrono::steady_clock::now();
  BOOST_CHECK_EXCEPTION(
      (void)Client::connect(target_of(foreign.port()), {.timeout = 1h, .on_wait = stop}),
      std::runtime_error,
      [](const std::runtime_error& error) { return error.what() == std::string("stop"); });
  BOOST_TEST((std::chrono::steady_clock::now() - start < stretched(5s)));
}

BOOST_AUTO_TEST_CASE(a_malformed_target_is_quoted) {
  auto client = Client::connect("troupe://nowhere:port", {.timeout = 1s});
  BOOST_TEST((client.status().code() == Code::invalid_argument));
  BOOST_TEST(says(client.status(), "nowhere:port"));
}

BOOST_AUTO_TEST_CASE(the_grpc_scheme_is_an_alias) {
  FakeNode node;
  BOOST_TEST(Client::connect("grpc://127.0.0.1:" + std::to_string(node.rpc_server->port())).ok());
}

BOOST_AUTO_TEST_CASE(a_peer_finds_the_task_actor_of_a_node) {
  FakeNode node, caller;
  auto task = link_to(*caller.rpc_server, node.rpc_server->port(), test_timeout);
  BOOST_REQUIRE_MESSAGE(task.ok(), task.status().to_string());
  BOOST_TEST((*task)->id() == node.master.id());
  BOOST_TEST(((*task)->node() != caller.system.node()));
  auto again = link_to(*caller.rpc_server, node.rpc_server->port(), test_timeout);
  BOOST_REQUIRE(again.ok());
  BOOST_TEST((*again == *task));
}

BOOST_AUTO_TEST_CASE(a_peer_that_is_not_there_is_named) {
  FakeNode caller;
  auto port = free_port();
  auto task = link_to(*caller.rpc_server, port, 200ms);
  BOOST_TEST((task.status().code() == Code::unavailable));
  BOOST_TEST(says(task.status(), "127.0.0.1:" + std::to_string(port)));
  BOOST_TEST(says(task.status(), "refused"));
  BOOST_TEST(says(task.status(), "0.2 s"));
}

BOOST_AUTO_TEST_CASE(a_probe_distinguishes_a_live_node_from_a_dead_or_silent_one) {
  auto caller = RpcServer::open("127.0.0.1", 0);
  auto node = Server::create_local();
  BOOST_REQUIRE(node.ok());
  BOOST_REQUIRE((*node)->start().ok());
  auto port = std::stoi((*node)->target().substr((*node)->target().rfind(':') + 1));
  auto client = Client::connect((*node)->target());
  auto alive = probe(**caller, port, test_timeout);
  BOOST_REQUIRE(alive.ok());
  BOOST_TEST(*alive == (*client)->node_info()->incarnation);
  BOOST_TEST((probe(**caller, free_port(), test_timeout).status().code() == Code::not_found));
  auto silent = listen_on("", 0);
  BOOST_TEST((probe(**caller, silent->port, 50ms).status().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_peer_call_ends_when_the_server_closes) {
  auto caller = RpcServer::open("127.0.0.1", 0);
  std::promise<Result<caf::strong_actor_ptr>> found;
  auto connect = (*caller)->connections().connect;
  connect(Address{"127.0.0.1", free_port()}, 1h, [&found](Result<caf::strong_actor_ptr> task) {
    found.set_value(std::move(task));
  });
  BOOST_TEST((*caller)->close(test_timeout).ok());
  BOOST_TEST((found.get_future().get().status().code() == Code::cancelled));
  Status late;
  connect(Address{"127.0.0.1", 1}, 1h, [&late](Result<caf::strong_actor_ptr> task) {
    late = task.status();
  });
  BOOST_TEST((late.code() == Code::cancelled));
}

BOOST_AUTO_TEST_SUITE_END()
