#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;

BOOST_AUTO_TEST_SUITE(simulated_sync_replicas)

namespace {

const std::string ps = "/job:ps/task:0";

/// One replica of a synchronous training, with the graph that SyncReplicasOptimizer makes: a step
/// hands its gradient, 1, to an accumulator and takes a token, which is the step of its next
/// gradient. An update takes the mean of some gradients, and hands out tokens for all replicas.
class Replica {
 public:
  Replica(sim::Cluster& cluster, int task, int required, int replicas)
      : worker_("/job:worker/task:" + std::to_string(task)), session_(cluster.session(worker_)) {
    auto b = session_.graph().on(ps);
    weight_ = b.variable("w", b.constant(0.0f));
    step_ = b.variable("step", b.constant(Tensor::scalar<int64_t>(0)));
    accumulator_ = b.op(
        "ResourceConditionalAccumulator", {},
        {{"dtype", DType::float32}, {"shape", Shape()}, {"shared_name", "w/grad_accum"}});
    tokens_ = b.op(
        "FIFOQueueV2", {},
        {{"component_types", DTypes{DType::int64}},
         {"shapes", Shapes{Shape()}},
         {"shared_name", "sync_token_q"}});
    add_step();
    update_ = add_update(required, replicas);
    first_tokens_ = hand_out(b, replicas);
  }

  Status initialize() {
    auto status = session_.run({}, {}, {weight_.initializer, step_.initializer}).status();
    return status.ok() ? session_.run({}, {}, {first_tokens_}).status() : status;
  }

  sim::Call start_update() { return session_.start({}, {}, {update_}); }

  /// Goes on with the training: takes the token of a step that has ended, and starts the next one.
  void train() {
    if (running_ && !running_->is_done()) return;
    if (running_ && !running_->status().ok()) {
      failure_ = running_->status();
      return;
    }
    if (running_) local_step_ = running_->values()[0].value<int64_t>();
    running_ = session_.start({{fed_step_, Tensor::scalar(local_step_)}}, {token_});
  }

  const std::string& worker() const { return worker_; }
  const Status& failure() const { return failure_; }
  float weight() { return session_.run({}, {weight_value_}).operator*()[0].value<float>(); }
  Status close() { return session_.close(); }

 private:
  void add_step() {
    auto b = session_.graph().on(ps);
    auto here = session_.graph().on(worker_);
    fed_step_ = here.placeholder(DType::int64, {});
    auto gradient = here.identity(here.constant(1.0f));
    auto apply = b.op("ResourceAccumulatorApplyGradient", {accumulator_, fed_step_, gradient});
    token_ = b.after({apply}).op(
        "QueueDequeueV2", {tokens_}, {{"component_types", DTypes{DType::int64}}});
    weight_value_ = weight_.value();
  }

  Value add_update(int required, int replicas) {
    auto b = session_.graph().on(ps);
    auto mean = b.op(
        "ResourceAccumulatorTakeGradient", {accumulator_, b.constant<int32_t>(required)},
        {{"dtype", DType::float32}});
    auto applied = weight_.assign_sub(mean);
    auto counted = b.after({applied}).op(
        "AssignAddVariableOp", {step_.handle, b.constant<int64_t>(1)}, {{"dtype", DType::int64}});
    return hand_out(b.after({counted}), replicas);
  }

  Value hand_out(const Builder& b, int replicas) {
    auto step = b.op("ReadVariableOp", {step_.handle}, {{"dtype", DType::int64}});
    return b.op("QueueEnqueueManyV2", {tokens_, b.fill(b.ints({replicas}), step)});
  }

  std::string worker_;
  sim::Session session_;
  Variable weight_, step_;
  Value accumulator_, tokens_, fed_step_, token_, weight_value_, update_, first_tokens_;
  std::optional<sim::Call> running_;
  int64_t local_step_ = 0;
  Status failure_;
};

/// Some replicas, of which the first also runs the updates.
struct Training {
  sim::Cluster& cluster;
  std::deque<Replica> replicas;
  std::optional<sim::Call> update;

  Training(sim::Cluster& in, int required, int count) : cluster(in) {
    for (int task = 0; task < count; ++task) replicas.emplace_back(cluster, task, required, count);
    auto status = replicas[0].initialize();
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
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

BOOST_AUTO_TEST_SUITE_END()
