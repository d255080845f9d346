#include "troupe/actors/sim/cluster.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

/// A counter on the parameter server and its double on worker 1.
struct Counter {
  explicit Counter(const Builder& b)
      : count(b.on(ps).variable("count", b.on(ps).constant(0.0f))),
        bump(count.assign_add(b.on(ps).constant(1.0f))),
        doubled(b.on(worker1).mul(count, b.constant(2.0f))) {}
  Variable count;
  Value bump;
  Value doubled;
};

float number(const Result<Tensors>& values) {
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  return (*values)[0].value<float>();
}

/// Some steps over three tasks, with a crash in their midst; what became of it all, as one number.
uint64_t history(uint64_t seed) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{seed});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  cluster.at(cluster.now() + 2ms, [&] { cluster.crash(worker1); });
  uint64_t failed = 0;
  for (int i = 0; i < 20; ++i) {
    BOOST_REQUIRE(session.run({}, {}, {counter.bump}).ok());
    failed += !session.run({}, {counter.doubled}).ok();
  }
  return cluster.trace_hash() * 31 + failed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulated_cluster)

BOOST_AUTO_TEST_CASE(a_step_crosses_simulated_links_in_virtual_time) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  BOOST_REQUIRE(session.run({}, {}, {counter.bump}).ok());
  auto before = cluster.now();
  BOOST_TEST(number(session.run({}, {counter.doubled})) == 2.0f);
  BOOST_TEST((cluster.now() - before >= 40us));  // there and back
  BOOST_TEST((cluster.now() - before < 100ms));
  BOOST_TEST(session.close().ok());
}

BOOST_AUTO_TEST_CASE(one_seed_gives_one_history_and_another_seed_another) {
  auto first = history(7);
  BOOST_TEST(first == history(7));
  BOOST_TEST(first != history(8));
}

BOOST_AUTO_TEST_CASE(a_step_fails_with_the_name_of_the_task_that_died) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  BOOST_REQUIRE(session.run({}, {counter.doubled}).ok());
  auto step = session.start({}, {counter.doubled});
  cluster.at(cluster.now() + 30us, [&] { cluster.crash(worker1); });
  BOOST_REQUIRE(cluster.run_until(step.done()));
  BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
  BOOST_TEST(step.status().message().find(worker1) != std::string::npos);
  BOOST_TEST(session.run({}, {counter.count}).ok());  // what does not need it goes on
}

BOOST_AUTO_TEST_CASE(a_task_that_restarts_is_found_again_without_its_memory) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{3});
  auto session = cluster.session(worker0);
  auto b = session.graph();
  auto v = b.on(ps).variable("v", b.on(ps).constant(5.0f));
  auto read = v.value();
  BOOST_REQUIRE(session.run({}, {}, {v.initializer}).ok());
  cluster.crash(ps);
  auto lost = session.run({}, {read});
  BOOST_TEST((lost.status().code() == Code::unavailable), lost.status().to_string());
  cluster.restart(ps);
  auto empty = session.run({}, {read});
  BOOST_TEST((empty.status().code() == Code::failed_precondition), empty.status().to_string());
  BOOST_REQUIRE(session.run({}, {}, {v.initializer}).ok());
  BOOST_TEST(number(session.run({}, {read})) == 5.0f);
}

BOOST_AUTO_TEST_CASE(a_step_on_a_frozen_task_ends_at_its_timeout) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{3});
  auto session = cluster.session(worker0);
  auto b = session.graph();
  auto there = b.on(ps).neg(b.constant(1.0f));
  BOOST_REQUIRE(session.run({}, {there}).ok());
  cluster.freeze(ps);
  auto before = cluster.now();
  auto values = session.run({}, {there}, {}, {.timeout = 500ms});
  BOOST_TEST((values.status().code() == Code::deadline_exceeded), values.status().to_string());
  BOOST_TEST((cluster.now() - before < 501ms));
  cluster.thaw(ps);
  BOOST_TEST(number(session.run({}, {there})) == -1.0f);
}

BOOST_AUTO_TEST_CASE(what_is_said_over_a_cut_way_arrives_when_it_heals) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{5});
  auto session = cluster.session(worker0);
  auto b = session.graph();
  auto there = b.on(ps).neg(b.constant(1.0f));
  BOOST_REQUIRE(session.run({}, {there}).ok());
  cluster.cut(ps, worker0);
  auto step = session.start({}, {there});
  cluster.run_for(200ms);
  BOOST_TEST(!step.is_done());
  cluster.heal(ps, worker0);
  BOOST_TEST(cluster.run_until(step.done()));
  BOOST_TEST(step.status().ok());
}

BOOST_DATA_TEST_CASE(
    updates_from_two_masters_are_never_lost,
    boost::unit_test::data::xrange(uint64_t{1}, uint64_t{21}), seed) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{seed});
  auto first = cluster.session(worker0), second = cluster.session(worker1);
  Counter one(first.graph()), two(second.graph());
  BOOST_REQUIRE(first.run({}, {}, {one.count.initializer}).ok());
  std::vector<sim::Call> steps;
  for (int i = 0; i < 25; ++i) {
    steps.push_back(first.start({}, {}, {one.bump}));
    steps.push_back(second.start({}, {}, {two.bump}));
  }
  for (const auto& step : steps) BOOST_REQUIRE(cluster.run_until(step.done()));
  BOOST_TEST(number(first.run({}, {one.count})) == 50.0f);
}

BOOST_AUTO_TEST_CASE(a_hundred_tasks_share_a_step) {
  sim::Cluster cluster({{"worker", 100}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto b = session.graph();
  Values parts;
  for (int task = 0; task < 100; ++task) {
    auto there = b.on("/job:worker/task:" + std::to_string(task));
    parts.push_back(there.mul(there.constant(1.0f), there.constant(static_cast<float>(task))));
  }
  auto sum = b.add_n(parts);
  for (int i = 0; i < 3; ++i) BOOST_TEST(number(session.run({}, {sum})) == 4950.0f);
}

BOOST_AUTO_TEST_SUITE_END()
