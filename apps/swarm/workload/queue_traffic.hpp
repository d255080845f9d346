#pragma once

#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "troupe/apps/swarm/workload/client_step.hpp"
#include "troupe/apps/swarm/workload/reporter.hpp"
#include "troupe/apps/swarm/workload/uncommitted_takes.hpp"

namespace troupe::swarm {

/// The steps of clients that use the shared queues: random ones, and loops, as queue runners and
/// training programs have. Each answer is checked with the queue's model.
class QueueTraffic {
 public:
  QueueTraffic(
      sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, std::vector<Client>& clients,
      const Reporter& reporter);

  /// Has a random client perform a random action.
  void act_randomly();
  /// To be called when the cluster has run: tells the models of queues that were lost, checks the
  /// answers, and has loops go on.
  void update();
  void stop_loops() { loops_.clear(); }
  void cancel_all();
  bool has_pending_steps() const { return !attempts_.empty(); }
  /// A reset of the container was begun then, and has ended; `done`: on all tasks.
  void end_reset(const std::string& container, sim::Time began, bool done);

  std::vector<QueueModel>& models() { return models_; }

  // Steps of a client that has a session. They are checked by update(), too.
  struct TakeRequest {
    enum class Kind : uint8_t { one, many, up_to };
    Kind kind = Kind::one;
    int64_t count = 1;
    /// The step holds the element, as at that queue it waits for more than there ever are.
    std::optional<size_t> held_at = {};
  };
  sim::Call put(Client& client, size_t queue, int64_t count, const RunOptions& options = {});
  sim::Call take(
      Client& client, size_t queue, const TakeRequest& request, const RunOptions& options = {});
  sim::Call close(Client& client, size_t queue, bool with_cancel);
  sim::Call read_size(Client& client, size_t queue);

 private:
  struct Attempt {
    enum class Kind : uint8_t { put, take, close, size };
    Kind kind;
    size_t queue;
    size_t index;  // of the put or take in the model
    ClientStep step;
    std::optional<std::pair<size_t, size_t>> other = {};  // a further queue, and the take there
  };
  /// A client that always has a step at a queue, until the queue is closed.
  struct Loop {
    Client* client;
    size_t queue;
    bool puts;
    std::optional<sim::Call> call = {};
    bool is_ended = false;
  };

  void act_on(Client& client, size_t queue);
  void cancel_randomly();
  sim::Call put_some(Client& client, size_t queue);
  sim::Call take_some(Client& client, size_t queue);
  void go_on(Loop& loop);
  RunOptions draw_timeout();
  const QueueOps& ops(const Client& client, size_t queue) const;
  sim::Call start(
      Attempt::Kind kind, Client& client, size_t queue, size_t index, const StepRequest& request);
  void note_lost_tasks();
  void take_answers();
  void check_answer(const Attempt& attempt);
  void check_success(const Attempt& attempt);
  void check_failure(const Attempt& attempt);
  std::string name(const Attempt& attempt) const;

  sim::Cluster& cluster_;
  const ScenarioPlan& plan_;
  sim::Random random_;
  std::vector<Client>& clients_;
  const Reporter& reporter_;
  std::vector<QueueModel> models_;
  std::vector<int> process_numbers_;  // of the queues' tasks
  sim::Time updated_{0};
  std::vector<Loop> loops_;
  std::list<Attempt> attempts_;  // pending
  UncommittedTakes uncommitted_takes_{cluster_};
  bool has_reset_ = false;
};

}  // namespace troupe::swarm
