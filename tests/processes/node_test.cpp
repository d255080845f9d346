#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::string local_spec(int port) { return "local=127.0.0.1:" + std::to_string(port); }

/// Starts a node that must fail to start, and returns its errors.
std::string refusal(
    int exit_code, std::vector<std::string> flags, const std::string& tf_config = "") {
  auto node = start_node(std::move(flags), tf_config);
  auto ended = node->wait();
  BOOST_TEST_REQUIRE(ended.has_value(), "the node still runs");
  BOOST_TEST(*ended == exit_code);
  BOOST_TEST(node->output() == "");
  BOOST_TEST(node->errors().starts_with("troupe-node: "), node->errors());
  return node->errors();
}

/// Runs a step on the node, and returns the first error.
Status serve_status(const std::string& target) {
  auto client = Client::connect(target);
  if (!client) return client.status();
  auto session = (*client)->session();
  if (!session) return session.status();
  Builder b;
  auto two = b.constant(2.0F);
  if (auto status = (*session)->extend(b); !status.ok()) return status;
  return (*session)->run({}, {two}).status();
}

void check_serves(const std::string& target) {
  auto status = serve_status(target);
  BOOST_TEST(status.ok(), status.to_string());
}

/// Sends arbitrary bytes, and waits until the node has closed the connection.
void send_bytes(const std::string& target, const std::string& bytes) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(Address::parse(target)->port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BOOST_TEST_REQUIRE(::connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  timeval timeout{.tv_sec = 10, .tv_usec = 0};
  setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  size_t sent = 0;
  while (sent < bytes.size()) {
    auto count = send(peer, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  shutdown(peer, SHUT_WR);
  char answer[4096];
  while (recv(peer, answer, sizeof answer, 0) > 0) {
  }
  close(peer);
}

std::string random_bytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (auto& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// Matrix products of about 50 ms each on one thread.
Value busy_step(Builder& b, int products) {
  auto product = b.fill(b.constant(Tensor::of<int32_t>({2}, {1500, 1500})), b.constant(0.001F));
  for (int i = 0; i < products; ++i) product = b.matmul(product, product);
  return product;
}

void check_stops_on(int signal) {
  auto node = start_node({"--cluster", local_spec(0)});
  check_serves(await_target(*node));
  node->send(signal);
  auto ended = node->wait(std::chrono::seconds(5));
  BOOST_TEST_REQUIRE(ended.has_value(), "the node still runs");
  BOOST_TEST(*ended == 0, node->errors());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(node)

BOOST_AUTO_TEST_CASE(the_ready_line_names_the_target) {
  int port = free_port();
  auto node = start_node({"--cluster", local_spec(port)});
  auto target = await_target(*node);
  BOOST_TEST(target == "troupe://127.0.0.1:" + std::to_string(port));
  check_serves(target);
}

BOOST_AUTO_TEST_CASE(port_0_lets_the_system_choose) {
  auto node = start_node({"--cluster", local_spec(0)});
  auto target = await_target(*node);
  BOOST_TEST(Address::parse(target)->port != 0);
  check_serves(target);
}

BOOST_AUTO_TEST_CASE(the_cluster_may_come_from_a_file) {
  TemporaryFolder folder;
  auto path = folder.path() / "cluster.json";
  std::ofstream(path) << R"({"local": ["127.0.0.1:0"]})";
  auto node = start_node({"--cluster", "@" + path.string()});
  await_target(*node);
}

BOOST_AUTO_TEST_CASE(tf_config_alone_suffices) {
  int port = free_port();
  auto config = R"({"cluster": {"ps": ["127.0.0.1:1"], "worker": ["127.0.0.1:2", "127.0.0.1:)" +
                std::to_string(port) + R"("]}, "task": {"type": "worker", "index": 1}})";
  auto node = start_node({}, config);
  BOOST_TEST(await_target(*node) == "troupe://127.0.0.1:" + std::to_string(port));
}

