#pragma once

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "troupe/apps/swarm/workload/client_step.hpp"
#include "troupe/apps/swarm/workload/reporter.hpp"
#include "troupe/apps/swarm/workload/uncommitted_takes.hpp"

namespace troupe::swarm {

/// A runner that clients leave on the cluster, pause, resume and stop, and the steps at its queues:
/// it moves what they put into one of them to the other, where they take it. Of the two together
/// there is one model: what went into the first comes out of the second, once. Neither order nor
/// the number of elements is that of one queue, as several steps of the runner are under way.
class RunnerTraffic {
 public:
  RunnerTraffic(
      sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, std::vector<Client>& clients,
      const Reporter& reporter);

  /// Has a random client perform a random action.
  void act_randomly();
  /// To be called when the cluster has run: tells the model of queues that were lost, and checks
  /// the answers.
  void update();
  /// A reset of the container was begun then, and has ended; `done`: on all tasks.
  void end_reset(const std::string& container, sim::Time began, bool done);
  /// Once nothing is broken: a runner moves what is put in then, and what is left, and is stopped
  /// for good.
  /// `run_for` runs the cluster, and has update() called.
  void check_recovery(const std::function<void(sim::Time)>& run_for);

 private:
  struct Attempt {
    bool puts;
    size_t index;  // of the put or take in the model
    ClientStep step;
  };

  Client* pick_client();
  sim::Call put(Client& client, const RunOptions& options);
  sim::Call take(Client& client, const RunOptions& options);
  void leave(Client& client);
  void control(Client& client, RunnerAction action);
  void require_runner(const std::function<void(sim::Time)>& run_for);
  void require_moves(const std::function<void(sim::Time)>& run_for);
  void stop(const std::function<void(sim::Time)>& run_for);
  void check_control(const std::string& what, const Status& status, bool succeeds);
  void check_answer(const Attempt& attempt);

  sim::Cluster& cluster_;
  const std::optional<SharedRunner>& runner_;
  const bool has_faults_;
  sim::Random random_;
  std::vector<Client>& clients_;
  const Reporter& reporter_;
  std::optional<QueueModel> model_;
  bool is_left_ = false;    // as long as there is no fault and no reset
  int process_number_ = 0;  // of the queues' task
  sim::Time updated_{0};
  std::list<Attempt> attempts_;  // pending
  UncommittedTakes uncommitted_takes_{cluster_};
  bool has_reset_ = false;
};

}  // namespace troupe::swarm
