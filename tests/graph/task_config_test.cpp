#include "troupe/graph/task_config.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

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

TfConfig flags(std::string_view cluster, std::string job, int task) {
  TfConfig given{.job = std::move(job), .task = task};
  if (!cluster.empty()) given.cluster = *ClusterSpec::parse(cluster);
  return given;
}

/// "job/task", or the message of the error.
std::string resolved(const TfConfig& flags, const TfConfig& environment) {
  auto config = resolve_task(flags, environment);
  return config ? config->job + "/" + std::to_string(config->task) : config.status().message();
}

const auto tensorflow_example = R"({
  "cluster": {"chief": ["host0:2222"], "ps": ["host1:2222"],
              "worker": ["host2:2222", "host3:2222"]},
  "task": {"type": "worker", "index": 1},
  "environment": "cloud", "rpc_layer": "grpc"})";

}  // namespace

BOOST_AUTO_TEST_SUITE(task_config)

BOOST_AUTO_TEST_CASE(the_example_of_tensorflow_is_understood) {
  auto config = parsed(tensorflow_example);
  BOOST_TEST(config.job == "worker");
  BOOST_TEST(config.task == 1);
  BOOST_TEST(config.environment == "cloud");
  BOOST_TEST(config.cluster.job_names() == "chief, ps, worker");
  BOOST_TEST(resolved({}, config) == "worker/1");
}

BOOST_AUTO_TEST_CASE(the_sparse_cluster_of_kubeflow_is_understood) {
  auto config = parsed(R"({
    "sparseCluster": {"worker": {"3": "mnist-worker-3.default.svc:2222"},
                      "ps": ["mnist-ps-0.default.svc:2222"], "chief": null},
    "task": {"type": "worker", "index": 3}})");
  BOOST_TEST(config.cluster.job_names() == "ps, worker");
  BOOST_TEST(resolved({}, config) == "worker/3");
}

BOOST_AUTO_TEST_CASE(an_index_may_be_a_decimal_string) {
  BOOST_TEST(parsed(R"({"task": {"type": "ps", "index": "12"}})").task == 12);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_not_given) {
  auto config = parsed(R"({"cluster": {}})");
  BOOST_TEST(config.cluster.empty());
  BOOST_TEST(config.job.empty());
  BOOST_TEST(config.task == -1);
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
      fault_of(R"({"task": {"type": "a", "type": "b"}})") ==
      "TF_CONFIG: the key 'type' is given twice");
  for (std::string index : {"-1", "1.5", "null", "true", R"("x")", R"("")", "99999999999"})
    BOOST_TEST(
        fault_of(R"({"task": {"type": "ps", "index": )" + index + "}}") ==
        "TF_CONFIG task.index is " + index + ", expected a number from 0");
}

BOOST_AUTO_TEST_CASE(flags_win) {
  auto environment = parsed(tensorflow_example);
  BOOST_TEST(resolved(flags("", "", 0), environment) == "worker/0");
  BOOST_TEST(resolved(flags("worker=x:1,y:1,z:1", "", 2), environment) == "worker/2");
  auto config = resolve_task(flags("worker=x:1,y:1", "", -1), environment);
  BOOST_TEST(config->cluster.address("worker", 1)->host == "y");
}

BOOST_AUTO_TEST_CASE(an_index_is_not_taken_from_another_job) {
  auto environment = parsed(tensorflow_example);
  BOOST_TEST(resolved(flags("", "ps", -1), environment) == "ps/0");
  BOOST_TEST(
      resolved(flags("ps=a:1,b:1", "ps", -1), environment) ==
      "no task index: give --task, or TF_CONFIG with the key 'task.index'; job 'ps' has: 0-1");
}

BOOST_AUTO_TEST_CASE(what_has_one_answer_may_be_left_out) {
  BOOST_TEST(resolved(flags("local=a:1", "", -1), {}) == "local/0");
  BOOST_TEST(resolved(flags(R"({"local": {"4": "a:1"}})", "", -1), {}) == "local/4");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_told_is_asked_for) {
  BOOST_TEST(resolved({}, {}) == "no cluster: give --cluster, or TF_CONFIG with the key 'cluster'");
  BOOST_TEST(
      resolved(flags("ps=a:1;worker=b:1", "", -1), {}) ==
      "no job: give --job, or TF_CONFIG with the key 'task.type'; the cluster has: ps, worker");
  BOOST_TEST(
      resolved(flags("ps=a:1", "chief", 0), {}) == "unknown job 'chief'; the cluster has: ps");
  BOOST_TEST(resolved(flags("ps=a:1", "ps", 1), {}) == "job 'ps' has no task 1; it has: 0");
}

BOOST_AUTO_TEST_SUITE_END()
