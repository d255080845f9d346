#include <boost/test/unit_test.hpp>
#include <memory>
#include <set>
#include <string>

#include "troupe/actors/sim/check.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const std::string keeper = "/job:a/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";
const std::string worker2 = "/job:worker/task:2";

std::unique_ptr<sim::Cluster> make_cluster(
    sim::Seed seed, const std::map<std::string, int>& jobs = {{"a", 1}, {"worker", 2}}) {
  static const auto catalogs = sim::Catalogs::make();
  return std::make_unique<sim::Cluster>(
      jobs, seed,
      sim::Options{.connect_timeout = 300ms, .heartbeat_limit = 200ms, .catalogs = catalogs});
}

std::string join(sim::Cluster& cluster, const std::string& job, const std::string& through) {
  auto joined = cluster.join(job, through);
  BOOST_REQUIRE_MESSAGE(joined.ok(), joined.status().to_string());
  return *joined;
}

/// A step of a new session there, on the device of a task.
Status run_on(sim::Cluster& cluster, const std::string& master, const std::string& task) {
  auto session = cluster.session(master);
  auto two = session.graph().on(task).constant(2.0f);
  return session.run({}, {two}, {}, {.timeout = 1s}).status();
}

std::set<std::string> tasks_known_to(sim::Cluster& cluster, const std::string& task) {
  std::set<std::string> tasks;
  auto list = cluster.list_devices(task, 1s);
  BOOST_REQUIRE(list.ok());
  for (const auto& device : list->devices)
    tasks.insert(device.name.substr(0, device.name.find("/device")));
  for (const auto& missing : list->missing) tasks.insert(missing.where().task);
  return tasks;
}

struct Counter {
  Counter(sim::Cluster& cluster, const std::string& master) : session(cluster.session(master)) {
    auto variable = session.graph().variable("count", session.graph().constant(0.0f));
    initializer = variable.initializer;
    bump = variable.assign_add(session.graph().constant(1.0f));
    read = variable.value();
  }
  Status start() { return session.run({}, {}, {initializer}, {.timeout = 1s}).status(); }
  Result<float> count() {
    auto bumped = session.run({}, {}, {bump}, {.timeout = 1s});
    if (!bumped) return bumped.status();
    return session.run({}, {read}, {}, {.timeout = 1s})->at(0).value<float>();
  }

  sim::Session session;
  Value initializer, bump, read;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(membership)

BOOST_AUTO_TEST_CASE(a_session_sees_a_task_that_joined_at_its_next_extension) {
  auto cluster = make_cluster({1});
  auto session = cluster->session(worker1);
  auto there = session.graph().on(worker2).constant(2.0f);
  auto early = session.run({}, {there});
  BOOST_TEST(early.status().to_string().find("has no task 2") != std::string::npos);

  BOOST_TEST(join(*cluster, "worker", worker0) == worker2);
  auto sum = session.graph().add(there, session.graph().constant(1.0f));
  auto late = session.run({}, {sum});
  BOOST_REQUIRE_MESSAGE(late.ok(), late.status().to_string());
  BOOST_TEST(late->at(0).value<float>() == 3.0f);
}

BOOST_AUTO_TEST_CASE(a_task_that_joined_is_a_master_like_all_others) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0);
  BOOST_REQUIRE(one.start().ok());
  Counter other(*cluster, join(*cluster, "worker", worker1));
  BOOST_TEST(*one.count() == 1.0f);
  BOOST_TEST(*other.count() == 2.0f);
  BOOST_TEST(run_on(*cluster, worker2, keeper).ok());
}

