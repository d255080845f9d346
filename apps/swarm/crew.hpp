#pragma once

#include <list>
#include <string>
#include <vector>

#include "troupe/apps/swarm/client.hpp"
#include "troupe/apps/swarm/variable_states.hpp"

namespace troupe::swarm {

/// The clients of a cluster, who do random things at random times, and judge each answer: results
/// must be those of a single task, counters must have counted, and failures must have an excuse.
/// What must not be becomes a violation of the cluster, and an exception ends the crew's work.
class Crew {
 public:
  /// Gets a line for each step that starts or ends.
  using Log = std::function<void(const std::string&)>;

  Crew(
      sim::Cluster& cluster, const World& world, sim::Seed seed, sim::Cluster& single_task,
      Log log);

  /// One client does one thing, as starting a step.
  void act();
  /// Lets the cluster run; then takes what answers there are, opens lost sessions anew and
  /// initializes variables that have no value.
  void pass(sim::Time duration);

  bool has_steps_under_way() const { return !attempts_.empty(); }
  bool variables_are_set() const { return variables_.all_are_set(); }
  /// Where nothing is broken any more: each client must get all its steps done, though maybe not at
  /// the first try, and counters must have counted.
  void check_recovery();
  void close();

  [[noreturn]] void fail(const std::string& name, const std::string& text);

 private:
  /// A step that some client has started.
  struct Attempt {
    enum class Kind : uint8_t { compute, initialize, bump, read };
    Kind kind = Kind::compute;
    Client* client = nullptr;
    size_t index = 0;  // of the kind of step, or of the variable
    RunOptions options = {};
    bool was_cancelled = false;
    bool variables_were_set = false;
    CounterModel::Bump bump = {};  // of a bump
    int64_t era = 0;               // of the counter that is read
    int64_t least = 0;             // that it must have
    std::optional<sim::Session> session = {};
    int session_number = 0;
    sim::Call call = {};

    std::string name() const;
  };

  // What a client may do.
  void compute();
  void bump();
  void read();
  void cancel();
  void reopen();
  void reset();

  Client* any_client();
  RunOptions any_timeout();
  std::optional<size_t> any_counter();
  Attempt make_bump(Client* client, size_t counter);
  Attempt make_read(Client* client, size_t counter);
  sim::Call start(Attempt attempt);
  void log(const std::string& text) const;
  void reopen_lost_sessions();
  void initialize_lost_variables();
  void take_answers();
  void judge(const Attempt& attempt);
  void judge_values(const Attempt& attempt);
  void insist(Client& client, const std::function<Attempt()>& make);

  sim::Cluster& cluster_;
  const World& world_;
  sim::Random random_;
  std::vector<Client> clients_;
  VariableStates variables_;
  std::list<Attempt> attempts_;  // under way
  bool has_reset_ = false;
  Log log_;
};

}  // namespace troupe::swarm
