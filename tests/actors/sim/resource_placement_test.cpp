#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "troupe/actors/sim/check.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using sim::Fault;

BOOST_AUTO_TEST_SUITE(resource_placement)

namespace {

const std::string directory_task = "/job:a/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";
const std::string worker2 = "/job:worker/task:2";

/// A client that increments a shared variable without a device constraint.
struct Counter {
  Counter(sim::Cluster& cluster, const std::string& master)
      : cluster(cluster), master(master), session(cluster.session(master)) {
    build();
  }

  void build() {
    auto variable = session.graph().variable("count", session.graph().constant(0.0f));
    initializer = variable.initializer;
    bump = variable.assign_add(session.graph().constant(1.0f));
    read = variable.value();
  }
  void reopen() {
    session = cluster.session(master);
    build();
  }
  Status start(const Value& target) {
    return session.run({}, {}, {target}, {.timeout = 100ms}).status();
  }
  Result<float> count() {
    auto values = session.run({}, {read}, {bump}, {.timeout = 5s});
    if (!values) return values.status();
    return session.run({}, {read}, {}, {.timeout = 5s})->at(0).value<float>();
  }

  sim::Cluster& cluster;
  std::string master;
  sim::Session session;
  Value initializer, bump, read;
};

std::unique_ptr<sim::Cluster> make_cluster(sim::Seed seed) {
  static const auto catalogs = sim::Catalogs::make();
  return std::make_unique<sim::Cluster>(
      std::map<std::string, int>{{"a", 1}, {"worker", 3}}, seed,
      sim::Options{.connect_timeout = 300ms, .heartbeat_limit = 200ms, .catalogs = catalogs});
}

/// Three masters race to create the variable, reset it and create it again, under faults. The
/// cluster checks that it is never placed on two tasks (SC-2).
void race(sim::Cluster& cluster, sim::Seed seed) {
  sim::Random random(seed, "race");
  std::vector<Counter> counters;
  for (const auto& master : {worker0, worker1, worker2}) counters.emplace_back(cluster, master);
  std::vector<sim::Call> calls;
  for (int round = 0; round < 30 && !cluster.violation(); ++round) {
    auto& counter = counters[random.below(counters.size())];
    if (random.chance(0.2)) {
      (void)cluster.reset(counter.master, {""}, 300ms);
      counter.reopen();
    } else if (random.chance(0.3)) {
      counter.reopen();
    }
    auto target = random.chance(0.5) ? counter.initializer : counter.bump;
    calls.push_back(counter.session.start({}, {}, {target}, {.timeout = 100ms}));
    cluster.run_for(random.chance(0.5) ? 50us : 20ms);
  }
  cluster.run_until([&] { return cluster.now() > 2s; });
  cluster.end_all_faults();
  cluster.run_for(1s);

  // All masters use the same variable now.
  for (auto& counter : counters) counter.reopen();
  for (int attempt = 0; attempt < 20 && !counters[0].start(counters[0].initializer).ok(); ++attempt)
    cluster.run_for(500ms);
  for (int i = 0; i < 3 && !cluster.violation(); ++i) {
    auto value = counters[static_cast<size_t>(i)].count();
    if (!value) cluster.violate("liveness", value.status().to_string());
    else if (*value != static_cast<float>(i + 1))
      cluster.violate("one variable", "it is " + std::to_string(*value));
  }
}

int seeds() {
  const auto* text = std::getenv("TROUPE_PLACEMENT_SEEDS");
  return text ? std::stoi(text) : 200;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_counter_made_through_one_node_is_used_through_another) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0), other(*cluster, worker1);
  BOOST_REQUIRE(one.start(one.initializer).ok());
  BOOST_TEST(*one.count() == 1.0f);
  BOOST_TEST(*other.count() == 2.0f);
  auto list = cluster->list_resources(worker2, 1s);
  BOOST_REQUIRE(list->resources.size() == 1u);
  BOOST_TEST(list->resources[0].name.name == "count");
  BOOST_TEST(list->resources[0].kind == "variable");
  BOOST_TEST(list->resources[0].bytes == 4u);
  BOOST_TEST(list->resources[0].device == worker0 + "/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(masters_that_race_to_make_a_variable_make_one) {
  sim::Scenario scenario{
      .make = make_cluster,
      .faults =
          [](const ClusterSpec& spec, sim::Seed seed) {
            return sim::draw_faults(
                spec, seed,
                {.end = 1500ms,
                 .most = 3,
                 .kinds = {
                     Fault::Kind::crash, Fault::Kind::freeze, Fault::Kind::cut, Fault::Kind::slow,
                     Fault::Kind::break_link}});
          },
      .drive = race};
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds()); ++seed) {
    if (auto counterexample = sim::check(scenario, {seed})) BOOST_FAIL(counterexample->to_string());
  }
}

