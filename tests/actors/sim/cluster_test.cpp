#include "troupe/actors/sim/cluster.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(simulated_cluster)

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

/// Runs steps over three tasks with a crash among them, and hashes the history.
uint64_t history(uint64_t seed) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{seed});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  cluster.at(cluster.now() + 2ms).crash(worker1);
  uint64_t failed = 0;
  for (int i = 0; i < 20; ++i) {
    BOOST_REQUIRE(session.run({}, {}, {counter.bump}).ok());
    failed += !session.run({}, {counter.doubled}).ok();
  }
  return cluster.trace_hash() * 31 + failed;
}

}  // namespace

BOOST_AUTO_TEST_CASE(only_silent_peers_are_probed_even_where_timers_are_late) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7}, {.timer_delay_max = 20ms});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  BOOST_REQUIRE(session.run({}, {counter.doubled}).ok());
  cluster.run_for(60s);
  BOOST_TEST(cluster.probes_sent() == 0u);
  cluster.at(cluster.now()).freeze(worker1);
  cluster.run_for(1900ms);
  BOOST_TEST(cluster.probes_sent() > 0u);
}

BOOST_AUTO_TEST_CASE(a_step_crosses_simulated_links_in_virtual_time) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  BOOST_REQUIRE(session.run({}, {}, {counter.bump}).ok());
  auto before = cluster.now();
  BOOST_TEST(number(session.run({}, {counter.doubled})) == 2.0f);
  BOOST_TEST((cluster.now() - before >= 40us));  // a round trip
  BOOST_TEST((cluster.now() - before < 100ms));
  BOOST_TEST(session.close().ok());
}

BOOST_AUTO_TEST_CASE(edges_that_travel_the_same_way_at_the_same_time_share_a_message) {
  // The messages of a step whose values cross as so many edges, from a handler of the sending
  // device or, behind long work, from one of its threads.
  auto messages = [](int edges, int64_t elements) {
    sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
    auto session = cluster.session(worker0);
    const auto& b = session.graph();
    auto x = b.placeholder(DType::float32);
    auto sum = b.on(ps).reduce_sum(b.on(ps).exp(x));
    Values received;
    for (int i = 0; i < edges; ++i)
      received.push_back(b.on(worker1).neg(b.on(ps).add(sum, b.constant<float>(i))));
    auto end = b.on(worker1).group(received);
    auto run = [&] {
      auto before = cluster.messages_delivered();
      auto ones = Tensor::of<float>({elements}, std::vector<float>(elements, 0.5f));
      BOOST_TEST_REQUIRE(session.run({{x, ones}}, {}, {end}).ok());
      return cluster.messages_delivered() - before;
    };
    run();
    return run();
  };
  for (int64_t elements : {1, 100'000}) BOOST_TEST(messages(10, elements) == messages(1, elements));
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
  cluster.at(cluster.now() + 30us).crash(worker1);
  BOOST_REQUIRE(cluster.run_until(step.done()));
  BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
  BOOST_TEST(step.status().message().find(worker1) != std::string::npos);
  BOOST_TEST(session.run({}, {counter.count}).ok());  // it does not need that task
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
  // The task is asked what the step waits for, and has 20 ms to answer.
  BOOST_TEST((cluster.now() - before < 521ms));
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

BOOST_AUTO_TEST_CASE(a_script_acts_at_its_times_and_skips_faults_without_effect) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{1});
  cluster.at(1ms).crash(worker1);
  cluster.at(2ms).crash(worker1);  // it is dead
  cluster.at(2ms).thaw(worker0);   // it runs
  cluster.at(3ms).restart(worker1);
  cluster.at(4ms).restart(worker1);  // it lives
  int called = 0;
  cluster.at(5ms).call([&called] { ++called; });
  cluster.run_for(1500us);
  BOOST_TEST(cluster.process_number(worker1) == 0);
  BOOST_TEST(!cluster.is_running(worker1));
  cluster.run_for(5ms);
  BOOST_TEST(cluster.process_number(worker1) == 2);
  BOOST_TEST(called == 1);
  BOOST_TEST_REQUIRE(cluster.faults().size() == 2U);
  BOOST_TEST((cluster.faults()[1].time == 3ms));
}

BOOST_AUTO_TEST_CASE(groups_that_are_cut_exchange_nothing_until_they_are_healed) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{1});
  auto inside = cluster.session(worker0), outside = cluster.session(worker1);
  Counter in(inside.graph()), out(outside.graph());
  BOOST_REQUIRE(inside.run({}, {}, {in.count.initializer}).ok());
  auto there = outside.graph().on(worker0).neg(outside.graph().constant(1.0f));
  BOOST_REQUIRE(outside.run({}, {out.count, there}).ok());
  sim::Tasks island{ps, worker0};
  cluster.cut(island, worker1);
  cluster.cut(worker1, island);
  auto step = outside.start({}, {}, {out.bump});
  BOOST_TEST(inside.run({}, {}, {in.bump}).ok());
  auto other = outside.start({}, {there});
  cluster.run_for(500ms);
  BOOST_TEST(!step.is_done());
  BOOST_TEST(!other.is_done());
  cluster.heal(island, worker1);
  cluster.heal(worker1, island);
  BOOST_TEST(cluster.run_until(step.done()));
  BOOST_TEST(step.status().ok(), step.status().to_string());
  BOOST_TEST(number(inside.run({}, {in.count})) == 2.0f);
}

