#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "troupe/actors/owed_answers.hpp"
#include "troupe/actors/task_mailbox.hpp"

namespace troupe {

/// A task of the cluster: its job and its index.
using TaskKey = std::pair<std::string, int>;

/// The other tasks of the cluster as one task knows them: to which it has connected, and which have
/// connected to it. All are watched: whose connection breaks, or who does not answer for the
/// heartbeat limit, is lost. Belongs to the task actor.
///
/// A peer that does not answer at once is asked beside its connection, too: that may be full for
/// long with a large tensor, or its actors busy with a large graph, and yet it lives.
///
/// PE-1: a failed connection is not remembered: the next find() tries again.
/// PE-2: a node that itself stood still blames nobody for the silence.
/// PE-3: who hears of a task's new life has lost the earlier one.
class Peers {
 public:
  using Lost = std::function<void(const PeerLost&)>;

  /// Told of a peer and the latest change of the cluster that it knows.
  using Met = std::function<void(const TaskActor& task, uint64_t change)>;

  /// `met` is called for each Hello, either way, and each Ping; `lost` for each peer that is lost,
  /// once.
  void begin(TaskMailbox::pointer self, const TaskSettings& settings, Met met, Lost lost);

  /// The task's own description, for those who say Hello.
  TaskDescription me;

  caf::result<Status, TaskDescription> find(const FindTask& call);
  /// Calls back with the task's actor, connecting where need be, or with an error that names it.
  /// Calls for one task are answered in their order.
  using Reached = std::function<void(Result<TaskActor>)>;
  void reach(const TaskKey& key, std::chrono::milliseconds timeout, Reached then);
  /// Calls back whether the task can be reached, without trying for long: NotFound, if it is dead;
  /// Unavailable, if it is silent. The error names it.
  void find_living(const TaskKey& key, std::chrono::milliseconds timeout, DoneStatus then);
  /// How long a silent peer is waited for where others go on without it.
  std::chrono::milliseconds patience() const;
  caf::result<Status, TaskDescription> greet(const Hello& hello);

  void answer(const Ping& ping);
  void heard();  // Pong, from the current sender
  void beat();
  void ended(const caf::actor_addr& task);

  /// The actor of a task that was found and is not lost since; empty otherwise.
  TaskActor actor_of(const TaskKey& key) const;
  Hello hello_to(const TaskKey& key) const;
  static Status unreachable(const TaskKey& key, const Status& why);

  void forget_all() { peers_.clear(); }

 private:
  struct Peer {
    TaskActor actor;              // empty until connected
    TaskDescription description;  // once it has answered Hello
    OwedAnswers<TaskDescription> waiting;
  };
  struct Watched {
    TaskActor actor;
    std::string name;
    uint64_t incarnation;
    World::Time heard;
  };

  std::string my_name() const;
  void connect(const FindTask& call, const Address& address);
  void greet(const TaskKey& key, const TaskActor& actor, std::chrono::milliseconds timeout);
  void fail(const TaskKey& key, const Status& why);
  void watch(const TaskActor& actor, const std::string& name, uint64_t incarnation);
  void probe(const Watched& silent);
  void heard_of(const caf::actor_addr& task, uint64_t incarnation);
  void lose(const caf::actor_addr& task, const std::string& why);
  void set_timer();

  TaskMailbox::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Met met_;
  Lost lost_;
  std::map<TaskKey, Peer> peers_;
  std::map<caf::actor_addr, Watched> watched_;
  bool timer_runs_ = false;
  World::Time timer_due_{0};
};

}  // namespace troupe