BOOST_AUTO_TEST_CASE(each_that_joins_is_the_next_of_its_job_and_a_new_job_begins_at_zero) {
  auto cluster = make_cluster({1});
  BOOST_TEST(join(*cluster, "worker", worker0) == worker2);
  BOOST_TEST(join(*cluster, "worker", worker2) == "/job:worker/task:3");
  BOOST_TEST(join(*cluster, "Aux", keeper) == "/job:Aux/task:0");
  // A job that sorts before the keeper's changes nothing.
  BOOST_TEST(join(*cluster, "worker", "/job:Aux/task:0") == "/job:worker/task:4");
  std::set<std::string> all{
      keeper,           worker0, worker1, worker2, "/job:worker/task:3", "/job:worker/task:4",
      "/job:Aux/task:0"};
  for (const auto& task : all) BOOST_TEST(tasks_known_to(*cluster, task) == all);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_the_name_of_a_job_does_not_join) {
  auto cluster = make_cluster({1});
  auto joined = cluster->join("no job", worker0);
  BOOST_TEST((joined.status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(nobody_joins_while_the_keeper_is_dead) {
  auto cluster = make_cluster({1});
  cluster->crash(keeper);
  auto joined = cluster->join("worker", worker0);
  BOOST_TEST((joined.status().code() == Code::unavailable));
  BOOST_TEST(joined.status().where().task == keeper);
}

BOOST_AUTO_TEST_CASE(a_keeper_of_a_new_life_learns_who_has_joined_and_what_they_hold) {
  auto cluster = make_cluster({1});
  Counter made(*cluster, join(*cluster, "worker", worker0));
  BOOST_REQUIRE(made.start().ok());
  BOOST_TEST(*made.count() == 1.0f);
  cluster->crash(keeper);
  cluster->run_for(10ms);
  cluster->restart(keeper);
  Counter counted(*cluster, worker0);
  BOOST_TEST(*counted.count() == 2.0f);
  BOOST_TEST(join(*cluster, "worker", worker1) == "/job:worker/task:3");
}

BOOST_AUTO_TEST_CASE(a_task_that_joined_comes_back_to_a_keeper_that_nobody_else_could_tell) {
  auto cluster = make_cluster({1}, {{"a", 1}});
  auto joined = join(*cluster, "worker", keeper);
  cluster->run_for(10ms);
  cluster->crash(keeper);
  cluster->run_for(1s);
  cluster->restart(keeper);
  cluster->run_for(1s);
  BOOST_TEST(run_on(*cluster, keeper, joined).ok());
  BOOST_TEST(join(*cluster, "worker", keeper) == worker1);
}

BOOST_AUTO_TEST_CASE(a_keeper_that_hears_late_of_a_task_asks_what_it_holds) {
  auto cluster = make_cluster({1}, {{"a", 1}});
  Counter made(*cluster, join(*cluster, "worker", keeper));
  BOOST_REQUIRE(made.start().ok());
  cluster->crash(keeper);
  cluster->run_for(1s);
  cluster->restart(keeper);
  auto early = cluster->session(keeper);
  auto other = early.graph().variable("other", early.graph().constant(0.0f));
  BOOST_REQUIRE(early.run({}, {}, {other.initializer}).ok());
  cluster->run_for(1s);
  Counter counted(*cluster, keeper);
  BOOST_TEST(*counted.count() == 1.0f);
}

BOOST_AUTO_TEST_CASE(who_was_cut_off_hears_of_a_join_from_whom_it_meets_next) {
  auto cluster = make_cluster({1});
  (void)join(*cluster, "worker", worker0);  // a keeper that has asked nobody yet waits for all
  BOOST_REQUIRE(run_on(*cluster, worker1, worker0).ok());
  cluster->cut(keeper, worker1);
  cluster->cut(worker1, keeper);
  cluster->run_for(1s);
  BOOST_TEST(join(*cluster, "worker", worker0) == "/job:worker/task:3");
  cluster->run_for(1s);
  BOOST_TEST(run_on(*cluster, worker1, "/job:worker/task:3").ok());
}

BOOST_AUTO_TEST_CASE(a_task_that_leaves_is_known_no_more_and_its_index_is_free) {
  auto cluster = make_cluster({1});
  auto joined = join(*cluster, "worker", worker0);
  auto session = cluster->session(worker1);
  auto there = session.graph().on(joined).constant(2.0f);
  BOOST_REQUIRE(session.run({}, {there}, {}, {.timeout = 1s}).ok());
  auto left = cluster->leave(joined);
  BOOST_REQUIRE_MESSAGE(left.ok(), left.to_string());
  cluster->run_for(10ms);
  auto gone = session.run({}, {there}, {}, {.timeout = 1s}).status();
  BOOST_TEST(gone.message().find("has no task 2") != std::string::npos, gone.to_string());
  std::set<std::string> rest{keeper, worker0, worker1};
  for (const auto& task : rest) BOOST_TEST(tasks_known_to(*cluster, task) == rest);

  BOOST_TEST(join(*cluster, "worker", keeper) == joined);
  BOOST_TEST(run_on(*cluster, worker1, joined).ok());
}

BOOST_AUTO_TEST_CASE(what_a_task_held_that_left_can_be_made_anew_elsewhere) {
  auto cluster = make_cluster({1});
  auto joined = join(*cluster, "worker", worker0);
  {
    Counter made(*cluster, joined);
    BOOST_REQUIRE(made.start().ok());
  }
  BOOST_REQUIRE(cluster->leave(joined).ok());
  Counter anew(*cluster, worker1);
  BOOST_TEST((anew.count().status().code() == Code::failed_precondition));
  BOOST_REQUIRE(anew.start().ok());
  BOOST_TEST(*anew.count() == 1.0f);
}

BOOST_AUTO_TEST_CASE(nobody_leaves_who_belongs_to_the_cluster_by_its_configuration) {
  auto cluster = make_cluster({1});
  BOOST_TEST(cluster->leave(worker1).ok());  // nothing to do
  BOOST_TEST(tasks_known_to(*cluster, worker0) == (std::set{keeper, worker0, worker1}));
}

/// Tasks join while others crash and come back, but for one of those that know.
void join_amid_crashes(sim::Cluster& cluster, sim::Seed seed) {
  sim::Random random(seed, "joins");
  std::set<std::string> all{keeper, worker0, worker1};
  for (int round = 0; round < 12; ++round) {
    const auto& mortal = random.chance(0.5) ? keeper : worker1;
    if (cluster.life(mortal) == 0) cluster.restart(mortal);
    else if (random.chance(0.4)) cluster.crash(mortal);
    const auto& through = random.chance(0.5) ? worker0 : worker1;
    if (auto name = cluster.join("worker", through)) BOOST_TEST(all.insert(*name).second);
    cluster.run_for(random.chance(0.5) ? 1ms : 300ms);
  }
  cluster.mend();
  for (const auto& task : all) {
    (void)tasks_known_to(cluster, task);  // who was away meets the others
    BOOST_TEST(tasks_known_to(cluster, task) == all);
  }
}

BOOST_AUTO_TEST_CASE(no_place_is_given_twice_and_all_agree_in_the_end) {
  for (uint64_t seed = 1; seed <= 100; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) join_amid_crashes(*make_cluster({seed}), {seed});
}

BOOST_AUTO_TEST_SUITE_END()
