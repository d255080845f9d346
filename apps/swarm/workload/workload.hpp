#pragma once

#include <list>
#include <string>
#include <vector>

#include "troupe/apps/swarm/oracle/variable_states.hpp"
#include "troupe/apps/swarm/workload/accumulator_traffic.hpp"
#include "troupe/apps/swarm/workload/client.hpp"
#include "troupe/apps/swarm/workload/queue_traffic.hpp"
#include "troupe/apps/swarm/workload/reporter.hpp"
#include "troupe/apps/swarm/workload/runner_traffic.hpp"

namespace troupe::swarm {

/// The clients of a cluster. They perform random actions, and check each answer with the oracles:
/// results must equal those of a single task, counters must be within their bounds, queues and
/// accumulators must lose and double nothing, and failures must be explained by faults. Anything
/// else is reported as a violation of the cluster, and thrown.
class Workload {
 public:
  using Log = Reporter::Log;

  Workload(
      sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, sim::Cluster& single_task,
      Log log);

  /// Has a random client perform a random action, such as starting a step.
  void act_randomly();
  /// Runs the cluster; then checks the answers so far, reopens lost sessions, and initializes
  /// variables that have no value.
  void run_for(sim::Time duration);

  bool has_pending_steps() const { return !attempts_.empty(); }
  bool variables_are_set() const { return variables_.all_are_set(); }
  /// After all faults have ended: each client must complete all its steps, with retries, and
  /// counters must be within their bounds. Then the queues and accumulators must be right.
  void check_recovery();
  void close();

  [[noreturn]] void fail(const std::string& name, const std::string& text) const {
    reporter_.fail(name, text);
  }

 private:
  /// A pending step.
  struct Attempt {
    enum class Kind : uint8_t { compute, initialize, increment, read };
    Kind kind = Kind::compute;
    Client* client = nullptr;
    size_t index = 0;  // of the StepKind or of the variable
    RunOptions options = {};
    bool was_cancelled = false;
    bool variables_were_set = false;
    CounterModel::Increment increment = {};  // for Kind::increment
    int64_t generation = 0;                  // for Kind::read: of the counter
    int64_t least = 0;                       // for Kind::read: lower bound of the value
    std::optional<sim::Session> session = {};
    int session_number = 0;
    sim::Call call = {};

    std::string name() const;
  };

  // The actions of clients.
  void act_on_variables();
  void compute();
  void increment();
  void read();
  void cancel();
  void reopen();
  void reset();

  Client* pick_client();
  RunOptions draw_timeout();
  std::optional<size_t> pick_counter();
  Attempt make_increment(Client* client, size_t counter);
  Attempt make_read(Client* client, size_t counter);
  sim::Call start(Attempt attempt);
  void reopen_lost_sessions();
  void initialize_lost_variables();
  void take_answers();
  void check_answer(const Attempt& attempt);
  void check_values(const Attempt& attempt);
  void require_success(Client& client, const std::function<Attempt()>& make);

  sim::Cluster& cluster_;
  const ScenarioPlan& plan_;
  const sim::Seed seed_;
  Reporter reporter_;
  sim::Random random_;
  std::vector<Client> clients_;
  std::optional<QueueTraffic> queues_;
  std::optional<AccumulatorTraffic> accumulators_;
  std::optional<RunnerTraffic> runner_;
  VariableStates variables_;
  std::list<Attempt> attempts_;  // pending
  bool has_reset_ = false;
};

}  // namespace troupe::swarm