BOOST_AUTO_TEST_CASE(flags_win_over_tf_config) {
  int port = free_port();
  auto config = R"({"cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:)" + std::to_string(port) +
                R"("]}, "task": {"type": "worker", "index": 0}})";
  auto node = start_node({"--task", "1"}, config);
  auto target = await_target(*node);
  BOOST_TEST(target == "troupe://127.0.0.1:" + std::to_string(port));
  auto info = connect(target)->node_info();
  BOOST_TEST_REQUIRE(info.ok(), info.status().to_string());
  BOOST_TEST(info->job == "worker");
  BOOST_TEST(info->task == 1);
}

BOOST_AUTO_TEST_CASE(a_malformed_tf_config_is_reported_by_its_key) {
  check_says(refusal(2, {}, "{"), "TF_CONFIG is not JSON");
  check_says(
      refusal(2, {}, R"({"cluster": {"ps": ["a:x"]}})"),
      "TF_CONFIG cluster.ps[0]: address 'a:x': the port 'x' is not a number");
  check_says(
      refusal(2, {}, R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": "one"}})"),
      R"(InvalidArgument: TF_CONFIG task.index is "one", expected a number)");
}

BOOST_AUTO_TEST_CASE(the_variables_of_slurm_define_the_cluster_and_the_task) {
  int port = free_port();
  Process node(
      {.program = program("troupe-node"),
       .arguments = {"--slurm", "ps=1,worker=1", "--port-base", std::to_string(port)},
       .environment = {
           {"SLURM_STEP_NODELIST", "localhost"},
           {"SLURM_STEP_NUM_TASKS", "2"},
           {"SLURM_STEP_TASKS_PER_NODE", "2"},
           {"SLURM_PROCID", "1"}}});
  auto target = await_target(node);
  BOOST_TEST(target == "troupe://localhost:" + std::to_string(port + 1));
  BOOST_TEST(connect(target)->node_info()->job == "worker");
  check_says(refusal(2, {"--slurm", "ps=1"}), "SLURM_STEP_NUM_TASKS or SLURM_NTASKS is not set");
  check_says(refusal(2, {"--slurm", "ps"}), "--slurm: 'ps' does not give a job and its number");
  check_says(
      refusal(2, {"--slurm", "ps=1", "--cluster", "ps=a:1"}),
      "--slurm and --cluster both give the cluster");
}

BOOST_AUTO_TEST_CASE(the_devices_of_a_task_can_be_chosen) {
  auto node = start_node(
      {"--cluster", local_spec(0), "--devices", "cpu:0", "--device-count", "CPU=2,GPU=0",
       "--threads", "1"});
  auto devices = connect(await_target(*node))->list_devices();
  BOOST_TEST_REQUIRE(devices.ok(), devices.status().to_string());
  BOOST_TEST_REQUIRE(devices->devices.size() == 2u);
  BOOST_TEST(devices->devices[1].name == "/job:local/task:0/device:CPU:1");
  BOOST_TEST(devices->devices[1].attributes.description == "1 threads");
  check_says(
      refusal(2, {"--cluster", local_spec(0), "--devices", "GPU:63"}),
      "there is no device 'GPU:63'; this machine has: CPU:0");
  check_says(
      refusal(2, {"--cluster", local_spec(0), "--device-count", "CPU=x"}),
      "--device-count 'CPU=x' is not written as CPU=2");
}

BOOST_AUTO_TEST_CASE(an_unknown_task_is_answered_with_the_known_ones) {
  auto spec = "ps=127.0.0.1:1;worker=127.0.0.1:2,127.0.0.1:3";
  check_says(
      refusal(2, {"--cluster", spec, "--job", "chief"}),
      "unknown job 'chief'; the cluster has: ps, worker");
  check_says(
      refusal(2, {"--cluster", spec, "--job", "worker", "--task", "2"}),
      "job 'worker' has no task 2; it has: 0-1");
  check_says(
      refusal(2, {"--cluster", spec}), "no job is given, and the cluster has several: ps, worker");
  check_says(refusal(2, {}), "no cluster is given; see troupe-node --help");
}

