#include "troupe/graph/cluster/tf_config.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(tf_config)

namespace {

TfConfig parsed(std::string_view json) {
  auto config = TfConfig::parse(json);
  BOOST_TEST_REQUIRE(config.ok(), config.status().to_string());
  return *config;
}

std::string fault_of(std::string_view json) {
  auto config = TfConfig::parse(json);
  BOOST_TEST_REQUIRE(!config.ok(), "no fault found in " << json);
  BOOST_TEST((config.status().code() == Code::invalid_argument));
  return config.status().message();
}

Role role_of(std::string_view json) {
  auto role = Role::of(parsed(json));
  BOOST_TEST_REQUIRE(role.ok(), role.status().to_string());
  return *role;
}

std::string role_fault_of(std::string_view json) {
  auto role = Role::of(parsed(json));
  BOOST_TEST_REQUIRE(!role.ok(), "no fault found in " << json);
  return role.status().message();
}

/// TF_CONFIG of a task of that cluster.
std::string config_of(const std::string& cluster, const std::string& task) {
  return R"({"cluster": )" + cluster + R"(, "task": )" + task + "}";
}

const std::string with_chief =
    R"({"chief": ["a:1"], "ps": ["b:1", "c:1"], "worker": ["d:1", "e:1"]})";
const std::string without_chief = R"({"ps": ["b:1"], "worker": ["d:1", "e:1"]})";

}  // namespace

BOOST_AUTO_TEST_CASE(the_example_of_tensorflow_is_understood) {
  auto config = parsed(R"({
    "cluster": {"chief": ["host0:2222"], "ps": ["host1:2222"],
                "worker": ["host2:2222", "host3:2222"]},
    "task": {"type": "worker", "index": 1},
    "environment": "cloud", "rpc_layer": "grpc", "model_dir": "/tmp"})");
  BOOST_TEST(config.environment == "cloud");
  BOOST_TEST(config.server.protocol == "grpc");
  auto task = config.server.resolve();
  BOOST_TEST_REQUIRE(task.ok(), task.status().to_string());
  BOOST_TEST(task->job == "worker");
  BOOST_TEST(task->task == 1);
  BOOST_TEST(task->cluster.job_names() == "chief, ps, worker");
}

BOOST_AUTO_TEST_CASE(the_sparse_cluster_of_kubeflow_is_understood) {
  auto config = parsed(R"({
    "sparseCluster": {"worker": {"3": "mnist-worker-3.default.svc:2222"},
                      "ps": ["mnist-ps-0.default.svc:2222"], "chief": null},
    "task": {"type": "worker", "index": 3}})");
  BOOST_TEST(config.server.cluster.job_names() == "ps, worker");
  BOOST_TEST(config.server.resolve().ok());
}

BOOST_AUTO_TEST_CASE(an_index_may_be_a_decimal_string) {
  BOOST_TEST(*parsed(R"({"task": {"type": "ps", "index": "12"}})").server.task == 12);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_not_given) {
  auto config = parsed(R"({"cluster": {}})");
  BOOST_TEST(config.server.cluster.empty());
  BOOST_TEST(config.server.job.empty());
  BOOST_TEST(!config.server.task.has_value());
}

BOOST_AUTO_TEST_CASE(a_variable_that_is_not_set_gives_nothing) {
  BOOST_TEST(TfConfig::read({{"HOME", "/"}})->server.cluster.empty());
  BOOST_TEST(TfConfig::read({{"TF_CONFIG", ""}})->server.cluster.empty());
  BOOST_TEST(
      TfConfig::read({{"TF_CONFIG", config_of(with_chief, "{}")}})->server.cluster.jobs().size() ==
      3u);
  BOOST_TEST(!TfConfig::read({{"TF_CONFIG", "{"}}).ok());
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_key_and_quotes_the_value) {
  BOOST_TEST(fault_of("{").starts_with("TF_CONFIG is not JSON: parse error"));
  BOOST_TEST(fault_of("[1]") == "TF_CONFIG is [1], expected an object");
  BOOST_TEST(
      fault_of(R"({"cluster": "ps=a"})") ==
      R"(TF_CONFIG cluster is "ps=a", expected an object {"job": ["host:port", ...], ...})");
  BOOST_TEST(
      fault_of(R"({"cluster": {"ps": ["a:99999"]}})") ==
      "TF_CONFIG cluster.ps[0]: address 'a:99999': the port '99999' is not a number from 0 to "
      "65535");
  BOOST_TEST(
      fault_of(R"({"sparseCluster": {"ps": {"0": 1}}})") ==
      R"(TF_CONFIG sparseCluster.ps[0] is 1, expected "host:port")");
  BOOST_TEST(
      fault_of(R"({"task": 1})") ==
      R"(TF_CONFIG task is 1, expected an object {"type": "worker", "index": 0})");
  BOOST_TEST(fault_of(R"({"task": {"type": 1}})") == "TF_CONFIG task.type is 1, expected a string");
  BOOST_TEST(fault_of(R"({"environment": 1})") == "TF_CONFIG environment is 1, expected a string");
  BOOST_TEST(
      fault_of(R"({"rpc_layer": "http"})") ==
      "TF_CONFIG rpc_layer is 'http', expected 'troupe', or 'grpc' for the same");
  BOOST_TEST(
      fault_of(R"({"task": {"type": "a", "type": "b"}})") ==
      "TF_CONFIG: the key 'type' is given twice");
  for (std::string index : {"-1", "1.5", "null", "true", R"("x")", R"("")", "99999999999"})
    BOOST_TEST(
        fault_of(R"({"task": {"type": "ps", "index": )" + index + "}}") ==
        "TF_CONFIG task.index is " + index + ", expected a number from 0");
}

