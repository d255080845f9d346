#include "troupe/graph/cluster/cluster_spec.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(cluster_spec)

namespace {

ClusterSpec parsed(std::string_view text) {
  auto cluster = ClusterSpec::parse(text);
  BOOST_TEST_REQUIRE(cluster.ok(), cluster.status().to_string());
  return *cluster;
}

ClusterSpec made(const std::map<std::string, JobTasks>& jobs) {
  auto cluster = ClusterSpec::make(jobs);
  BOOST_TEST_REQUIRE(cluster.ok(), cluster.status().to_string());
  return *cluster;
}

std::string fault_of(std::string_view text) {
  auto cluster = ClusterSpec::parse(text);
  BOOST_TEST_REQUIRE(!cluster.ok(), "no fault found in " << text);
  BOOST_TEST((cluster.status().code() == Code::invalid_argument));
  return cluster.status().message();
}

/// A file that goes with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) { std::ofstream(path_) << text; }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() /
                      ("troupe_cluster_spec_test_" + std::to_string(getpid()));
};

const auto two_jobs = R"({"ps":["a:1"],"worker":["b:2","c:2222"]})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_makes_it_of_lists_and_of_maps) {
  BOOST_TEST((made({{"ps", {"a:1"}}, {"worker", {"b:2", "c"}}}) == parsed(two_jobs)));
  BOOST_TEST(
      (made({{"ps", {{0, "a:1"}}}, {"worker", {{1, "c"}, {0, "b:2"}}}}) == parsed(two_jobs)));
  std::vector<std::string> list = {"a:1", "b:1"};
  std::map<int, std::string> gaps = {{3, "c:1"}, {7, "d:1"}};
  auto mixed = made({{"ps", list}, {"worker", gaps}});
  BOOST_TEST(mixed.to_json() == R"({"ps":["a:1","b:1"],"worker":{"3":"c:1","7":"d:1"}})");
}

BOOST_AUTO_TEST_CASE(a_fault_in_what_a_program_makes_is_told_as_one_in_a_text) {
  auto fault = [](const std::map<std::string, JobTasks>& jobs) {
    return ClusterSpec::make(jobs).status().message();
  };
  BOOST_TEST(
      fault({{"ps", {"a:1", "b:x"}}}) ==
      "cluster.ps[1]: address 'b:x': the port 'x' is not a number from 0 to 65535");
  BOOST_TEST(
      fault({{"p s", {"a:1"}}}) ==
      "cluster: job 'p s' must be a letter followed by letters, digits or '_'");
  BOOST_TEST(
      fault({{"ps", {"a:1"}}, {"worker", {{4, "a:1"}}}}) ==
      "cluster.worker[4]: address 'a:1' is already that of cluster.ps[0]");
  BOOST_TEST(fault({{"ps", {{-1, "a:1"}}}}) == "cluster.ps[-1]: an index is a number from 0");
}

BOOST_AUTO_TEST_CASE(it_tells_what_is_asked_of_a_cluster) {
  auto cluster = made({{"ps", {}}, {"worker", {{3, "b:2"}, {1, "c:2"}}}});
  BOOST_TEST(*cluster.num_tasks("ps") == 0);
  BOOST_TEST(*cluster.num_tasks("worker") == 2);
  BOOST_TEST((*cluster.task_indices("worker") == std::vector<int>{1, 3}));
  BOOST_TEST(cluster.job_tasks("worker")->at(3).to_string() == "b:2");
  BOOST_TEST(cluster.job_names() == "ps, worker");
  BOOST_TEST(
      cluster.num_tasks("chief").status().message() ==
      "unknown job 'chief'; the cluster has: ps, worker");
  BOOST_TEST(
      cluster.task_address("ps", 0).status().message() == "job 'ps' has no task 0; it has: none");
}

BOOST_AUTO_TEST_CASE(a_job_may_be_empty_but_not_all_of_them) {
  BOOST_TEST(
      parsed(R"({"ps": [], "worker": ["a:1"]})").to_json() == R"({"ps":[],"worker":["a:1"]})");
  BOOST_TEST(parsed(R"({"ps": null, "worker": ["a:1"]})").to_json() == R"({"worker":["a:1"]})");
  BOOST_TEST(made({{"ps", {}}}).empty());
  BOOST_TEST(fault_of(R"({"ps": []})") == R"(cluster: '{"ps": []}' has no tasks)");
}

BOOST_AUTO_TEST_CASE(one_address_can_be_replaced) {
  auto cluster = parsed("ps=a:0;worker=b:1").with_address("ps", 0, {.host = "a", .port = 77});
  BOOST_TEST((cluster == parsed("ps=a:77;worker=b:1")));
}

BOOST_AUTO_TEST_CASE(tasks_are_added_and_taken_away) {
  auto cluster = parsed("ps=a:1;worker=b:1");
  auto grown = cluster.with_address("worker", 1, {.host = "c", .port = 1});
  BOOST_TEST((grown == parsed("ps=a:1;worker=b:1,c:1")));
  BOOST_TEST((cluster.with(parsed("ps=x:1;worker=y:1,c:1")) == grown));
  BOOST_TEST((grown.without("worker", 1) == cluster));
  BOOST_TEST((grown.without("worker", 7) == grown));
  BOOST_TEST((grown.without("nobody", 0) == grown));
  BOOST_TEST((cluster.without("ps", 0) == parsed("worker=b:1")));
}

