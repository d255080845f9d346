#include <arpa/inet.h>
#include <sys/socket.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "troupe/tests/processes/cli/run_cli.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// A cluster whose nodes have a certificate, and connect to each other as if each had its own host.
struct SecretCluster {
  TemporaryFolder folder;
  std::string own = folder / "own", foreign = folder / "foreign";
  std::unique_ptr<NodeCluster> nodes;

  SecretCluster() {
    for (const auto& each : {own, foreign}) {
      auto made = run_cli({"certificate", each});
      BOOST_TEST_REQUIRE(made.code == 0, made.errors);
    }
    nodes = std::make_unique<NodeCluster>(
        std::map<std::string, int>{{"ps", 1}, {"worker", 1}},
        std::vector<std::string>{"--threads", "1", "--tcp-only", "--tls", own});
  }

  std::string target() const { return nodes->target("worker", 0); }
  Result<std::unique_ptr<Client>> ask(const std::string& tls) const {
    return Client::connect(target(), {.timeout = 5s, .tls = tls});
  }
  /// What a client without credentials of the cluster is told.
  std::string refusal(const std::string& tls) const {
    auto client = ask(tls);
    BOOST_TEST_REQUIRE(!client.ok());
    BOOST_TEST((client.status().code() == Code::unavailable));
    return client.status().message();
  }
};

