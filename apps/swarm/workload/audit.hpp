#pragma once

#include <functional>

#include "troupe/apps/swarm/workload/accumulator_traffic.hpp"
#include "troupe/apps/swarm/workload/queue_traffic.hpp"

namespace troupe::swarm {

/// What must hold of the queues and accumulators exactly, once nothing is broken: steps that wait
/// end when they are cancelled, and leave everything as it was; a close ends all steps at a queue;
/// and then all that was acknowledged comes out.
class Audit {
 public:
  /// `run_for` runs the cluster, and has the traffic take its answers.
  Audit(
      sim::Cluster& cluster, sim::Seed seed, std::vector<Client>& clients, QueueTraffic& queues,
      AccumulatorTraffic& accumulators, const Reporter& reporter,
      std::function<void(sim::Time)> run_for)
      : cluster_(cluster),
        random_(seed, "audit"),
        clients_(clients),
        queues_(queues),
        accumulators_(accumulators),
        reporter_(reporter),
        run_for_(std::move(run_for)) {}

  void run();

 private:
  using Start = std::function<sim::Call(Client&, const RunOptions&)>;

  void end_all_steps();
  void expect_quiet();
  Client& pick_client();
  void wait(const sim::Call& call);
  sim::Call require(const Start& start);
  void give_up(const Start& start);

  void audit_queue(size_t queue);
  int64_t size(size_t queue);
  void expect_size(size_t queue, int64_t expected, const char* after);
  void give_up_take(size_t queue, int64_t size);
  void give_up_step_that_took(size_t queue, int64_t size);
  void give_up_put(size_t queue, int64_t size);
  void start_waiting_steps(size_t queue, int64_t size);
  void close_and_drain(size_t queue);

  void audit_accumulator(size_t accumulator);
  int64_t count(size_t accumulator);
  void take_all(size_t accumulator);

  sim::Cluster& cluster_;
  sim::Random random_;
  std::vector<Client>& clients_;
  QueueTraffic& queues_;
  AccumulatorTraffic& accumulators_;
  const Reporter& reporter_;
  std::function<void(sim::Time)> run_for_;
};

}  // namespace troupe::swarm