BOOST_AUTO_TEST_CASE(a_cut_remains_when_the_task_restarts) {
  // A first packet that was lost is sent again after a second.
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1}, {.connect_timeout = 3000ms});
  auto session = cluster.session(worker0);
  auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
  cluster.cut(ps, worker0);
  cluster.crash(ps);
  cluster.restart(ps);
  auto step = session.start({}, {there});
  cluster.run_for(100ms);
  BOOST_TEST(!step.is_done());
  cluster.heal(ps, worker0);
  BOOST_TEST(cluster.run_until(step.done()));
  BOOST_TEST(step.status().ok(), step.status().to_string());
}

BOOST_AUTO_TEST_CASE(a_task_that_was_frozen_while_it_connected_reaches_its_peer) {
  for (auto connecting : {20us, 60us, 110us, 150us, 210us, 260us}) {
    sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1}, {.connect_timeout = 200ms});
    auto session = cluster.session(worker0);
    auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
    auto step = session.start({}, {there});
    cluster.run_for(connecting);
    cluster.freeze(worker0);
    cluster.run_for(500ms);
    cluster.thaw(worker0);
    BOOST_TEST(cluster.run_until(step.done()));
    BOOST_TEST(step.status().ok(), step.status().to_string());
  }
}

BOOST_AUTO_TEST_CASE(a_slow_task_answers_late) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
  BOOST_REQUIRE(session.run({}, {there}).ok());
  cluster.slow(ps, 5000);
  auto before = cluster.now();
  BOOST_TEST(session.run({}, {there}).ok());
  BOOST_TEST((cluster.now() - before >= 5ms));
}

BOOST_AUTO_TEST_CASE(a_fast_clock_ends_timeouts_early) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
  cluster.skew(worker0, 2);
  cluster.freeze(ps);
  auto before = cluster.now();
  auto values = session.run({}, {there}, {}, {.timeout = 100ms});
  BOOST_TEST((values.status().code() == Code::deadline_exceeded), values.status().to_string());
  BOOST_TEST((cluster.now() - before <= 50ms));
}

BOOST_AUTO_TEST_CASE(a_link_that_breaks_fails_the_steps_over_it_and_none_after_them) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
  BOOST_REQUIRE(session.run({}, {there}).ok());
  auto step = session.start({}, {there});
  cluster.at(cluster.now() + 10us).break_link(worker0, ps);
  BOOST_REQUIRE(cluster.run_until(step.done()));
  BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
  BOOST_TEST(step.status().message().find(ps) != std::string::npos);
  BOOST_TEST(session.run({}, {there}).ok());
}

