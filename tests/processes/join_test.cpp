#include <boost/test/unit_test.hpp>
#include <csignal>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

std::string address_of(const std::string& target) { return Address::parse(target)->to_string(); }

std::unique_ptr<Process> start_joining(
    const std::string& target, std::vector<std::string> more = {}) {
  std::vector<std::string> flags{"--join", address_of(target), "--job", "worker", "--threads", "1"};
  flags.insert(flags.end(), more.begin(), more.end());
  return start_node(std::move(flags));
}

size_t device_count(Client& client) {
  auto list = client.list_devices(5s);
  BOOST_TEST_REQUIRE(list.ok(), list.status().to_string());
  for (const auto& missing : list->missing) BOOST_TEST_MESSAGE(missing.to_string());
  return list->devices.size() + 100 * list->missing.size();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(join)

BOOST_AUTO_TEST_CASE(a_node_joins_a_running_cluster_computes_there_and_leaves_when_stopped) {
  NodeCluster cluster({{"ps", 1}, {"worker", 1}}, {"--threads", "1"});
  auto client = connect(cluster.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto w = b.on("/job:ps/task:0").variable("w", b.constant(1.0F));
  auto initialize = b.initializer();
  BOOST_TEST_REQUIRE(session->extend(b).ok());
  BOOST_TEST_REQUIRE(session->run({}, {}, {initialize}).ok());

  auto joining = start_joining(cluster.target("ps", 0));
  auto target = await_target(*joining);
  BOOST_TEST(device_count(*client) == 3U);
  auto there = b.on("/job:worker/task:1").add(w, b.constant(2.0F));
  BOOST_TEST_REQUIRE(session->extend(b).ok());
  auto sum = session->run({}, {there});
  BOOST_TEST_REQUIRE(sum.ok(), sum.status().to_string());
  BOOST_TEST(sum->at(0).value<float>() == 3.0F);

  // It is a master, too.
  auto other = connect(target);
  auto its_session = open(*other);
  BOOST_TEST_REQUIRE(its_session->extend(b).ok());
  BOOST_TEST(its_session->run({}, {there})->at(0).value<float>() == 3.0F);

  joining->send(SIGTERM);
  BOOST_TEST(joining->wait().value_or(-1) == 0, joining->errors());
  BOOST_TEST(device_count(*client) == 2U);
}

BOOST_AUTO_TEST_CASE(a_killed_task_joins_again_at_its_index) {
  NodeCluster cluster({{"ps", 1}, {"worker", 1}}, {"--threads", "1"});
  auto client = connect(cluster.target("ps", 0));
  auto joining = start_joining(cluster.target("worker", 0));
  auto target = await_target(*joining);
  joining->send(SIGKILL);
  (void)joining->wait();
  auto back = start_joining(cluster.target("worker", 0), {"--address", address_of(target)});
  BOOST_TEST(await_target(*back) == target);
  BOOST_TEST(device_count(*client) == 3U);
}

BOOST_AUTO_TEST_CASE(a_killed_task_that_joined_can_be_forgotten) {
  NodeCluster cluster({{"ps", 1}, {"worker", 1}}, {"--threads", "1"});
  auto client = connect(cluster.target("worker", 0));
  auto joining = start_joining(cluster.target("worker", 0));
  (void)await_target(*joining);
  BOOST_TEST((client->forget_task("/job:worker/task:1").code() == Code::failed_precondition));
  joining->send(SIGKILL);
  (void)joining->wait();
  BOOST_TEST(client->list_devices()->missing.size() == 1u);
  auto status = client->forget_task("/job:worker/task:1");
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(client->list_devices()->missing.empty());
}

BOOST_AUTO_TEST_CASE(a_node_that_cannot_join_says_why) {
  NodeCluster cluster({{"ps", 1}}, {"--threads", "1", "--cluster-name", "mine"});
  auto foreign = start_joining(cluster.target("ps", 0), {"--cluster-name", "other"});
  BOOST_TEST(foreign->wait().value_or(-1) == 1);
  check_says(foreign->errors(), "the cluster is named 'mine'");

  auto unused = "127.0.0.1:" + std::to_string(free_port());
  auto alone = start_joining("troupe://" + unused, {"--connect-timeout", "0.2"});
  BOOST_TEST(alone->wait().value_or(-1) == 1);
  check_says(alone->errors(), "no node answers at " + unused);

  auto contradictory = start_joining(cluster.target("ps", 0), {"--task", "3"});
  BOOST_TEST(contradictory->wait().value_or(-1) == 2);
  check_says(contradictory->errors(), "leave out --cluster, --task and --slurm");
}

BOOST_AUTO_TEST_SUITE_END()
