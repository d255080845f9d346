#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "troupe/actors/session/session_actor.hpp"
#include "troupe/actors/task/task_protocol.hpp"
#include "troupe/graph/place/choose_device.hpp"

namespace troupe {

/// The sessions that a task is the master of. Belongs to the task actor.
class SessionSet {
 public:
  /// `devices`: of the task, the default one of the sessions' nodes first.
  void begin(
      TaskProtocol::pointer self, const TaskSettings& settings, std::vector<Candidate> devices);
  ~SessionSet();

  /// Opens a session and watches it. The session sets the call's `end` before it ends; `runner`:
  /// whose session it is, or null. InvalidArgument: the options are none.
  /// ResourceExhausted: the task has the maximum number of sessions.
  Result<OwnedSessionActor> open(const CreateSession& call, const MakeRunner* runner);
  void ended(const caf::actor_addr& session) { sessions_.erase(session); }
  size_t size() const { return sessions_.size(); }

  template <class Message>
  void send_all(const Message& message) const {
    for (const auto& [address, session] : sessions_) self_->send(session.actor, message);
  }
  /// Closes those that `is_chosen` is true of. `closed_by`: "its node, which stopped".
  void close(
      const std::string& closed_by,
      const std::function<bool(const caf::actor_addr&)>& is_chosen) const;

  TaskSessions list() const;
  /// Answers with what the steps of all sessions wait for.
  void list_waiting_steps(const ListWaitingSteps& call) const;
  void trace_next_step(const TraceNextStep& call) const;

 private:
  struct Entry {
    OwnedSessionActor actor;
    SessionId id = 0;
    std::string client;
    std::string runner;  // "container/name"; empty: a client's
    World::Time opened{0};
    std::shared_ptr<const SessionCounters> use;
  };

  std::string own_name() const;

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  std::vector<Candidate> devices_;
  std::map<caf::actor_addr, Entry> sessions_;
};

}  // namespace troupe