/// What comes back for bytes that are sent to a port, until it is closed.
std::string answer_to(const std::string& bytes, int port) {
  int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  BOOST_TEST_REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  BOOST_TEST(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);
  std::string answer(4096, '\0');
  auto size = ::recv(socket, answer.data(), answer.size(), 0);
  ::close(socket);
  return answer.substr(0, static_cast<size_t>(std::max<ssize_t>(size, 0)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tls)

BOOST_FIXTURE_TEST_CASE(nodes_and_clients_with_the_certificate_compute_together, SecretCluster) {
  auto client = ask(own);
  BOOST_TEST_REQUIRE(client.ok(), client.status().to_string());
  auto session = open(**client);
  Builder b;
  auto ps = b.on("/job:ps/task:0");
  auto count = ps.variable("count", ps.constant(1.0F));
  auto there = b.on("/job:worker/task:0");
  // Through the link, in pieces, and back.
  constexpr int64_t side = 2048;
  auto large = there.fill(there.ints({side, side}), there.constant(2.0F));
  auto added = ps.add(large, count);
  auto sum = there.reduce_sum(added);
  auto initialize = b.initializer();
  BOOST_TEST_REQUIRE(session->extend(b).ok());
  BOOST_TEST_REQUIRE(session->run({}, {}, {initialize}).ok());
  for (int step = 0; step < 3; ++step) {
    auto found = session->run({}, {sum, added});
    BOOST_TEST_REQUIRE(found.ok(), found.status().to_string());
    BOOST_TEST(found->at(0).value<float>() == 3.0F * side * side);
    BOOST_TEST((found->at(1).shape() == Shape({side, side})));
  }
}

BOOST_FIXTURE_TEST_CASE(a_client_without_a_certificate_of_the_cluster_is_refused, SecretCluster) {
  check_says(refusal(""), "it asks for TLS, which TROUPE_TLS=FOLDER gives");
  check_says(refusal(foreign), "certificates of the same authority");
  // One that trusts the nodes, but is not of them.
  namespace fs = std::filesystem;
  auto visitor = folder / "visitor";
  fs::copy(foreign, visitor);
  fs::copy_file(own + "/ca.pem", visitor + "/ca.pem", fs::copy_options::overwrite_existing);
  check_says(refusal(visitor), "closed the connection before it answered");
  BOOST_TEST(ask(own).ok());
}

BOOST_FIXTURE_TEST_CASE(bytes_that_are_not_tls_get_no_answer, SecretCluster) {
  auto port = Address::parse(target())->port;
  // A heartbeat, which a node answers with its incarnation, and the begin of a link.
  for (const std::string bytes : {"troupe?\n", "troupe=\n", "GET / HTTP/1.0\r\n\r\n"}) {
    auto answer = answer_to(bytes, port);
    BOOST_TEST(answer.find("troupe") == std::string::npos);
    BOOST_TEST(answer.size() != sizeof(uint64_t));
  }
  BOOST_TEST(ask(own).ok());
}

BOOST_FIXTURE_TEST_CASE(a_node_without_a_certificate_of_the_cluster_does_not_join, SecretCluster) {
  auto member = Address::parse(target())->to_string();
  auto start = [&](const std::string& tls) {
    std::vector<std::string> flags{"--join", member, "--job", "worker", "--connect-timeout", "1"};
    if (!tls.empty()) flags.insert(flags.end(), {"--tls", tls});
    return start_node(flags);
  };
  for (const auto& tls : {std::string(), foreign}) {
    auto node = start(tls);
    BOOST_TEST(node->wait().value_or(0) != 0);
    check_says(node->errors(), "no node answers at " + member);
  }
  auto node = start(own);
  BOOST_TEST(!await_target(*node).empty());
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_node_is_noticed_by_the_closed_connection, SecretCluster) {
  auto client = ask(own);
  BOOST_TEST_REQUIRE(client.ok(), client.status().to_string());
  auto session = open(**client);
  Builder b;
  auto ps = b.on("/job:ps/task:0");
  DTypes kinds{DType::float32};
  auto queue = ps.op("FIFOQueueV2", {}, {{"component_types", kinds}});
  auto waiting = ps.op("QueueDequeueV2", {queue}, {{"component_types", kinds}});
  BOOST_TEST_REQUIRE(session->extend(b).ok());
  auto step = session->start({}, {waiting});
  nodes->node("ps", 0).send(SIGKILL);
  auto ended = step->wait();
  BOOST_TEST((ended.status().code() == Code::unavailable), ended.status().to_string());
  check_says(ended.status().to_string(), "/job:ps/task:0");
}

BOOST_FIXTURE_TEST_CASE(the_command_line_takes_the_folder_of_the_environment, SecretCluster) {
  ::setenv("TROUPE_TLS", own.c_str(), /*overwrite=*/1);
  auto listed = run_cli({"--target", target(), "ls"});
  ::unsetenv("TROUPE_TLS");
  BOOST_TEST(listed.code == 0, listed.errors);
  check_says(listed.output, "/job:ps/task:0");
}

BOOST_FIXTURE_TEST_CASE(what_is_wrong_with_a_folder_is_said, SecretCluster) {
  auto says = [&](const std::string& tls, const std::string& part) {
    auto client = ask(tls);
    BOOST_TEST_REQUIRE(!client.ok());
    BOOST_TEST((client.status().code() == Code::invalid_argument));
    check_says(client.status().message(), part);
  };
  says(folder / "none", "cannot read '" + (folder / "none") + "/ca.pem'");
  namespace fs = std::filesystem;
  fs::copy(own, folder / "mixed");
  fs::copy_file(
      foreign + "/key.pem", folder / "mixed/key.pem", fs::copy_options::overwrite_existing);
  says(folder / "mixed", "is not the key of");
  fs::copy_file(own + "/cert.pem", folder / "mixed/key.pem", fs::copy_options::overwrite_existing);
  says(folder / "mixed", "key.pem' has no PEM");

  auto again = run_cli({"certificate", own});
  BOOST_TEST(again.code != 0);
  check_says(again.errors, "File exists");
}

BOOST_FIXTURE_TEST_CASE(other_machines_may_connect_without_insecure, SecretCluster) {
  auto node = start_node(
      {"--cluster", "local=localhost:" + std::to_string(free_port()), "--bind", "0.0.0.0", "--tls",
       own});
  BOOST_TEST(!await_target(*node).empty());
}

BOOST_AUTO_TEST_SUITE_END()
