#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "troupe/tests/processes/cli/run_cli.hpp"
#include "troupe/tests/processes/cli/terminal.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/temporary_folder.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace troupe::testing;
using Json = nlohmann::json;

namespace {

/// Of a command that ends well.
Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--json");
  auto ended = run_cli(std::move(arguments));
  BOOST_TEST_REQUIRE(ended.code == 0, ended.errors);
  return Json::parse(ended.output);
}

/// One variable on the parameter server.
struct ClusterWithVariable {
  NodeCluster nodes{{{"ps", 1}, {"worker", 1}}};
  std::string target = nodes.target("worker", 0);
  std::unique_ptr<Client> client = connect(target);
  std::unique_ptr<Session> session = open(*client);

  ClusterWithVariable() {
    Builder b;
    auto ps = b.on("/job:ps/task:0");
    ps.variable("w", ps.constant(1.5F));
    auto initializer = b.initializer();
    BOOST_REQUIRE(session->extend(b).ok());
    BOOST_REQUIRE(session->run({}, {}, {initializer}).ok());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(ls_shows_the_tasks_of_the_cluster_and_what_they_hold) {
  ClusterWithVariable cluster;
  auto listing = json_of({"--target", cluster.target, "ls"});
  BOOST_TEST(listing["tasks"].size() == 2U);
  BOOST_TEST(listing["devices"].size() == 2U);
  BOOST_REQUIRE(listing["resources"].size() == 1U);
  BOOST_TEST(listing["resources"][0]["name"] == "/job:ps/task:0/container:/resource:w");
  BOOST_TEST(listing["resources"][0]["bytes"] == 4);
  auto tree = run_cli({"--target", cluster.target, "ls"});
  BOOST_TEST(tree.code == 0);
  check_says(tree.output, "/job:worker/task:0");
  check_says(tree.output, "w  variable float32[]  4 B");
  auto described = json_of({"--target", cluster.target, "describe", "w"});
  BOOST_TEST(described["device"] == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(ls_and_describe_show_the_sessions_of_each_master) {
  NodeCluster nodes({{"worker", 2}});
  auto target = nodes.target("worker", 1);
  auto client = *Client::connect(target, {.program = "train.py"});
  auto session = open(*client);
  Builder b;
  auto queue = b.op("FIFOQueueV2", {}, {{"component_types", DTypes{DType::float32}}});
  auto taken = b.op("QueueDequeueV2", {queue}, {{"component_types", DTypes{DType::float32}}});
  auto x = b.constant(1.0F);
  BOOST_REQUIRE(session->extend(b).ok());
  BOOST_REQUIRE(session->run({}, {x}).ok());
  auto waiting = session->start({}, {taken});
  Json listed;  // the first through the node that has no session
  auto end = std::chrono::steady_clock::now() + test_timeout;
  do {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
    listed = json_of({"--target", nodes.target("worker", 0), "ls"})["sessions"];
  } while (listed[0]["running_steps"] == 0);
  BOOST_TEST_REQUIRE(listed.size() == 1U);
  auto name = "/job:worker/task:1/session:" + listed[0]["session"].dump();
  BOOST_TEST(listed[0]["name"] == name);
  BOOST_TEST(listed[0]["master"] == "/job:worker/task:1");
  BOOST_TEST(listed[0]["target"] == target);
  check_says(listed[0]["client"].dump(), "train.py (process " + std::to_string(getpid()) + ") of ");
  BOOST_TEST(listed[0]["nodes"] == 3);
  BOOST_TEST(listed[0]["running_steps"] == 1);
  BOOST_TEST(listed[0]["steps"] == 2);
  auto tree = run_cli({"--target", target, "ls"});
  check_says(tree.output, "  /session:" + listed[0]["session"].dump() + "  train.py (process ");
  check_says(tree.output, "3 nodes, 1 of 2 steps run");
  auto described = json_of({"--target", target, "describe", name});
  BOOST_TEST(described["client"] == listed[0]["client"]);
  BOOST_TEST(described["since"].get<std::string>().ends_with("Z"));
  BOOST_TEST(session->close().ok());
  BOOST_TEST(json_of({"--target", target, "ls"})["sessions"].empty());
}

BOOST_AUTO_TEST_CASE(ls_and_describe_show_how_full_a_queue_is_and_what_waits) {
  NodeCluster nodes({{"ps", 1}});
  auto client = connect(nodes.target("ps", 0));
  auto session = open(*client);
  Builder b;
  auto queue = b.op(
      "FIFOQueueV2", {},
      {{"component_types", DTypes{DType::int64}},
       {"shapes", Shapes{Shape()}},
       {"capacity", int64_t{2}},
       {"shared_name", "q"}});
  auto put = b.op("QueueEnqueueV2", {queue, b.constant(Tensor::scalar<int64_t>(1))});
  BOOST_REQUIRE(session->extend(b).ok());
  BOOST_REQUIRE(session->run({}, {}, {put}).ok());
  auto tree = run_cli({"--target", nodes.target("ps", 0), "ls"});
  check_says(tree.output, "q  queue int64[1]  8 B  1 of 2 elements; ");
  check_says(tree.output, "/s in and 0.0/s out; 0 enqueues and 0 dequeues wait");
  BOOST_REQUIRE(session->run({}, {}, {put}).ok());
  auto waiting = session->start({}, {}, {put});
  Json described;
  do described = json_of({"--target", nodes.target("ps", 0), "describe", "q"});
  while (described["waiting_producers"] == 0);
  BOOST_TEST(described["elements"] == 2);
  BOOST_TEST(described["capacity"] == 2);
  BOOST_TEST(described["waiting_consumers"] == 0);
  BOOST_TEST(described["enqueues"]["elements"] == 2);
  BOOST_TEST(described["enqueues"]["waiters"].size() == 1);
  BOOST_TEST(described["dequeues"]["idle_ms"].is_null());
}

BOOST_AUTO_TEST_CASE(reset_frees_what_it_is_told_to_and_nothing_without_being_told) {
  ClusterWithVariable cluster;
  auto refused = run_cli({"--target", cluster.target, "reset"});
  BOOST_TEST(refused.code == 2);
  check_says(refused.errors, "say --all");
  BOOST_TEST(json_of({"--target", cluster.target, "ls"})["resources"].size() == 1U);
  BOOST_TEST(run_cli({"--target", cluster.target, "reset", "(default)"}).code == 0);
  BOOST_TEST(json_of({"--target", cluster.target, "ls"})["resources"].empty());
}

BOOST_AUTO_TEST_CASE(runners_are_listed_paused_resumed_and_stopped) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}});
  auto target = nodes.target("worker", 0);
  {
    auto client = connect(target);
    auto session = open(*client);
    Builder b;
    auto ps = b.on("/job:ps/task:0");
    Attrs attrs{{"component_types", DTypes{DType::float32}}, {"capacity", int64_t{2}}};
    attrs.insert({{"shared_name", "examples"}});
    auto queue = ps.op("FIFOQueueV2", {}, attrs);
    auto enqueue = ps.op("QueueEnqueueV2", {queue, ps.constant(1.0F)});
    auto cancel = ps.op("QueueCloseV2", {queue}, {{"cancel_pending_enqueues", true}});
    BOOST_REQUIRE(session->extend(b).ok());
    RunnerSpec spec{.enqueue_ops = {enqueue.name()}, .cancel_op = cancel.name()};
    BOOST_REQUIRE(session->start_runner("input", spec).ok());
  }
  auto runners = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--target", nodes.target("ps", 0), "runners"});
    return run_cli(words);
  };
  Json waiting;
  while (waiting.empty()) {
    auto ended = run_cli({"--json", "--target", target, "explain"});
    if (!ended.output.empty()) waiting = Json::parse(ended.output);
  }
  BOOST_TEST(waiting["runner"] == "/input");
  auto listed = json_of({"--target", target, "runners"});
  BOOST_TEST(listed["name"] == "input");
  BOOST_TEST(listed["state"] == "running");
  BOOST_TEST(listed["steps"] == 2);
  BOOST_TEST(listed["error"].is_null());
  check_says(run_cli({"--target", target, "ls"}).output, "input  runner  running for ");
  auto sessions = json_of({"--target", target, "ls"})["sessions"];
  BOOST_TEST_REQUIRE(sessions.size() == 1U);
  BOOST_TEST(sessions[0]["runner"] == "/input");
  BOOST_TEST(runners({"pause", "input"}).output == "paused input\n");
  check_says(runners({"ls"}).output, "input  on /job:worker/task:0  paused for ");
  BOOST_TEST(runners({"resume", "input"}).output == "resumed input\n");
  auto wrong = runners({"pause", "input", "--container", "ours"});
  BOOST_TEST(wrong.code == 1);
  check_says(wrong.errors, "no task that answers has a runner 'input' of container 'ours'");
  // A node that drains does not wait for the step of a runner, which waits for room.
  BOOST_TEST(run_cli({"--target", target, "--timeout", "30", "drain"}).code == 0);
  check_says(runners({"ls"}).output, "was told to drain");
  BOOST_TEST(runners({"stop", "input"}).output == "stopped input\n");
  check_says(runners({}).output, "no runner is left on the cluster");
}

