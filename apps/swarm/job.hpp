#pragma once

#include <list>

#include "troupe/apps/swarm/attempt.hpp"
#include "troupe/apps/swarm/variable_states.hpp"

namespace troupe::swarm {

/// What happens in one seed: clients run steps at random while the cluster's script breaks it; then
/// all is mended, and each client must be able to go on. What must not be is a violation of the
/// cluster, and an exception, for nothing runs after it.
class Job {
 public:
  Job(sim::Cluster& cluster, const World& world, sim::Seed seed, sim::Cluster& single_task);

  void run();

 private:
  static constexpr int actions = 50;

  void begin();
  void act();
  void settle();
  void recover(Client& client);
  void check_counters();
  void end();

  // What a client may do.
  void compute();
  void bump();
  void read();
  void cancel();
  void reopen();
  void reset();

  void pass(sim::Time duration);
  void reopen_lost();
  void initialize_lost();
  Attempt& start(
      Attempt attempt, const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets);
  void take_answers();
  void judge(const Attempt& attempt);
  void judge_values(const Attempt& attempt);
  Client* any_client();
  RunOptions any_timeout();
  [[noreturn]] void fail(const std::string& name, const std::string& text);

  sim::Cluster& cluster_;
  const World& world_;
  sim::Random random_;
  std::vector<Client> clients_;
  VariableStates variables_;
  std::list<Attempt> attempts_;  // under way
  bool resets_ = false;          // any was begun
};

}  // namespace troupe::swarm