BOOST_AUTO_TEST_CASE(wrong_flags_are_refused) {
  check_says(refusal(2, {"--nonsense"}), "--nonsense");
  check_says(refusal(2, {"--cluster", local_spec(0), "--threads", "-1"}), "--threads");
  check_says(refusal(2, {"--cluster", local_spec(0), "--log-level", "loud"}), "--log-level");
  check_says(refusal(2, {"--cluster", local_spec(0), "--heartbeat", "-1"}), "--heartbeat");
  check_says(
      refusal(2, {"--cluster", local_spec(0), "--memory-limit", "1.5X"}),
      "--memory-limit: '1.5X' is not a size such as 512MiB, 1.5G or a number of bytes");
}

BOOST_AUTO_TEST_CASE(a_port_in_use_is_named) {
  int port = free_port();
  auto first = start_node({"--cluster", local_spec(port)});
  auto target = await_target(*first);
  check_says(refusal(1, {"--cluster", local_spec(port)}), "127.0.0.1:" + std::to_string(port));
  check_serves(target);
}

BOOST_AUTO_TEST_CASE(other_machines_may_connect_only_with_tls_or_insecure) {
  for (auto host : {"0.0.0.0", "::", "example.org"})
    check_says(refusal(2, {"--cluster", local_spec(0), "--bind", host}), "add --tls FOLDER");
  auto node = start_node({"--cluster", local_spec(0), "--bind", "0.0.0.0", "--insecure"});
  await_target(*node);
  node->send(SIGTERM);
  BOOST_TEST(node->wait().value_or(-1) == 0);
  check_says(node->errors(), "anybody who reaches the port can run graphs here");
}

BOOST_AUTO_TEST_CASE(it_stops_on_sigterm) { check_stops_on(SIGTERM); }

BOOST_AUTO_TEST_CASE(it_stops_on_sigint) { check_stops_on(SIGINT); }

BOOST_AUTO_TEST_CASE(a_client_stops_it) {
  auto node = start_node({"--cluster", local_spec(0)});
  auto client = connect(await_target(*node));
  auto stopped = client->stop(std::chrono::seconds(5));
  BOOST_TEST(stopped.ok(), stopped.to_string());
  BOOST_TEST(node->wait(std::chrono::seconds(5)).value_or(-1) == 0, node->errors());
  check_says(node->errors(), "stopped by a client");
}

