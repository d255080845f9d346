#include "troupe/graph/cluster/server_def.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(server_def)

namespace {

ServerDef def_of(std::string_view cluster, std::string job = "", std::optional<int> task = {}) {
  ServerDef def;
  if (!cluster.empty()) def.cluster = *ClusterSpec::parse(cluster);
  def.job = std::move(job);
  def.task = task;
  return def;
}

/// "job/task", or the message of the error.
std::string resolved(const ServerDef& def) {
  auto config = def.resolve();
  return config ? config->job + "/" + std::to_string(config->task) : config.status().message();
}

const auto two_workers = "ps=a:1;worker=b:1,c:1";

}  // namespace

BOOST_AUTO_TEST_CASE(what_has_one_answer_may_be_left_out) {
  BOOST_TEST(resolved(def_of("local=a:1")) == "local/0");
  BOOST_TEST(resolved(def_of(R"({"local": {"4": "a:1"}})")) == "local/4");
  BOOST_TEST(resolved(def_of(two_workers, "ps")) == "ps/0");
}

BOOST_AUTO_TEST_CASE(the_port_of_another_task_must_be_known) {
  auto chosen = "ps=localhost:0;worker=localhost:0";
  BOOST_TEST(
      resolved(def_of(chosen, "worker")) ==
      "the address of /job:ps/task:0 is localhost:0, whose port the system chooses, so that "
      "/job:worker/task:0 could not find it: give each task of a cluster a port");
  BOOST_TEST(resolved(def_of("ps=localhost:0;worker=a:1", "ps")) == "ps/0");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_told_is_asked_for) {
  BOOST_TEST(resolved({}) == "no cluster is given");
  BOOST_TEST(
      resolved(def_of(two_workers)) == "no job is given, and the cluster has several: ps, worker");
  BOOST_TEST(
      resolved(def_of(two_workers, "worker")) ==
      "no task index is given, and job 'worker' has: 0-1");
}

BOOST_AUTO_TEST_CASE(an_unknown_task_is_told_the_known_ones) {
  BOOST_TEST(
      resolved(def_of(two_workers, "chief", 0)) ==
      "unknown job 'chief'; the cluster has: ps, worker");
  BOOST_TEST(
      resolved(def_of(two_workers, "worker", 2)) == "job 'worker' has no task 2; it has: 0-1");
}

BOOST_AUTO_TEST_CASE(what_it_says_wins_over_the_fallback) {
  auto fallback = def_of(two_workers, "worker", 1);
  BOOST_TEST(resolved(ServerDef().or_else(fallback)) == "worker/1");
  BOOST_TEST(resolved(def_of("", "", 0).or_else(fallback)) == "worker/0");
  BOOST_TEST(resolved(def_of("worker=x:1,y:1,z:1", "", 2).or_else(fallback)) == "worker/2");
  auto moved = def_of("worker=x:1,y:1").or_else(fallback).resolve();
  BOOST_TEST(moved->cluster.task_address("worker", 1)->host == "y");
}

BOOST_AUTO_TEST_CASE(an_index_is_not_taken_from_another_job) {
  auto fallback = def_of(two_workers, "worker", 1);
  BOOST_TEST(resolved(def_of("", "ps").or_else(fallback)) == "ps/0");
  BOOST_TEST(
      resolved(def_of("ps=a:1,b:1", "ps").or_else(fallback)) ==
      "no task index is given, and job 'ps' has: 0-1");
}

BOOST_AUTO_TEST_CASE(grpc_is_another_word_for_the_protocol) {
  for (std::string known : {"", "troupe", "grpc"}) {
    auto def = def_of("local=a:1");
    def.protocol = known;
    BOOST_TEST(resolved(def) == "local/0");
  }
  auto def = def_of("local=a:1");
  def.protocol = "grpc+verbs";
  BOOST_TEST(
      resolved(def) == "the protocol is 'grpc+verbs', expected 'troupe', or 'grpc' for the same");
}

BOOST_AUTO_TEST_SUITE_END()
