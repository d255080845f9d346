#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/optimizers/global_step.hpp"
#include "troupe/graph/build/optimizers/synchronous.hpp"

using namespace troupe;

BOOST_AUTO_TEST_SUITE(simulated_sync_replicas)

namespace {

const std::string ps = "/job:ps/task:0";

/// One replica of a synchronous training whose gradient is always 1.
class Replica {
 public:
  Replica(sim::Cluster& cluster, int task, int required, int replicas)
      : worker_("/job:worker/task:" + std::to_string(task)), session_(cluster.session(worker_)) {
    auto b = session_.graph().on(ps);
    weight_ = b.variable("w", b.constant(0.0f));
    training_ = minimize_synchronously(
        session_.graph().on(worker_), weight_.value(), GradientDescent{.learning_rate = 1.0f},
        {.global_step = create_global_step(b),
         .replicas_to_aggregate = required,
         .total_replicas = replicas,
         .replica = task});
    weight_value_ = weight_.value();
    initializer_ = b.initializer();
  }

  Status initialize() {
    auto status = session_.run({}, {}, {initializer_}).status();
    return status.ok() ? session_.run({}, {}, {training_.begin_chief}).status() : status;
  }
  Status begin() { return session_.run({}, {}, {training_.begin}).status(); }

  sim::Call start_update() { return session_.start({}, {}, {training_.update}); }

  /// Goes on with the training: starts the next step where one has ended.
  void train() {
    if (running_ && !running_->is_done()) return;
    if (running_ && !running_->status().ok()) {
      failure_ = running_->status();
      return;
    }
    running_ = session_.start({}, {}, {training_.train});
  }

  const std::string& worker() const { return worker_; }
  const Status& failure() const { return failure_; }
  float weight() { return session_.run({}, {weight_value_}).operator*()[0].value<float>(); }
  Status close() { return session_.close(); }

 private:
  std::string worker_;
  sim::Session session_;
  Variable weight_;
  SynchronousTraining training_;
  Value weight_value_, initializer_;
  std::optional<sim::Call> running_;
  Status failure_;
};

/// Some replicas, of which the first also runs the updates.
struct Training {
  sim::Cluster& cluster;
  std::deque<Replica> replicas;
  std::optional<sim::Call> update;

  Training(sim::Cluster& in, int required, int count) : cluster(in) {
    for (int task = 0; task < count; ++task) replicas.emplace_back(cluster, task, required, count);
    for (auto& replica : replicas) {
      auto status = &replica == &replicas[0] ? replica.initialize() : replica.begin();
      BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    }
  }

  /// Runs until there was one more update; false if that does not happen.
  bool run_update() {
    update = replicas[0].start_update();
    return cluster.run_until([this] {
      for (auto& replica : replicas) replica.train();
      return update->is_done();
    });
  }
};

}  // namespace

