#include "troupe/graph/cluster/slurm.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(slurm)

namespace {

std::string expanded(std::string_view text) {
  auto hosts = expand_host_list(text, "SLURM_STEP_NODELIST");
  if (!hosts) return hosts.status().message();
  std::string all;
  for (const auto& host : *hosts) all += (all.empty() ? "" : " ") + host;
  return all;
}

/// As srun sets it for one ps and three workers, two tasks on each of two nodes.
Environment four_tasks(int rank) {
  return {
      {"SLURM_STEP_NODELIST", "tux[1-2]"},
      {"SLURM_STEP_NUM_TASKS", "4"},
      {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
      {"SLURM_PROCID", std::to_string(rank)}};
}

const JobCounts jobs = {{"ps", 1}, {"worker", 3}};

std::string fault_of(const Environment& environment) {
  auto def = slurm_server_def(environment, jobs, 8888);
  BOOST_TEST_REQUIRE(!def.ok(), "no fault found");
  BOOST_TEST((def.status().code() == Code::invalid_argument));
  return def.status().message();
}

Environment with(Environment environment, const std::string& name, const std::string& value) {
  environment[name] = value;
  return environment;
}

Environment without(Environment environment, const std::string& name) {
  environment.erase(name);
  return environment;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_list_of_hosts_is_expanded) {
  BOOST_TEST(expanded("login5") == "login5");
  BOOST_TEST(expanded("tux[1-3,7],login5") == "tux1 tux2 tux3 tux7 login5");
  BOOST_TEST(expanded("tux[08-11]") == "tux08 tux09 tux10 tux11");
  BOOST_TEST(expanded("rack[1-2]n[1,2]-ib") == "rack1n1-ib rack1n2-ib rack2n1-ib rack2n2-ib");
}

BOOST_AUTO_TEST_CASE(a_malformed_list_is_quoted) {
  BOOST_TEST(
      expanded("tux[1-x],login5") ==
      "SLURM_STEP_NODELIST 'tux[1-x],login5': 'tux[1-x]' is not written as 'tux[1-3,07]'");
  for (auto text :
       {"", "tux[", "tux]", "tux[]", "tux[3-1]", "a,,b", "tux[1-2000000000]",
        "a[1-1000]b[1-1000]c[1-1000]"})
    BOOST_TEST(expanded(text).starts_with("SLURM_STEP_NODELIST '"));
}

BOOST_AUTO_TEST_CASE(jobs_take_the_tasks_in_their_order) {
  auto def = slurm_server_def(four_tasks(2), jobs, 8888);
  BOOST_TEST_REQUIRE(def.ok(), def.status().to_string());
  BOOST_TEST(
      def->cluster.to_json() ==
      R"({"ps":["tux1:8888"],"worker":["tux1:8889","tux2:8888","tux2:8889"]})");
  BOOST_TEST(def->job == "worker");
  BOOST_TEST(*def->task == 1);
  BOOST_TEST(slurm_server_def(four_tasks(0), jobs, 8888)->job == "ps");
  // The order is the caller's, not that of the names.
  auto swapped = slurm_server_def(four_tasks(0), {{"worker", 3}, {"ps", 1}}, 8888);
  BOOST_TEST(swapped->job == "worker");
}

BOOST_AUTO_TEST_CASE(nodes_may_have_different_numbers_of_tasks) {
  auto environment = four_tasks(3);
  environment["SLURM_STEP_NODELIST"] = "tux[1-3]";
  environment["SLURM_STEP_TASKS_PER_NODE"] = "1(x2),2";
  BOOST_TEST(
      slurm_server_def(environment, jobs, 9000)->cluster.to_json() ==
      R"({"ps":["tux1:9000"],"worker":["tux2:9000","tux3:9000","tux3:9001"]})");
}

BOOST_AUTO_TEST_CASE(the_variables_of_the_allocation_do_where_the_step_has_none) {
  Environment environment = {
      {"SLURM_JOB_NODELIST", "tux[1-2]"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "3"}};
  auto expected = slurm_server_def(four_tasks(3), jobs, 8888)->cluster;
  BOOST_TEST((slurm_server_def(environment, jobs, 8888)->cluster == expected));
  environment["SLURM_NTASKS_PER_NODE"] = "2";
  BOOST_TEST((slurm_server_def(environment, jobs, 8888)->cluster == expected));
  environment["SLURM_TASKS_PER_NODE"] = "3,1";
  BOOST_TEST(
      slurm_server_def(environment, jobs, 8888)->cluster.task_address("worker", 1)->to_string() ==
      "tux1:8890");
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_variable_and_its_value) {
  auto good = four_tasks(0);
  BOOST_TEST(
      fault_of(without(good, "SLURM_PROCID")) ==
      "SLURM_PROCID is not set: was this started by srun?");
  BOOST_TEST(
      fault_of(without(good, "SLURM_STEP_NODELIST")) ==
      "SLURM_STEP_NODELIST or SLURM_JOB_NODELIST is not set: was this started by srun?");
  BOOST_TEST(
      fault_of(with(good, "SLURM_PROCID", "one")) == "SLURM_PROCID 'one' is not a number from 0");
  BOOST_TEST(
      fault_of(with(good, "SLURM_PROCID", "4")) ==
      "SLURM_PROCID '4' is not below the number of tasks, 4");
  BOOST_TEST(
      fault_of(with(good, "SLURM_STEP_NUM_TASKS", "5")) ==
      "the jobs have 4 tasks, but Slurm started 5 (SLURM_STEP_NUM_TASKS or SLURM_NTASKS)");
  BOOST_TEST(
      fault_of(with(good, "SLURM_STEP_TASKS_PER_NODE", "2(y2)")) ==
      "SLURM_STEP_TASKS_PER_NODE '2(y2)' is not written as '2(x3),1'");
  BOOST_TEST(
      fault_of(with(good, "SLURM_STEP_TASKS_PER_NODE", "2")) ==
      "SLURM_STEP_TASKS_PER_NODE '2' is for 1 nodes, but there are 2");
  BOOST_TEST(
      fault_of(with(good, "SLURM_STEP_TASKS_PER_NODE", "1(x2)")) ==
      "SLURM_STEP_NODELIST 'tux[1-2]' and the tasks per node make 2 tasks, but Slurm says 4");
  for (auto text : {"", "x", "2(x", "2(x)", "(x2)", "1(x2000000000)", "1,,1"})
    fault_of(with(good, "SLURM_STEP_TASKS_PER_NODE", std::string("0(x0)") + text));
}

BOOST_AUTO_TEST_CASE(a_port_beyond_the_last_is_refused) {
  auto def = slurm_server_def(four_tasks(0), jobs, 65535);
  BOOST_TEST(def.status().message().find("65536") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(jobs_are_given_with_their_numbers) {
  BOOST_TEST((*parse_job_counts(" ps = 1, worker=3") == jobs));
  BOOST_TEST(
      parse_job_counts("ps=1,worker").status().message() ==
      "'worker' does not give a job and its number of tasks, as in ps=1,worker=3");
  BOOST_TEST(parse_job_counts("ps=1,ps=2").status().message() == "the job 'ps' is given twice");
  for (auto text : {"", "ps=", "ps=0", "ps=-1", "ps=x"}) BOOST_TEST(!parse_job_counts(text).ok());
}

BOOST_AUTO_TEST_SUITE_END()