BOOST_AUTO_TEST_CASE(a_signal_lets_the_running_step_end_and_refuses_new_ones) {
  auto node = start_node({"--cluster", local_spec(0), "--threads", "1"});
  auto client = connect(await_target(*node));
  auto session = open(*client);
  Builder b;
  auto step = busy_step(b, /*products=*/10);
  BOOST_TEST(session->extend(b).ok());
  auto running =
      std::async(std::launch::async, [&] { return session->run({}, {}, {step}).status(); });
  while (client->list_waiting_steps()->empty()) std::this_thread::yield();
  node->send(SIGTERM);
  auto status = running.get();
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(node->wait(std::chrono::seconds(5)).value_or(-1) == 0, node->errors());
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it_in_time_though_a_step_waits_for_a_frozen_task) {
  NodeCluster cluster({{"ps", 1}, {"worker", 1}}, {"--heartbeat", "0"});
  auto client = connect(cluster.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto there = b.on("/job:ps").constant(1.0F);
  BOOST_TEST(session->extend(b).ok());
  cluster.node("ps", 0).send(SIGSTOP);
  auto waiting = std::async(std::launch::async, [&] { return session->run({}, {there}).status(); });
  while (client->list_waiting_steps()->empty()) std::this_thread::yield();
  auto& worker = cluster.node("worker", 0);
  worker.send(SIGTERM);
  auto status = waiting.get();
  BOOST_TEST((status.code() == Code::cancelled), status.to_string());
  BOOST_TEST(worker.wait(std::chrono::seconds(5)).value_or(-1) == 0, worker.errors());
}

BOOST_AUTO_TEST_CASE(a_second_signal_ends_it_at_once) {
  NodeCluster cluster({{"ps", 1}, {"worker", 1}}, {"--heartbeat", "0"});
  auto client = connect(cluster.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto there = b.on("/job:ps").constant(1.0F);
  BOOST_TEST(session->extend(b).ok());
  cluster.node("ps", 0).send(SIGSTOP);
  auto waiting = std::async(std::launch::async, [&] { return session->run({}, {there}).status(); });
  while (client->list_waiting_steps()->empty()) std::this_thread::yield();
  auto& worker = cluster.node("worker", 0);
  worker.send(SIGTERM);
  while (client->node_info()->state == NodeState::serving) std::this_thread::yield();
  worker.send(SIGTERM);
  BOOST_TEST(worker.wait().value_or(-1) == 128 + SIGTERM);
  BOOST_TEST((waiting.get().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_connected_client_does_not_hold_it_up) {
  auto node = start_node({"--cluster", local_spec(0)});
  auto client = connect(await_target(*node));
  auto session = open(*client);
  node->send(SIGTERM);
  auto ended = node->wait(std::chrono::seconds(5));
  BOOST_TEST(ended.value_or(-1) == 0, node->errors());
  Builder b;
  b.constant(2.0F);
  BOOST_TEST((session->extend(b).code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(random_bytes_leave_it_serving) {
  auto node = start_node({"--cluster", local_spec(0)});
  auto target = await_target(*node);
  for (unsigned seed = 1; seed <= 20; ++seed)
    send_bytes(target, random_bytes(1 << seed % 15, seed));
  send_bytes(target, "");
  send_bytes(target, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  send_bytes(target, std::string(1 << 16, '\0'));
  send_bytes(target, std::string(1 << 16, '\xff'));
  // One segment of nearly 32 GiB, of which 8 bytes are sent.
  send_bytes(target, std::string("\0\0\0\0\xff\xff\xff\xff", 8) + std::string(8, '\0'));
  check_serves(target);
  BOOST_TEST(!node->wait(std::chrono::milliseconds(0)).has_value());
}

BOOST_AUTO_TEST_CASE(a_killed_node_can_be_started_again_at_once) {
  NodeCluster cluster({{"local", 1}});
  auto target = cluster.target("local", 0);
  check_serves(target);
  cluster.node("local", 0).send(SIGKILL);
  BOOST_TEST(cluster.node("local", 0).wait().value_or(-1) == 128 + SIGKILL);
  cluster.restart("local", 0);
  BOOST_TEST(cluster.target("local", 0) == target);
  check_serves(target);
}

BOOST_AUTO_TEST_CASE(a_client_killed_in_mid_step_leaves_the_nodes_serving) {
  NodeCluster cluster({{"ps", 1}, {"worker", 2}});
  auto target = cluster.target("worker", 0);
  auto training = start_digits({"--target", target, "--epochs", "100000"});
  await_epoch(*training);
  training->send(SIGKILL);
  BOOST_TEST(training->wait().value_or(-1) == 128 + SIGKILL);
  for (int task : {0, 1}) check_serves(cluster.target("worker", task));
  check_serves(cluster.target("ps", 0));
}

BOOST_AUTO_TEST_CASE(log_json_makes_each_line_an_object) {
  auto node = start_node({"--cluster", local_spec(0), "--log-json"});
  auto line = node->read_line();
  BOOST_TEST_REQUIRE(line.has_value(), node->errors());
  auto ready = nlohmann::json::parse(*line);
  BOOST_TEST(ready["event"] == "ready");
  BOOST_TEST(ready["pid"] == node->pid());
  check_serves(ready["target"]);
  node->send(SIGTERM);
  BOOST_TEST(node->wait().value_or(-1) == 0);
  std::istringstream logged(node->errors());
  for (std::string text; std::getline(logged, text);)
    BOOST_TEST(nlohmann::json::parse(text).contains("message"), text);
}

BOOST_AUTO_TEST_CASE(help_and_version_are_printed) {
  auto help = start_node({"--help"});
  BOOST_TEST(help->wait().value_or(-1) == 0);
  for (auto flag :
       {"--cluster", "--job", "--task", "--bind", "--insecure", "--threads", "--connect-timeout",
        "--heartbeat", "--memory-limit", "--slurm", "--port-base", "--devices", "--device-count",
        "--cluster-name", "--log-level", "--log-json", "TF_CONFIG", "Examples:"})
    check_says(help->output(), flag);
  auto version = start_node({"--version"});
  BOOST_TEST(version->wait().value_or(-1) == 0);
  BOOST_TEST(version->output().starts_with("troupe-node "));
}

BOOST_AUTO_TEST_SUITE_END()