BOOST_DATA_TEST_CASE(
    a_training_with_a_backup_goes_on_when_a_worker_dies, boost::unit_test::data::xrange(5), seed) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 4}}, sim::Seed{static_cast<uint64_t>(seed)});
  Training training(cluster, /*required=*/3, /*count=*/4);
  for (int i = 1; i <= 20; ++i) {
    if (i == 8) cluster.crash(training.replicas[2].worker());
    BOOST_REQUIRE(training.run_update());
    BOOST_TEST_REQUIRE(training.update->status().ok(), training.update->status().to_string());
    BOOST_TEST(training.replicas[0].weight() == static_cast<float>(-i));
  }
  BOOST_TEST((training.replicas[2].failure().code() == Code::unavailable));
  for (int task : {0, 1, 3}) BOOST_TEST(training.replicas[task].failure().ok());
  for (int task : {1, 3, 0}) BOOST_TEST(training.replicas[task].close().ok());
  BOOST_TEST(cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_session_that_is_closed_ends_its_update_that_waits) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{1});
  Replica replica(cluster, 0, /*required=*/2, /*replicas=*/1);
  Replica other(cluster, 1, /*required=*/2, /*replicas=*/1);
  BOOST_REQUIRE(replica.initialize().ok());
  BOOST_REQUIRE(other.begin().ok());
  auto update = replica.start_update(), next = other.start_update();
  cluster.run_for(std::chrono::seconds(1));
  BOOST_TEST(!update.is_done());
  BOOST_TEST(replica.close().ok());
  BOOST_TEST(update.is_done());
  BOOST_TEST((update.status().code() == Code::cancelled));
  BOOST_TEST(!next.is_done());
  // The other session's update takes what comes now.
  BOOST_TEST(cluster.run_until([&] {
    other.train();
    return next.is_done();
  }));
  BOOST_TEST(next.status().ok());
  BOOST_TEST(other.close().ok());
  BOOST_TEST(cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_reset_of_the_container_ends_an_update_that_waits) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{1});
  Replica replica(cluster, 0, /*required=*/2, /*replicas=*/1);
  BOOST_REQUIRE(replica.initialize().ok());
  auto update = replica.start_update();
  cluster.run_for(std::chrono::seconds(1));
  BOOST_TEST(!update.is_done());
  BOOST_TEST(cluster.reset(ps, {""}, std::chrono::seconds(1)).ok());
  BOOST_TEST(cluster.run_until(update.done()));
  BOOST_TEST(!update.status().ok());
}

BOOST_AUTO_TEST_CASE(rows_are_averaged_over_the_replicas_that_have_them_by_a_runner) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{1});
  auto first = cluster.session("/job:worker/task:0"),
       second = cluster.session("/job:worker/task:1");
  Variable table;
  auto make = [&](sim::Session& session, int replica, const std::vector<int32_t>& ids) {
    auto b = session.graph().on(ps);
    table = b.variable("table", b.zeros(DType::float32, {3, 1}));
    auto rows = b.op("ResourceGather", {table.handle, b.ints(ids)}, {{"dtype", DType::float32}});
    return minimize_synchronously(
        b, b.reduce_sum(rows), GradientDescent{.learning_rate = 1.0f},
        {.global_step = create_global_step(b), .replicas_to_aggregate = 2, .replica = replica});
  };
  auto one = make(first, 0, {0, 1}), other = make(second, 1, {1, 2});
  BOOST_TEST_REQUIRE(first.run({}, {}, {first.graph().initializer()}).ok());
  BOOST_TEST_REQUIRE(first.run({}, {}, {one.begin_chief}).ok());
  BOOST_TEST_REQUIRE(second.run({}, {}, {other.begin}).ok());
  auto status = first.start_runner("updates", {.enqueue_ops = {one.update.node_name()}});
  BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  // The gradients of the second steps are of the first global step, too, and come too late.
  for (int i = 0; i < 3; ++i) {
    auto step = first.start({}, {}, {one.train}), beside = second.start({}, {}, {other.train});
    BOOST_TEST(cluster.run_until([&] { return step.is_done() && beside.is_done(); }));
  }
  cluster.run_for(std::chrono::seconds(1));
  auto trained = second.run({}, {table.value()});
  BOOST_TEST_REQUIRE(trained.ok(), trained.status().to_string());
  for (auto value : (*trained)[0].values<float>()) BOOST_TEST(value == -2);
}

BOOST_AUTO_TEST_CASE(a_synchronous_training_needs_a_global_step_and_a_gradient_for_an_update) {
  Builder b;
  auto weight = b.variable("w", b.constant(0.0f));
  minimize_synchronously(b, weight, GradientDescent(), {.global_step = weight});
  BOOST_TEST(b.take_status().message() == "a synchronous training needs a global step, an int64");
  auto step = create_global_step(b);
  minimize_synchronously(
      b, weight, GradientDescent(), {.global_step = step, .replicas_to_aggregate = 0});
  BOOST_TEST(b.take_status().message() == "an update must take at least one gradient");
  minimize_synchronously(b, weight, GradientDescent(), {.global_step = step, .replica = -1});
  BOOST_TEST(b.take_status().message() == "a number of replicas is not negative");
}

BOOST_AUTO_TEST_SUITE_END()
