#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "troupe/actors/cluster/peer_monitor.hpp"
#include "troupe/actors/cluster/resource_directory_client.hpp"

namespace troupe {

/// The tasks of the cluster, as one task knows them: those of its configuration, and those that
/// have joined since. The directory task assigns the indices of joining tasks and numbers the
/// versions of the membership. Before it answers, it sends a new version to all tasks that it can
/// reach; a task that was out of reach gets it from the next task that it exchanges a Hello or Ping
/// with. Belongs to the task actor.
///
/// ME-1: a task of the configuration is never removed; only tasks that have joined can leave.
/// ME-2: no index is assigned twice while a task lives that knows of the first assignment: a
///       restarted directory task asks all tasks before it assigns one. A joined task, which may be
///       the only one left that knows, reconnects to the restarted directory task by itself.
class Membership {
 public:
  /// Called with the tasks of the cluster when one has joined or left.
  using Changed = std::function<void(const ClusterSpec&)>;

  void begin(
      TaskProtocol::pointer self, TaskSettings& settings, PeerMonitor& peers,
      ResourceDirectoryClient& directory, Changed changed);

  caf::result<Status, Joined> join(const Join& request);
  caf::result<Status> leave(const Leave& request);
  /// Answers a Join through a callback.
  void admit(const AdmitTask& call);
  /// Has the directory task remove a joined task that is dead.
  void forget(const ForgetTask& call);

  /// Adopts an update from another task, unless this task knows that version or a later one.
  Status update(const MembershipUpdate& update);
  /// Sends the latest update to a task that knows only an earlier version.
  void peer_contacted(const TaskActor& task, uint64_t known_version);
  void peer_lost(const PeerLost& lost);

  /// Removes this task from the cluster, if it has joined.
  void leave_cluster(const DoneStatus& done);

 private:
  Result<Address> check(const Join& request) const;
  Joined joined_as(int task) const;
  Result<int> assign_index(const std::string& job, const Address& address);
  Status remove(const Leave& request);
  void set_joined(ClusterSpec joined);
  void adopt(MembershipUpdate update);
  void send_to_all(const TaskKey& except, const std::function<void()>& done);
  void send_to(const TaskKey& task, const std::shared_ptr<void>& last);
  void send_to(const TaskActor& task, const std::shared_ptr<void>& last);
  void connect_to_directory_task();

  TaskProtocol::pointer self_ = nullptr;
  TaskSettings* settings_ = nullptr;
  PeerMonitor* peers_ = nullptr;
  ResourceDirectoryClient* directory_ = nullptr;
  Changed changed_;
  ClusterSpec configured_;
  MembershipUpdate latest_;
};

}  // namespace troupe
