#include <boost/test/unit_test.hpp>
#include <memory>
#include <set>
#include <string>

#include "troupe/actors/sim/check.hpp"

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(membership)

namespace {

const std::string directory_task = "/job:a/task:0";
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

/// Runs a step of a new session of `master` on the device of a task.
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
  BOOST_TEST(run_on(*cluster, worker2, directory_task).ok());
}

BOOST_AUTO_TEST_CASE(each_task_that_joins_is_the_next_of_its_job_and_a_new_job_begins_at_zero) {
  auto cluster = make_cluster({1});
  BOOST_TEST(join(*cluster, "worker", worker0) == worker2);
  BOOST_TEST(join(*cluster, "worker", worker2) == "/job:worker/task:3");
  BOOST_TEST(join(*cluster, "Aux", directory_task) == "/job:Aux/task:0");
  // The directory stays where it is although this job sorts before its own.
  BOOST_TEST(join(*cluster, "worker", "/job:Aux/task:0") == "/job:worker/task:4");
  std::set<std::string> all{
      directory_task,       worker0,          worker1, worker2, "/job:worker/task:3",
      "/job:worker/task:4", "/job:Aux/task:0"};
  for (const auto& task : all) BOOST_TEST(tasks_known_to(*cluster, task) == all);
}

BOOST_AUTO_TEST_CASE(an_invalid_job_name_is_refused) {
  auto cluster = make_cluster({1});
  auto joined = cluster->join("no job", worker0);
  BOOST_TEST((joined.status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(no_task_joins_while_the_directory_task_is_dead) {
  auto cluster = make_cluster({1});
  cluster->crash(directory_task);
  auto joined = cluster->join("worker", worker0);
  BOOST_TEST((joined.status().code() == Code::unavailable));
  BOOST_TEST(joined.status().where().task == directory_task);
}

BOOST_AUTO_TEST_CASE(a_restarted_directory_learns_which_tasks_have_joined_and_what_they_hold) {
  auto cluster = make_cluster({1});
  Counter made(*cluster, join(*cluster, "worker", worker0));
  BOOST_REQUIRE(made.start().ok());
  BOOST_TEST(*made.count() == 1.0f);
  cluster->crash(directory_task);
  cluster->run_for(10ms);
  cluster->restart(directory_task);
  Counter counted(*cluster, worker0);
  BOOST_TEST(*counted.count() == 2.0f);
  BOOST_TEST(join(*cluster, "worker", worker1) == "/job:worker/task:3");
}

BOOST_AUTO_TEST_CASE(a_task_that_joined_registers_itself_with_a_directory_that_restarted_alone) {
  auto cluster = make_cluster({1}, {{"a", 1}});
  auto joined = join(*cluster, "worker", directory_task);
  cluster->run_for(10ms);
  cluster->crash(directory_task);
  cluster->run_for(1s);
  cluster->restart(directory_task);
  cluster->run_for(1s);
  BOOST_TEST(run_on(*cluster, directory_task, joined).ok());
  BOOST_TEST(join(*cluster, "worker", directory_task) == worker1);
}

BOOST_AUTO_TEST_CASE(a_directory_that_learns_late_of_a_task_asks_what_it_holds) {
  auto cluster = make_cluster({1}, {{"a", 1}});
  Counter made(*cluster, join(*cluster, "worker", directory_task));
  BOOST_REQUIRE(made.start().ok());
  cluster->crash(directory_task);
  cluster->run_for(1s);
  cluster->restart(directory_task);
  auto early = cluster->session(directory_task);
  auto other = early.graph().variable("other", early.graph().constant(0.0f));
  BOOST_REQUIRE(early.run({}, {}, {other.initializer}).ok());
  cluster->run_for(1s);
  Counter counted(*cluster, directory_task);
  BOOST_TEST(*counted.count() == 1.0f);
}

BOOST_AUTO_TEST_CASE(a_task_that_was_cut_off_learns_of_a_join_from_the_next_peer) {
  auto cluster = make_cluster({1});
  // Before its first answer the directory waits for all tasks.
  (void)join(*cluster, "worker", worker0);
  BOOST_REQUIRE(run_on(*cluster, worker1, worker0).ok());
  cluster->cut(directory_task, worker1);
  cluster->cut(worker1, directory_task);
  cluster->run_for(1s);
  BOOST_TEST(join(*cluster, "worker", worker0) == "/job:worker/task:3");
  cluster->run_for(1s);
  BOOST_TEST(run_on(*cluster, worker1, "/job:worker/task:3").ok());
}

BOOST_AUTO_TEST_CASE(a_task_that_leaves_is_forgotten_and_its_index_is_free) {
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
  std::set<std::string> rest{directory_task, worker0, worker1};
  for (const auto& task : rest) BOOST_TEST(tasks_known_to(*cluster, task) == rest);

  BOOST_TEST(join(*cluster, "worker", directory_task) == joined);
  BOOST_TEST(run_on(*cluster, worker1, joined).ok());
}

BOOST_AUTO_TEST_CASE(resources_of_a_task_that_left_can_be_made_on_another) {
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

BOOST_AUTO_TEST_CASE(a_configured_task_does_not_leave) {
  auto cluster = make_cluster({1});
  BOOST_TEST(cluster->leave(worker1).ok());  // nothing to do
  BOOST_TEST(tasks_known_to(*cluster, worker0) == (std::set{directory_task, worker0, worker1}));
}

/// Tasks join while the directory task or worker 1 crashes and restarts; worker 0 runs throughout.
void join_amid_crashes(sim::Cluster& cluster, sim::Seed seed) {
  sim::Random random(seed, "joins");
  std::set<std::string> all{directory_task, worker0, worker1};
  for (int round = 0; round < 12; ++round) {
    const auto& crashing = random.chance(0.5) ? directory_task : worker1;
    if (cluster.process_number(crashing) == 0) cluster.restart(crashing);
    else if (random.chance(0.4)) cluster.crash(crashing);
    const auto& through = random.chance(0.5) ? worker0 : worker1;
    if (auto name = cluster.join("worker", through)) BOOST_TEST(all.insert(*name).second);
    cluster.run_for(random.chance(0.5) ? 1ms : 300ms);
  }
  cluster.end_all_faults();
  for (const auto& task : all) {
    (void)tasks_known_to(cluster, task);  // connects the tasks that were away
    BOOST_TEST(tasks_known_to(cluster, task) == all);
  }
}

BOOST_AUTO_TEST_CASE(no_index_is_given_twice_and_all_tasks_agree_in_the_end) {
  for (uint64_t seed = 1; seed <= 100; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) join_amid_crashes(*make_cluster({seed}), {seed});
}

BOOST_AUTO_TEST_CASE(a_joined_task_that_died_is_forgotten_and_no_other) {
  auto cluster = make_cluster({1});
  BOOST_TEST(join(*cluster, "worker", worker0) == worker2);
  BOOST_TEST(run_on(*cluster, worker1, worker2).ok());
  auto code_of = [&](const std::string& task) { return cluster->forget(task, worker0).code(); };
  BOOST_TEST((code_of(worker2) == Code::failed_precondition));  // it is alive
  BOOST_TEST((code_of(worker1) == Code::failed_precondition));  // it is configured
  BOOST_TEST((code_of("/job:worker/task:7") == Code::not_found));
  BOOST_TEST((code_of("worker") == Code::invalid_argument));

  cluster->cut(worker0, worker2);
  cluster->run_for(1s);
  BOOST_TEST((code_of(worker2) == Code::failed_precondition));  // the directory task reaches it
  cluster->heal(worker0, worker2);

  Counter counter(*cluster, worker2);
  BOOST_TEST(counter.start().ok());
  cluster->crash(worker2);
  cluster->run_for(1s);
  BOOST_TEST(tasks_known_to(*cluster, worker1).contains(worker2));
  auto status = cluster->forget(worker2, worker0);
  BOOST_TEST(status.ok(), status.to_string());
  for (const auto& task : {directory_task, worker0, worker1})
    BOOST_TEST(!tasks_known_to(*cluster, task).contains(worker2));
  BOOST_TEST((code_of(worker2) == Code::not_found));
  BOOST_TEST(Counter(*cluster, worker1).start().ok());  // whose place is free again
}

BOOST_AUTO_TEST_SUITE_END()