BOOST_AUTO_TEST_CASE(clients_do_not_see_that_their_masters_race) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    auto cluster = make_cluster({seed});
    std::vector<Counter> counters;
    for (const auto& master : {worker0, worker1, worker2, worker0})
      counters.emplace_back(*cluster, master);
    std::vector<sim::Call> calls;
    for (auto& counter : counters) {
      BOOST_REQUIRE(counter.session.extend().ok());
      calls.push_back(counter.session.start({}, {}, {counter.initializer}, {.timeout = 5s}));
    }
    for (const auto& call : calls) {
      cluster->run_until(call.done());
      BOOST_REQUIRE_MESSAGE(call.status().ok(), call.status().to_string());
    }
    BOOST_TEST(cluster->list_resources(worker0, 1s)->resources.size() == 1u);
    for (size_t i = 0; i < counters.size(); ++i)
      BOOST_TEST(*counters[i].count() == static_cast<float>(i + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_resource_stays_placed_although_the_directory_task_dies) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0);
  BOOST_REQUIRE(one.start(one.initializer).ok());
  BOOST_TEST(*one.count() == 1.0f);
  cluster->crash(directory_task);
  BOOST_TEST(*one.count() == 2.0f);
  cluster->run_for(1s);
  Counter without(*cluster, worker1);
  auto refused = without.count().status();
  BOOST_TEST((refused.code() == Code::unavailable), refused.to_string());
  BOOST_TEST(refused.where().task == directory_task);
  cluster->restart(directory_task);
  Counter other(*cluster, worker1);
  BOOST_TEST(*other.count() == 3.0f);
}

BOOST_AUTO_TEST_CASE(a_restarted_directory_places_nothing_that_a_frozen_task_may_hold) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0);
  BOOST_REQUIRE(one.start(one.initializer).ok());
  cluster->crash(directory_task);
  cluster->restart(directory_task);
  cluster->freeze(worker0);
  Counter other(*cluster, worker1);
  auto refused = other.count().status();
  BOOST_TEST((refused.code() == Code::unavailable), refused.to_string());
  BOOST_TEST(refused.message().find(worker0) != std::string::npos);
  cluster->thaw(worker0);
  cluster->run_for(1s);
  Counter again(*cluster, worker1);
  BOOST_TEST(*again.count() == 1.0f);
}

BOOST_AUTO_TEST_CASE(variables_can_be_made_although_a_task_is_dead) {
  auto cluster = make_cluster({1});
  cluster->crash(worker2);
  Counter one(*cluster, worker0);
  BOOST_TEST(one.start(one.initializer).ok());
}

BOOST_AUTO_TEST_CASE(a_variable_of_a_dead_task_is_made_anew_where_it_is_used) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0);
  BOOST_REQUIRE(one.start(one.initializer).ok());
  cluster->crash(worker0);
  Counter other(*cluster, worker1);
  BOOST_TEST((other.count().status().code() == Code::failed_precondition));  // not initialized
  BOOST_REQUIRE(other.start(other.initializer).ok());
  BOOST_TEST(*other.count() == 1.0f);
  // The restarted task uses the new one.
  cluster->restart(worker0);
  one.reopen();
  BOOST_TEST(*one.count() == 2.0f);
}

BOOST_AUTO_TEST_CASE(a_variable_of_a_silent_task_is_not_made_elsewhere) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0);
  BOOST_REQUIRE(one.start(one.initializer).ok());
  cluster->freeze(worker0);
  cluster->run_for(1s);
  Counter other(*cluster, worker1);
  auto refused = other.session.run({}, {}, {other.initializer}).status();
  BOOST_TEST((refused.code() == Code::unavailable), refused.to_string());
  cluster->thaw(worker0);
  cluster->run_for(1s);
  other.reopen();
  BOOST_TEST(*other.count() == 1.0f);
}

BOOST_AUTO_TEST_CASE(a_pinned_variable_of_a_dead_task_is_not_made_elsewhere) {
  auto cluster = make_cluster({1});
  auto session = cluster->session(worker0);
  auto b = session.graph().on(worker0);
  auto initializer = b.variable("count", b.constant(5.0f)).initializer;
  BOOST_REQUIRE(session.run({}, {}, {initializer}).ok());
  cluster->crash(worker0);
  Counter other(*cluster, worker1);
  auto refused = other.session.run({}, {}, {other.initializer}).status();
  BOOST_TEST((refused.code() == Code::unavailable), refused.to_string());
  BOOST_TEST(refused.where().task == worker0);
}

BOOST_AUTO_TEST_CASE(a_pinned_variable_needs_no_directory) {
  auto cluster = make_cluster({1});
  cluster->crash(directory_task);
  auto session = cluster->session(worker0);
  auto b = session.graph().on(worker1);
  auto variable = b.variable("v", b.constant(3.0f));
  BOOST_TEST(session.run({}, {}, {variable.initializer}).ok());
  BOOST_TEST(session.run({}, {variable.value()})->at(0).value<float>() == 3.0f);
}

BOOST_AUTO_TEST_CASE(a_resource_pinned_to_another_task_than_its_own_is_refused_with_both_names) {
  auto cluster = make_cluster({1});
  Counter one(*cluster, worker0);
  BOOST_REQUIRE(one.start(one.initializer).ok());
  auto session = cluster->session(worker1);
  auto b = session.graph().on(worker2);
  auto variable = b.variable("count", b.constant(0.0f));
  auto pinned = [&] { return session.run({}, {}, {variable.initializer}).status(); };
  auto status = pinned();
  BOOST_TEST((status.code() == Code::failed_precondition), status.to_string());
  for (const auto& part : {worker0, worker2, std::string("reset the container")})
    BOOST_TEST(status.message().find(part) != std::string::npos, status.to_string());
  BOOST_TEST(cluster->reset(worker2, {""}, 1s).ok());
  BOOST_TEST(pinned().ok());
}

BOOST_AUTO_TEST_SUITE_END()