BOOST_AUTO_TEST_CASE(network_options_may_change_while_the_cluster_runs) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
  BOOST_REQUIRE(session.run({}, {there}).ok());
  cluster.at(cluster.now()).network({.latency = Latency::uniform(10ms, 20ms)});
  cluster.run_for(1us);
  auto before = cluster.now();
  BOOST_TEST(session.run({}, {there}).ok());
  BOOST_TEST((cluster.now() - before >= 20ms));  // a round trip
}

BOOST_AUTO_TEST_CASE(a_device_without_memory_fails_its_steps_until_it_has_some_again) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto x = session.graph().placeholder(DType::float32, {1000});
  auto there = session.graph().on(ps).neg(x);
  auto value = *Tensor::allocate(DType::float32, {1000});
  std::fill_n(value.mutable_data<float>(), 1000, 1.0f);
  BOOST_REQUIRE(session.run({{x, value}}, {there}).ok());
  cluster.limit_memory(ps, 64);
  auto full = session.run({{x, value}}, {there});
  BOOST_TEST((full.status().code() == Code::resource_exhausted), full.status().to_string());
  BOOST_TEST(full.status().where().task == ps);
  cluster.limit_memory(ps, 0);
  BOOST_TEST(session.run({{x, value}}, {there}).ok());
}

BOOST_AUTO_TEST_CASE(a_mended_cluster_runs_as_if_nothing_had_been_broken) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{1});
  cluster.crash(ps);
  cluster.freeze(worker0);
  cluster.slow(worker0, 1000);
  cluster.cut(worker1, {ps, worker0});
  cluster.end_all_faults();
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_TEST(session.run({}, {}, {counter.count.initializer}).ok());
  BOOST_TEST(session.run({}, {counter.doubled}).ok());
}

BOOST_AUTO_TEST_CASE(the_first_violation_is_kept_and_ends_the_run) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  cluster.always("early", [&] { return cluster.now() < 2ms; });
  cluster.always("late", [&] { return cluster.now() < 1s; });
  for (auto time : {1ms, 2ms, 3ms}) cluster.at(time).call([] {});
  BOOST_TEST(!cluster.run_until([] { return false; }, 5s));
  BOOST_TEST_REQUIRE(cluster.violation().has_value());
  BOOST_TEST(cluster.violation()->name == "early");
  auto time = cluster.violation()->time;
  BOOST_TEST((time == 2ms && cluster.now() == time));
  cluster.run_for(1s);
  BOOST_TEST((cluster.now() == time));
  cluster.violate("later", "another one");
  BOOST_TEST(cluster.violation()->name == "early");
}

BOOST_AUTO_TEST_CASE(an_exception_of_an_invariant_is_the_text_of_the_violation) {
  sim::Cluster cluster({{"ps", 1}}, sim::Seed{1});
  cluster.always("no luck", []() -> bool { throw std::runtime_error("seven lean years"); });
  cluster.run_for(1ms);
  BOOST_TEST_REQUIRE(cluster.violation().has_value());
  BOOST_TEST(cluster.violation()->text == "seven lean years");
}

BOOST_AUTO_TEST_CASE(an_open_session_is_a_leak_and_a_closed_one_is_not) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  Counter counter(session.graph());
  BOOST_REQUIRE(session.run({}, {}, {counter.count.initializer}).ok());
  BOOST_REQUIRE(session.run({}, {counter.doubled}).ok());
  auto leaks = cluster.leaks();
  BOOST_TEST(std::ranges::count(leaks, worker0 + " holds sessions: 1") == 1);
  BOOST_REQUIRE(session.close().ok());
  BOOST_TEST(cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_reset_of_its_container_frees_the_memory_of_a_variable) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  auto session = cluster.session(worker0);
  auto b = session.graph().container("c").on(ps);
  auto variable = b.variable("v", b.zeros(DType::float32, {100}));
  BOOST_REQUIRE(session.run({}, {}, {variable.initializer}).ok());
  BOOST_REQUIRE(session.close().ok());
  BOOST_TEST(cluster.memory_leaks({""}).size() == 1U);
  BOOST_TEST(cluster.memory_leaks({"c"}).empty());
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
