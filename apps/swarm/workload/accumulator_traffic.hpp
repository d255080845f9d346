#pragma once

#include <list>
#include <string>
#include <vector>

#include "troupe/apps/swarm/workload/client_step.hpp"
#include "troupe/apps/swarm/workload/reporter.hpp"

namespace troupe::swarm {

/// The steps of clients that use the shared accumulators, each checked with the accumulator's
/// model.
class AccumulatorTraffic {
 public:
  AccumulatorTraffic(
      sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, std::vector<Client>& clients,
      const Reporter& reporter);

  // As of the queues' traffic.
  void act_randomly();
  void update();
  void cancel_all();
  bool has_pending_steps() const { return !attempts_.empty(); }
  void end_reset(const std::string& container, sim::Time began, bool done);
  std::vector<AccumulatorModel>& models() { return models_; }

  // Steps of a client that has a session. They are checked by update(), too.
  /// There must be a place for one more gradient.
  sim::Call apply(
      Client& client, size_t accumulator, bool is_of_first_step, const RunOptions& options = {});
  sim::Call take(
      Client& client, size_t accumulator, int64_t required, const RunOptions& options = {});
  sim::Call read_count(Client& client, size_t accumulator);

 private:
  struct Attempt {
    enum class Kind : uint8_t { apply, take, count };
    Kind kind;
    size_t accumulator;
    size_t index;  // of the gradient or take in the model
    ClientStep step;
  };

  RunOptions draw_timeout();
  sim::Call start(
      Attempt::Kind kind, Client& client, size_t accumulator, size_t index,
      const StepRequest& request);
  void note_lost_tasks();
  void check_answer(const Attempt& attempt);
  std::string name(const Attempt& attempt) const;

  sim::Cluster& cluster_;
  const ScenarioPlan& plan_;
  sim::Random random_;
  std::vector<Client>& clients_;
  const Reporter& reporter_;
  std::vector<AccumulatorModel> models_;
  std::vector<int> process_numbers_;  // of the accumulators' tasks
  sim::Time updated_{0};
  std::list<Attempt> attempts_;  // pending
  bool has_reset_ = false;
};

}  // namespace troupe::swarm