BOOST_AUTO_TEST_CASE(explain_says_what_a_step_waits_for_and_doctor_who_is_silent) {
  NodeCluster nodes({{"worker", 2}});
  auto client = connect(nodes.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto x = b.on("/job:worker/task:1").placeholder(DType::float32, {});
  auto far = b.on("/job:worker/task:1").neg(x);
  auto y = b.on("/job:worker/task:0").neg(far);
  BOOST_REQUIRE(session->extend(b).ok());
  Feed feed{x, Tensor::scalar(1.0F)};
  BOOST_REQUIRE(session->run({feed}, {y}).ok());
  nodes.node("worker", 1).send(SIGSTOP);
  auto step = session->start({feed}, {y});
  auto target = nodes.target("worker", 0);
  Json explained;
  while (explained.empty()) {
    auto ended = run_cli({"--json", "--timeout", "0.5", "--target", target, "explain"});
    if (!ended.output.empty()) explained = Json::parse(ended.output);
  }
  BOOST_TEST(explained["master"] == "/job:worker/task:0");
  check_says(explained["waits"].dump(), "/job:worker/task:1");
  auto doctor = run_cli({"--timeout", "0.5", "--target", target, "doctor"});
  BOOST_TEST(doctor.code == 1);
  check_says(doctor.output, "/job:worker/task:1");
  nodes.node("worker", 1).send(SIGCONT);
}

BOOST_AUTO_TEST_CASE(trace_and_graph_show_the_next_step_of_another_client) {
  ClusterWithVariable cluster;
  Builder b;
  auto x = b.on("/job:worker/task:0").placeholder(DType::float32, {});
  auto y = b.on("/job:ps/task:0").named("squared").op("Square", {x});
  auto client = connect(cluster.target);
  auto session = open(*client);
  BOOST_REQUIRE(session->extend(b).ok());
  std::atomic<bool> ends = false;
  std::thread steps([&] {
    while (!ends) (void)session->run({{x, Tensor::scalar(3.0F)}}, {y});
  });
  auto trace = run_cli({"--timeout", "30", "--target", cluster.target, "trace"});
  auto dot = run_cli({"--timeout", "30", "--target", cluster.target, "graph"});
  auto graph = run_cli({"--json", "--timeout", "30", "--target", cluster.target, "graph"});
  auto nobody = run_cli({"--target", cluster.target, "trace", "--session", "7"});
  ends = true;
  steps.join();
  BOOST_TEST_REQUIRE(trace.code == 0, trace.errors);
  std::set<std::string> slices;
  auto events = Json::parse(trace.output)["traceEvents"];
  for (const auto& event : events) slices.insert(event["name"].get<std::string>());
  BOOST_TEST(slices.contains("squared"));
  BOOST_TEST(slices.contains(Ref(x).name));  // the feed
  // Both processes read the clock of this host.
  check_says(trace.output, "clock +- 0.0 us");
  BOOST_TEST(dot.code == 0, dot.errors);
  check_says(dot.output, "label=\"/job:ps/task:0/device:CPU:0\"");
  check_says(graph.output, "\"node\":\"squared\"");
  BOOST_TEST(nobody.code == 1);
  check_says(nobody.errors, "no session 7");
  auto idle = run_cli({"--timeout", "0.2", "--target", cluster.target, "trace"});
  BOOST_TEST(idle.code == 1);
  check_says(idle.errors, "no step of the session began and ended within the timeout");
}

BOOST_AUTO_TEST_CASE(graph_places_a_graph_def_on_the_cluster_and_says_why) {
  NodeCluster nodes({{"worker", 2}});
  TemporaryFolder folder;
  auto file = folder.path() / "graph.pbtxt";
  std::ofstream(file) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "x" device: "/job:worker/task:1"
           attr { key: "T" value { type: DT_FLOAT } } })";
  auto target = nodes.target("worker", 0);
  auto dot = run_cli({"--target", target, "graph", file.string(), "--feed", "x:0"});
  BOOST_TEST(dot.code == 0, dot.errors);
  check_says(dot.output, "label=\"/job:worker/task:1/device:CPU:0\"");
  auto table = run_cli({"--target", target, "graph", file.string(), "--feed", "x:0", "--table"});
  check_says(table.output, "it asks for /job:worker/task:1");
  auto explained = json_of(
      {"--target", target, "graph", file.string(), "--fetch", "y:0", "--feed", "x:0", "--placement",
       "cost"});
  BOOST_TEST(explained["placement"] == "cost");
  BOOST_TEST(explained["nodes"][0]["device"] == "/job:worker/task:1/device:CPU:0");
  auto wrong = run_cli({"--target", target, "graph", file.string(), "--fetch", "z"});
  BOOST_TEST(wrong.code == 1);
  check_says(wrong.errors, "z");
  std::ofstream(file) << "no graph";
  BOOST_TEST(run_cli({"--target", target, "graph", file.string()}).code == 2);
}