BOOST_AUTO_TEST_CASE(json_and_the_short_form_say_the_same) {
  auto cluster = parsed(two_jobs);
  BOOST_TEST(cluster.to_json() == two_jobs);
  BOOST_TEST((parsed("ps=a:1;worker=b:2,c") == cluster));
  BOOST_TEST((parsed(" ps = a:1 ;\n worker = b:2 , c ;\n") == cluster));
  BOOST_TEST((parsed(R"({"ps": ["grpc://a:1"], "worker": {"0": "b:2", "1": "c"}})") == cluster));
}

BOOST_AUTO_TEST_CASE(a_file_holds_either_form) {
  for (std::string text : {"ps=a:1;worker=b:2,c\n", two_jobs}) {
    TemporaryFile file(text);
    BOOST_TEST(parsed("@" + file.path()).to_json() == two_jobs);
  }
}

BOOST_AUTO_TEST_CASE(a_fault_of_a_file_names_the_file) {
  BOOST_TEST(
      fault_of("@/no/such/file") == "cluster file '/no/such/file': No such file or directory");
  BOOST_TEST(fault_of("@/") == "cluster file '/': Is a directory");
  TemporaryFile file("worker=a:x");
  BOOST_TEST(
      fault_of("@" + file.path()) == "cluster file '" + file.path() +
                                         "': cluster.worker[0]: address 'a:x': the port 'x' is not "
                                         "a number from 0 to 65535");
}

BOOST_AUTO_TEST_CASE(indices_may_have_gaps) {
  auto cluster = parsed(R"({"worker": {"5": "f:1", "0": "a:1", "1": "b:1", "2": "c:1"}})");
  BOOST_TEST(index_ranges(cluster.jobs().at("worker")) == "0-2, 5");
  BOOST_TEST(cluster.task_address("worker", 5)->host == "f");
  BOOST_TEST((parsed(cluster.to_json()) == cluster));
}

BOOST_AUTO_TEST_CASE(an_unknown_task_is_told_what_there_is) {
  auto cluster = parsed(two_jobs);
  BOOST_TEST(cluster.task_address("worker", 1)->to_string() == "c:2222");
  BOOST_TEST(
      cluster.task_address("chief", 0).status().message() ==
      "unknown job 'chief'; the cluster has: ps, worker");
  BOOST_TEST(
      cluster.task_address("worker", 2).status().message() ==
      "job 'worker' has no task 2; it has: 0-1");
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_key_and_quotes_the_value) {
  BOOST_TEST(
      fault_of(R"({"ps": 5})") == R"(cluster.ps is 5, expected a list ["host:port", ...] or )"
                                  R"(an object {"index": "host:port", ...})");
  BOOST_TEST(fault_of(R"({"ps": ["a", 7]})") == R"(cluster.ps[1] is 7, expected "host:port")");
  BOOST_TEST(
      fault_of(R"({"ps": {"x": "a"}})") == "cluster.ps: the task index 'x' is not a number from 0");
  BOOST_TEST(
      fault_of(R"({"p s": ["a"]})") ==
      "cluster: job 'p s' must be a letter followed by letters, digits or '_'");
  BOOST_TEST(fault_of("ps") == "cluster: 'ps' has no '=', expected job=host:port,host:port");
  BOOST_TEST(fault_of("ps=a,,b") == "cluster.ps[1]: address '': the host is missing");
  BOOST_TEST(fault_of("{}") == "cluster: '{}' has no tasks");
  BOOST_TEST(fault_of(R"({"ps": ["a"})").starts_with("cluster is not JSON: parse error at line 1"));
  for (auto text : {"", ";", "=a", "ps=", "ps=@x", R"(["a:1"])"}) fault_of(text);
}

BOOST_AUTO_TEST_CASE(what_is_there_twice_is_refused) {
  BOOST_TEST(
      fault_of("ps=a:1;worker=b:1,a:1") ==
      "cluster.worker[1]: address 'a:1' is already that of cluster.ps[0]");
  BOOST_TEST(fault_of("ps=a:1;ps=b:1") == "cluster: the job 'ps' is given twice");
  BOOST_TEST(fault_of(R"({"ps": ["a"], "ps": ["b"]})") == "cluster: the key 'ps' is given twice");
  BOOST_TEST(fault_of(R"({"ps": {"1": "a", "01": "b"}})") == "cluster.ps[1] is given twice");
}

BOOST_AUTO_TEST_CASE(tasks_whose_port_the_system_chooses_may_share_a_host) {
  BOOST_TEST(*parsed("worker=127.0.0.1:0,127.0.0.1:0").num_tasks("worker") == 2);
}

BOOST_AUTO_TEST_SUITE_END()
