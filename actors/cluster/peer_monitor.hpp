#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/pending_answers.hpp"
#include "troupe/actors/task/task_protocol.hpp"

namespace troupe {

/// A task of the cluster: its job and its index.
using TaskKey = std::pair<std::string, int>;

/// The other tasks of the cluster that this task has connected to, and those that have connected to
/// it. All of them are watched: a task whose connection breaks, or that does not answer for the
/// heartbeat limit, is reported as lost. Belongs to the task actor.
///
/// A peer that does not answer a Ping at once is also probed on a separate connection: a large
/// tensor may fill the actors' connection for long, or a large graph keep the peer's actors busy,
/// while the peer lives.
///
/// PE-1: a failed connection is not remembered: the next find() tries again.
/// PE-2: a node that itself was suspended does not report its peers as lost for that time, nor as
///       unreachable: their answers may be there unread.
/// PE-3: when a new incarnation of a task says Hello, the earlier one is reported as lost, and
///       refused from then on, while the new one is watched. So is a Ping of a process that has not
///       said Hello while another has the name: the task may be configured twice.
/// PE-4: a task that was lost, and at whose address no process listens, is not waited for.
class PeerMonitor {
 public:
  using Lost = std::function<void(const PeerLost&)>;

  /// Called with a peer and the membership version that it knows.
  using Contacted = std::function<void(const TaskActor& task, uint64_t membership_version)>;

  /// `contacted` is called for each Hello, sent or received, and each Ping received; `lost` once
  /// for each peer that is lost.
  void begin(
      TaskProtocol::pointer self, const TaskSettings& settings, Contacted contacted, Lost lost);

  /// This task's own description, the answer to Hello.
  TaskDescription me;

  caf::result<Status, TaskDescription> find(const FindTask& call);
  /// Calls back with the task's actor, connecting to it if necessary, or with an error that names
  /// the task. Calls for the same task are answered in their order.
  using Reached = std::function<void(Result<TaskActor>)>;
  void reach(const TaskKey& key, std::chrono::milliseconds timeout, Reached then);
  /// Calls back whether the task can be reached, after one probe at most: NotFound if it is dead,
  /// Unavailable if it is silent. The error names the task.
  void check_reachable(const TaskKey& key, std::chrono::milliseconds timeout, DoneStatus then);
  /// How long to wait for a peer that may be silent, where the caller can go on without it.
  std::chrono::milliseconds probe_timeout() const;

  caf::result<Status, TaskDescription> answer_hello(const Hello& hello);
  void answer_ping(const Ping& ping);
  void pong_received(const Pong& pong);  // from the current sender
  void heartbeat_tick();
  /// The actor has ended, or the connection to it broke.
  void ended(const caf::actor_addr& task, const caf::error& reason);

  /// The actor of a task that was found and is not lost since; empty otherwise.
  TaskActor actor_of(const TaskKey& key) const;
  Hello hello_to(const TaskKey& key) const;
  static Status unreachable(const TaskKey& key, const Status& why);

  /// Whether some process of that task is watched, so that its loss would be noticed.
  bool watches(const TaskKey& key) const { return find_other(key, caf::actor_addr()) != nullptr; }

  void clear() { peers_.clear(); }

 private:
  struct Peer {
    TaskActor actor;              // empty until connected
    TaskDescription description;  // set once it has answered Hello
    PendingAnswers<TaskDescription> waiting;
  };
  struct Watched {
    TaskActor actor;
    TaskKey key;
    uint64_t incarnation;
    World::Time last_heard;
  };
  /// The incarnations of a task that were watched, also those that were lost since.
  struct Incarnations {
    uint64_t last = 0;
    std::vector<uint64_t> earlier;  // whose place it has taken, the latest ones
  };
  /// To reach a peer: a connection, then the answer to Hello.
  struct Attempt {
    TaskKey key;
    Address address;
    std::chrono::milliseconds timeout;  // of each of the two
    World::Time due{0};                 // of the present one
    bool is_repeated = false;
  };

  std::string my_name() const;
  Status check(const Hello& hello) const;
  void note_incarnation(const TaskKey& key, uint64_t incarnation);
  const Watched* find_other(const TaskKey& key, const caf::actor_addr& task) const;
  void connect_unless_dead(const FindTask& call, const Address& address);
  void connect(Attempt attempt);
  void send_hello(Attempt attempt, const TaskActor& actor);
  void repeat_or_fail(Attempt attempt, const Status& why);
  void fail(const TaskKey& key, const Status& why);
  void watch(const TaskActor& actor, const TaskKey& key, uint64_t incarnation);
  void probe(const Watched& silent);
  void probe_answered(const caf::actor_addr& task, uint64_t incarnation);
  void lose(const caf::actor_addr& task, const std::string& why);
  void set_timer();

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Contacted contacted_;
  Lost lost_;
  std::map<TaskKey, Peer> peers_;
  std::set<TaskKey> lost_peers_;  // and not reached since
  std::map<TaskKey, Incarnations> incarnations_;
  std::map<caf::actor_addr, Watched> watched_;
  bool timer_runs_ = false;
  World::Time timer_due_{0};
};

}  // namespace troupe
