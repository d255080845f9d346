#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::sim {

/// All that is random in a simulated cluster follows from it.
struct Seed {
  uint64_t value = 1;
};

using Time = std::chrono::nanoseconds;

struct Options {
  Time latency_min{20'000};  // of one message from task to task
  Time latency_max{80'000};
  uint64_t memory_limit = uint64_t{1} << 30;  // bytes, of each task's device
  std::chrono::milliseconds connect_timeout{1000};
};

/// A call to a simulated cluster under way: a step, or the end of a session. Copies speak of the
/// same.
class Call {
 public:
  bool is_done() const { return answer_->done; }
  /// For Cluster::run_until.
  std::function<bool()> done() const {
    return [answer = answer_] { return answer->done; };
  }
  /// Once it is done: how it ended, what it fetched, and when.
  const Status& status() const { return answer_->status; }
  const Tensors& values() const { return answer_->values; }
  Time ended_at() const { return answer_->ended_at; }

 private:
  friend class Session;
  struct Answer {
    bool done = false;
    Status status;
    Tensors values;
    Time ended_at{0};
  };
  std::shared_ptr<Answer> answer_ = std::make_shared<Answer>();
};

class Cluster;

/// A session whose master is a task of a simulated cluster. Its calls start at once and are
/// answered while the cluster runs; run() and close() let it run until then.
class Session {
 public:
  /// The graph of the session; what is added goes to the master with the next call.
  const Builder& graph() const { return graph_; }

  Call start(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {});
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {});
  Status close();

 private:
  friend class Cluster;
  struct Parts;
  explicit Session(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Builder graph_;
  std::shared_ptr<Parts> parts_;
};

/// A whole cluster in one thread, under a virtual clock: the same actors, kernels and containers as
/// on real machines, over links that can be broken on purpose. One seed gives one history.
///
///     sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
///     auto session = cluster.session("/job:worker/task:0");
///     auto step = session.start({}, {total});
///     cluster.at(5ms, [&] { cluster.crash("/job:worker/task:1"); });
///     cluster.run_until(step.done());
///
/// Tasks are named "/job:ps/task:0"; a name that the cluster does not have stops the program.
class Cluster {
 public:
  Cluster(const std::map<std::string, int>& jobs, Seed seed) : Cluster(jobs, seed, Options()) {}
  Cluster(const std::map<std::string, int>& jobs, Seed seed, const Options& options);
  ~Cluster();
  Cluster(const Cluster&) = delete;

  const ClusterSpec& spec() const;
  /// Over once the cluster is.
  Session session(const std::string& master);

  Time now() const;
  /// Has something happen at that time after the start, or at once if that is over.
  void at(Time time, std::function<void()> what);
  /// Lets the cluster run. False if the condition is not met before a minute of its time has
  /// passed, or nothing is left to happen.
  bool run_until(const std::function<bool()>& condition, Time limit = std::chrono::minutes(1));
  void run_for(Time duration);

  /// The task is gone, with all it held; its peers see their connections close.
  void crash(const std::string& task);
  /// A crashed task begins a new life at the same address: empty, with another incarnation.
  void restart(const std::string& task);
  /// The task stands still as by SIGSTOP, and nobody is told.
  void freeze(const std::string& task);
  void thaw(const std::string& task);
  /// What `from` says does not reach `to`, and waits until the way is healed.
  void cut(const std::string& from, const std::string& to);
  void heal(const std::string& from, const std::string& to);

  /// Of all messages that were delivered, when, and between whom.
  uint64_t trace_hash() const;
  uint64_t messages_delivered() const;

 private:
  friend class Session;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace troupe::sim
