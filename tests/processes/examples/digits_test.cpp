#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using std::chrono::seconds;

const std::map<std::string, int> main_job_tasks = {{"ps", 1}, {"worker", 2}};

struct Ended {
  int exit_code = -1;
  std::string output;
  std::string errors;
};

Ended run_digits(std::vector<std::string> flags) {
  auto digits = start_digits(std::move(flags));
  auto exit_code = digits->wait(4 * test_timeout);
  BOOST_TEST_REQUIRE(exit_code.has_value(), "digits still runs");
  return {*exit_code, digits->output(), digits->errors()};
}

/// The object that --json prints, of a run that must succeed.
nlohmann::json train(std::vector<std::string> flags) {
  flags.push_back("--json");
  auto ended = run_digits(std::move(flags));
  BOOST_TEST_REQUIRE(ended.exit_code == 0, ended.errors);
  return nlohmann::json::parse(ended.output);
}

NodeInfo info_of(const std::string& target) {
  auto info = connect(target)->node_info();
  BOOST_TEST_REQUIRE(info.ok(), info.status().to_string());
  return *info;
}

/// A variable of the model, read from the parameter server.
Result<Tensor> read_weights(const std::string& target) {
  auto client = Client::connect(target);
  if (!client) return client.status();
  auto session = (*client)->session();
  if (!session) return session.status();
  auto b = Builder().on("/job:ps/task:0");
  auto handle = b.op(
      "VarHandleOp", {},
      {{"dtype", DType::float32},
       {"shape", Shape{64, 128}},
       {"container", "digits"},
       {"shared_name", "hidden/weights"}});
  auto weights = b.op("ReadVariableOp", {handle}, {{"dtype", DType::float32}});
  if (auto status = (*session)->extend(b); !status.ok()) return status;
  auto fetched = (*session)->run({}, {weights});
  if (!fetched) return fetched.status();
  return (*fetched)[0];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(digits)

BOOST_AUTO_TEST_CASE(three_processes_learn_to_read_digits) {
  NodeCluster cluster(main_job_tasks);
  std::set<pid_t> pids = {
      cluster.node("ps", 0).pid(), cluster.node("worker", 0).pid(),
      cluster.node("worker", 1).pid()};
  BOOST_TEST(pids.size() == 3);

  auto result = train({"--target", cluster.target("worker", 0)});
  BOOST_TEST(result["accuracy"].get<double>() >= 0.96);
  BOOST_TEST(result["held_out"] == 359);
  BOOST_TEST(result["workers"] == 2);

  // Each worker was the master of half of the steps, and the parameters are where they belong.
  for (int task : {0, 1}) {
    auto steps = info_of(cluster.target("worker", task)).steps;
    BOOST_TEST(steps >= result["steps"].get<uint64_t>() / 2);
  }
  auto weights = read_weights(cluster.target("ps", 0));
  BOOST_TEST_REQUIRE(weights.ok(), weights.status().to_string());
  BOOST_TEST((weights->shape() == Shape{64, 128}));
}

BOOST_AUTO_TEST_CASE(processes_and_a_local_cluster_give_the_same_losses) {
  NodeCluster cluster(main_job_tasks);
  const std::vector<std::string> flags = {"--workers", "1", "--epochs", "4", "--seed", "7"};
  for (std::string optimizer : {"adam", "momentum", "sgd"}) {
    auto run_on = [&](const std::string& target) {
      auto all = flags;
      all.insert(all.end(), {"--optimizer", optimizer, "--target", target});
      return train(all);
    };
    auto remote = run_on(cluster.target("worker", 0));
    auto local = run_on("local");
    BOOST_TEST(remote["losses"].size() == 4);
    BOOST_TEST(remote["losses"] == local["losses"]);
    BOOST_TEST(remote["confusion"] == local["confusion"]);
    BOOST_TEST(remote["losses"][3].get<double>() < remote["losses"][0].get<double>());
  }
}

BOOST_AUTO_TEST_CASE(any_node_or_a_list_of_workers_is_a_target) {
  NodeCluster cluster(main_job_tasks);
  BOOST_TEST(train({"--epochs", "1", "--target", cluster.target("ps", 0)})["workers"] == 2);
  auto list = cluster.target("worker", 0) + "," + cluster.target("worker", 1);
  BOOST_TEST(train({"--epochs", "1", "--target", list})["workers"] == 2);

  auto ended = run_digits({"--workers", "3", "--target", list});
  BOOST_TEST(ended.exit_code == 1);
  check_says(ended.errors, "--workers 3, but there are 2");
}

BOOST_AUTO_TEST_CASE(piped_output_is_plain_lines) {
  auto ended = run_digits({"--epochs", "3"});
  BOOST_TEST(ended.exit_code == 0);
  BOOST_TEST(ended.errors == "");
  BOOST_TEST(ended.output.find('\x1b') == std::string::npos);
  BOOST_TEST(ended.output.find('\r') == std::string::npos);
  for (auto* line : {"\nepoch 1/3  loss ", "\nepoch 3/3  loss ", "\naccuracy 0.", "taken for"})
    check_says(ended.output, line);
}

BOOST_AUTO_TEST_CASE(a_terminal_gets_a_bar_as_wide_as_it_is) {
  auto command = "stty cols 70; exec " + program("digits") + " --epochs 40";
  Process terminal({.program = "/usr/bin/script", .arguments = {"-qec", command, "/dev/null"}});
  auto exit_code = terminal.wait();
  BOOST_TEST_REQUIRE(exit_code.has_value());
  BOOST_TEST(*exit_code == 0);
  const auto& output = terminal.output();
  auto start = output.find("\repoch");
  BOOST_TEST_REQUIRE(start != std::string::npos, output);
  auto end = output.find("\x1b[K", start);
  BOOST_TEST_REQUIRE(end != std::string::npos, output);
  auto bar = output.substr(start + 1, end - start - 1);
  BOOST_TEST(bar.size() == 69, bar);
  for (auto* part : {"/40 [", "steps/s", "loss", "ETA"}) check_says(bar, part);
}

BOOST_AUTO_TEST_CASE(control_c_ends_it_and_the_nodes_serve_on) {
  NodeCluster cluster(main_job_tasks);
  auto target = cluster.target("worker", 0);
  auto digits = start_digits({"--target", target, "--epochs", "100000"});
  await_epoch(*digits);
  digits->send(SIGINT);
  auto exit_code = digits->wait(seconds(5));
  BOOST_TEST_REQUIRE(exit_code.has_value(), "digits still runs");
  BOOST_TEST(*exit_code == 130);
  check_says(digits->errors(), "digits: Cancelled: interrupted after ");

  BOOST_TEST(train({"--target", target, "--epochs", "1"})["losses"].size() == 1);
}

BOOST_AUTO_TEST_CASE(a_dead_parameter_server_is_named_and_ends_it) {
  NodeCluster cluster(main_job_tasks);
  auto digits = start_digits({"--target", cluster.target("worker", 0), "--epochs", "100000"});
  await_epoch(*digits);
  cluster.node("ps", 0).send(SIGKILL);
  auto exit_code = digits->wait();
  BOOST_TEST_REQUIRE(exit_code.has_value(), "digits still runs");
  BOOST_TEST(*exit_code == 1);
  BOOST_TEST(digits->errors().starts_with("digits: Unavailable: "), digits->errors());
  check_says(digits->errors(), "/job:ps/task:0");
}

BOOST_AUTO_TEST_CASE(a_target_where_nobody_serves_is_named) {
  auto address = "127.0.0.1:" + std::to_string(free_port());
  auto ended = run_digits({"--target", "troupe://" + address});
  BOOST_TEST(ended.exit_code == 1);
  BOOST_TEST(ended.output == "");
  BOOST_TEST(ended.errors.starts_with("digits: Unavailable: "), ended.errors);
  check_says(ended.errors, address);
}

BOOST_AUTO_TEST_CASE(bad_usage_is_refused) {
  for (std::vector<std::string> flags :
       {std::vector<std::string>{"--epochs", "0"},
        {"--batch", "many"},
        {"--optimizer", "best"},
        {"--learning-rate", "-1"},
        {"--workers", "0"},
        {"--nonsense"}}) {
    auto ended = run_digits(flags);
    BOOST_TEST(ended.exit_code == 2);
    check_says(ended.errors, flags[0]);
  }
}

BOOST_AUTO_TEST_CASE(bad_data_is_refused_with_its_line) {
  TemporaryFolder folder;
  auto file = (folder.path() / "digits.csv").string();
  auto check_refused = [&](const std::string& text, const std::string& why) {
    std::ofstream(file) << text;
    auto ended = run_digits({"--data", file});
    BOOST_TEST(ended.exit_code == 1);
    check_says(ended.errors, file);
    check_says(ended.errors, why);
  };
  std::string pixels;
  for (int i = 0; i < 64; ++i) pixels += "16,";
  check_refused("", "0 lines where 1797 were expected");
  check_refused(pixels + "9\n", "1 lines where 1797 were expected");
  check_refused(pixels + "9\n" + pixels + "10\n", "line 2: '10'");
  check_refused(pixels + "9\n17," + pixels.substr(3) + "9\n", "line 2: '17'");
  check_refused(pixels + "9\n" + pixels + "9,9\n", "line 2: 66 values");
  check_refused(pixels + "\n", "line 1: ''");

  std::filesystem::remove(file);
  auto ended = run_digits({"--data", file});
  BOOST_TEST(ended.exit_code == 1);
  check_says(ended.errors, file + ": No such file");
}

BOOST_AUTO_TEST_SUITE_END()
