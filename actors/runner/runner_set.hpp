#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "troupe/actors/container/task_containers.hpp"
#include "troupe/actors/runner/runner_actor.hpp"
#include "troupe/actors/task/task_protocol.hpp"

namespace troupe {

/// The runners of one task. Each is a resource of its container, too. Belongs to the task actor.
///
/// RU-4: a name stands for one runner, or other resource, of the whole cluster.
class RunnerSet {
 public:
  using OpenSession = std::function<Result<OwnedSessionActor>(const MakeRunner&)>;
  using CommitResource = std::function<void(const Commit&, DoneStatus)>;
  using WithdrawResource = std::function<void(const Withdraw&, std::function<void()>)>;

  RunnerSet() = default;
  RunnerSet(const RunnerSet&) = delete;
  ~RunnerSet();

  /// `device`: the full name of the one that runners are listed on.
  void begin(
      TaskProtocol::pointer self, const TaskSettings& settings, std::string device,
      OpenSession open, CommitResource commit, WithdrawResource withdraw);

  void make(const MakeRunner& call);
  caf::result<Status> control(const ControlTaskRunner& call);
  caf::result<TaskRunners> list() const;
  /// Ends the steps of all runners, as the task drains.
  void end_all(const Status& why);
  void actor_ended(const caf::actor_addr& runner);
  /// Whether the session belongs to a runner.
  bool has_session(const caf::actor_addr& session) const { return sessions_.contains(session); }
  void session_ended(const caf::actor_addr& session) { sessions_.erase(session); }

 private:
  struct Entry {
    RunnerActor actor;
    std::shared_ptr<RunnerResource> resource;
    bool has_begun = false;
  };

  Status check(const MakeRunner& call, const ResourceName& name) const;
  void commit(const ResourceName& name, const Entry& runner, const DoneStatus& done, bool is_first);
  void committed(
      const ResourceName& name, const Entry& runner, const Status& status, const DoneStatus& done);
  Entry* find(const ResourceName& name, const caf::actor_addr& actor);

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  std::string device_;
  OpenSession open_;
  CommitResource commit_;
  WithdrawResource withdraw_;
  std::map<ResourceName, Entry> runners_;
  std::set<caf::actor_addr> sessions_;
};

}  // namespace troupe
