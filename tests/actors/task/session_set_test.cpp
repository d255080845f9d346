#include "troupe/actors/task/session_set.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/actors/sim/session.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

constexpr const char* first_worker = "/job:worker/task:0";
constexpr const char* other_worker = "/job:worker/task:1";

}  // namespace

BOOST_AUTO_TEST_SUITE(session_set)

BOOST_AUTO_TEST_CASE(the_sessions_of_all_tasks_are_listed_through_any) {
  sim::Cluster cluster({{"worker", 2}}, sim::Seed{3});
  auto older = cluster.session(other_worker);
  cluster.run_for(1s);
  auto session = cluster.session(other_worker);
  auto b = session.graph();
  auto queue = b.op("FIFOQueueV2", {}, {{"component_types", DTypes{DType::float32}}});
  auto taken = b.op("QueueDequeueV2", {queue}, {{"component_types", DTypes{DType::float32}}});
  auto x = b.constant(1.0F);
  BOOST_TEST(session.run({}, {x}).ok());
  auto waiting = session.start({}, {taken});
  cluster.run_for(1s);
  auto list = cluster.list_sessions(first_worker, 1s);
  BOOST_TEST_REQUIRE(list.ok(), list.status().to_string());
  BOOST_TEST(list->missing.empty());
  BOOST_TEST_REQUIRE(list->sessions.size() == 2U);
  const auto& first = list->sessions[0];
  BOOST_TEST(first.task == other_worker);
  BOOST_TEST((first.age >= 2s && first.age < 3s));
  BOOST_TEST(first.nodes == 0U);
  BOOST_TEST(first.steps == 0U);
  const auto& second = list->sessions[1];
  BOOST_TEST(second.id != first.id);
  BOOST_TEST((second.age >= 1s && second.age < 2s));
  BOOST_TEST(second.nodes == 3U);
  BOOST_TEST(second.running_steps == 1U);
  BOOST_TEST(second.steps == 2U);
  BOOST_TEST(second.runner.empty());
  session.cancel(waiting);
  cluster.run_for(1s);
  BOOST_TEST(cluster.list_sessions(first_worker, 1s)->sessions[1].running_steps == 0U);
  BOOST_TEST(session.close().ok());
  BOOST_TEST(cluster.list_sessions(first_worker, 1s)->sessions.size() == 1U);
  BOOST_TEST(older.close().ok());
}

BOOST_AUTO_TEST_CASE(a_task_that_does_not_list_its_sessions_is_named) {
  sim::Cluster cluster({{"worker", 2}}, sim::Seed{3});
  auto session = cluster.session(first_worker);
  cluster.crash(other_worker);
  auto list = cluster.list_sessions(first_worker, 1s);
  BOOST_TEST_REQUIRE(list.ok(), list.status().to_string());
  BOOST_TEST(list->sessions.size() == 1U);
  BOOST_TEST_REQUIRE(list->missing.size() == 1U);
  BOOST_TEST(list->missing[0].where().task == other_worker);
}

BOOST_AUTO_TEST_SUITE_END()