BOOST_AUTO_TEST_CASE(the_chief_is_the_task_of_that_job) {
  auto chief = role_of(config_of(with_chief, R"({"type": "chief", "index": 0})"));
  BOOST_TEST(chief.is_chief);
  BOOST_TEST(chief.num_workers == 3);
  BOOST_TEST(chief.num_ps == 2);
  BOOST_TEST(!role_of(config_of(with_chief, R"({"type": "worker", "index": 0})")).is_chief);
  auto master = R"({"master": ["a:1"], "worker": ["b:1"]})";
  BOOST_TEST(role_of(config_of(master, R"({"type": "master"})")).is_chief);
}

BOOST_AUTO_TEST_CASE(worker_0_is_the_chief_where_no_job_is) {
  BOOST_TEST(role_of(config_of(without_chief, R"({"type": "worker", "index": 0})")).is_chief);
  BOOST_TEST(!role_of(config_of(without_chief, R"({"type": "worker", "index": 1})")).is_chief);
  auto ps = role_of(config_of(without_chief, R"({"type": "ps", "index": 0})"));
  BOOST_TEST(!ps.is_chief);
  BOOST_TEST(ps.is_ps);
  BOOST_TEST(ps.num_workers == 2);
}

BOOST_AUTO_TEST_CASE(an_evaluator_is_no_task_of_the_cluster) {
  auto role = role_of(config_of(with_chief, R"({"type": "evaluator", "index": 0})"));
  BOOST_TEST(role.is_evaluator);
  BOOST_TEST(!role.is_chief);
  BOOST_TEST(role.task.cluster.empty());
  BOOST_TEST(
      role_fault_of(config_of(with_chief, R"({"type": "evaluator", "index": 1})")) ==
      "TF_CONFIG task.index is 1, but there is one evaluator");
  BOOST_TEST(role_fault_of(
                 config_of(R"({"evaluator": ["a:1"], "chief": ["b:1"]})", R"({"type": "chief"})"))
                 .starts_with("TF_CONFIG cluster has the job 'evaluator'"));
}

BOOST_AUTO_TEST_CASE(there_is_one_chief) {
  BOOST_TEST(
      role_fault_of(
          config_of(R"({"chief": ["a:1"], "master": ["b:1"]})", R"({"type": "chief"})")) ==
      "TF_CONFIG cluster has the jobs 'chief' and 'master', which are two names for one");
  BOOST_TEST(
      role_fault_of(
          config_of(R"({"chief": ["a:1", "b:1"]})", R"({"type": "chief", "index": 0})")) ==
      "TF_CONFIG cluster.chief has 2 tasks, expected one");
}

BOOST_AUTO_TEST_CASE(a_role_is_a_task_of_the_cluster) {
  BOOST_TEST(
      role_fault_of(config_of(with_chief, R"({"type": "worker", "index": 2})")) ==
      "TF_CONFIG: job 'worker' has no task 2; it has: 0-1");
  BOOST_TEST(
      role_fault_of(config_of(with_chief, "{}")) ==
      "TF_CONFIG: no job is given, and the cluster has several: chief, ps, worker");
}

BOOST_AUTO_TEST_CASE(without_a_cluster_a_program_is_its_own_chief) {
  for (auto json : {"{}", R"({"task": {"type": "worker", "index": 0}})", R"({"cluster": {}})"}) {
    auto role = role_of(json);
    BOOST_TEST(role.is_chief);
    BOOST_TEST(role.num_workers == 1);
    BOOST_TEST(role.task.cluster.empty());
  }
  BOOST_TEST(
      role_fault_of(R"({"task": {"type": "ps"}})") ==
      "TF_CONFIG task.type is 'ps', expected 'worker' where 'cluster' is missing");
  BOOST_TEST(
      role_fault_of(R"({"task": {"type": "worker", "index": 1}})") ==
      "TF_CONFIG task.index is 1, expected 0 where 'cluster' is missing");
}

BOOST_AUTO_TEST_SUITE_END()