BOOST_AUTO_TEST_CASE(stop_ends_a_node) {
  NodeCluster nodes({{"worker", 1}});
  BOOST_TEST(run_cli({"--target", nodes.target("worker", 0), "stop"}).code == 0);
  BOOST_TEST(nodes.node("worker", 0).wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(launch_runs_a_program_in_each_role_and_names_who_says_what) {
  auto ended = run_cli({"launch", "ps=1", "worker=2", "--", "sh", "-c", "echo $TF_CONFIG"});
  BOOST_TEST(ended.code == 0, ended.errors);
  for (const auto* label : {"[ps/0] {", "[worker/0] {", "[worker/1] {"})
    check_says(ended.output, label);
  check_says(ended.output, R"("task":{"type":"worker","index":1})");
}

BOOST_AUTO_TEST_CASE(launch_stops_all_when_one_fails_and_ends_as_that_one) {
  auto ended = run_cli(
      {"launch", "worker=3", "--", "sh", "-c",
       "case $TF_CONFIG in *'index\":1'*) exit 7;; esac; exec sleep 1000"});
  BOOST_TEST(ended.code == 7);
  check_says(ended.output, "[worker/1] ended with exit code 7");
}

BOOST_AUTO_TEST_CASE(launch_kills_who_does_not_stop) {
  auto ended = run_cli(
      {"launch", "worker=2", "--", "sh", "-c",
       "trap '' TERM; case $TF_CONFIG in *'index\":1'*) exit 7;; esac; while :; do sleep 1; done"});
  BOOST_TEST(ended.code == 7);
}

BOOST_AUTO_TEST_CASE(launch_runs_a_client_beside_nodes_and_ends_as_it_does) {
  auto ended = run_cli(
      {"launch", "ps=1", "worker=1", "--client", "--", "sh", "-c",
       "'" + program("troupe") + "' --target $0 describe /job:ps/task:0 && exit 7", "{worker:0}"});
  BOOST_TEST(ended.code == 7, ended.errors);
  check_says(ended.output, "name              /job:ps/task:0");
}

BOOST_AUTO_TEST_CASE(launch_runs_nodes_on_hosts_by_ssh) {
  TemporaryFolder folder;
  auto ssh = folder.path() / "ssh";
  // Stands for ssh: `ssh -tt HOST COMMAND`, run here.
  std::ofstream(ssh) << "#!/bin/sh\nexec sh -c \"$3\"\n";
  BOOST_REQUIRE(chmod(ssh.c_str(), 0700) == 0);
  auto port = free_port();
  Process launch(
      {.program = program("troupe"),
       .arguments =
           {"launch", "worker=1", "--hosts", "127.0.0.1", "--ssh", ssh.string(), "--node",
            program("troupe-node"), "--port-base", std::to_string(port)},
       .environment = {}});
  auto line = launch.read_line();
  BOOST_TEST(line.value_or("") == "[worker/0] ready troupe://127.0.0.1:" + std::to_string(port));
  launch.send(SIGTERM);
  BOOST_TEST(launch.wait().value_or(-1) == 128 + SIGTERM);
}

BOOST_AUTO_TEST_CASE(ctrl_c_on_a_terminal_stops_all_nodes_of_a_launch_in_order) {
  Terminal launch({program("troupe"), "launch", "ps=1", "worker=1"});
  for (int node = 0; node < 2; ++node) BOOST_REQUIRE(launch.reads("/0] ready troupe://"));
  launch.type("\x03");
  BOOST_TEST(launch.reads("SIGTERM: stopping"));
  BOOST_TEST(launch.wait() == 128 + SIGINT);
}

BOOST_AUTO_TEST_CASE(top_shows_the_cluster_on_a_terminal_until_ctrl_c) {
  NodeCluster nodes({{"worker", 1}});
  Terminal top(
      {program("troupe"), "--target", nodes.target("worker", 0), "top", "--interval", "0.05"});
  for (int round = 0; round < 3; ++round) BOOST_REQUIRE(top.reads("/job:worker/task:0"));
  top.type("\x03");
  BOOST_TEST(top.wait() == 0);
}

BOOST_AUTO_TEST_CASE(a_reset_of_what_holds_nothing_says_so) {
  ClusterWithVariable cluster;
  auto ended = run_cli({"--target", cluster.target, "reset", "no_such"});
  BOOST_TEST(ended.code == 0);
  check_says(ended.errors, "the container 'no_such' held nothing");
  BOOST_TEST(run_cli({"--target", cluster.target, "reset", "(default)"}).errors.empty());
}

BOOST_AUTO_TEST_SUITE_END()
