#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "troupe/actors/directory.hpp"
#include "troupe/actors/peers.hpp"

namespace troupe {

/// Who belongs to the cluster, as one task knows it: those of its configuration, and those that
/// have joined since. The keeper of the directory gives out the places. All that it can reach know
/// of a change before it answers; who was away hears of it from the next task that it meets.
/// Belongs to the task actor.
///
/// ME-1: a task's configuration is never overruled; only who has joined can leave.
/// ME-2: no place is given out twice while a task lives that knows of it: a keeper of a new life
///       asks all first. Who has joined and outlived all others who knew greets that keeper.
class Membership {
 public:
  /// Called when a task has joined, or left.
  using Changed = std::function<void(const ClusterSpec&)>;

  void begin(
      TaskMailbox::pointer self, TaskSettings& settings, Peers& peers, Directory& directory,
      Changed changed);

  caf::result<Status, Joined> join(const Join& wish);
  caf::result<Status> leave(const Leave& wish);
  void let_join(const LetJoin& call);

  Status hear(const ClusterNews& news);
  /// Tells a task what it has missed, if it knows no later change than that.
  void met(const TaskActor& task, uint64_t change);
  void peer_lost(const PeerLost& lost);

  /// Gives up this task's own place, where it has joined.
  void leave_cluster(const DoneStatus& done);

 private:
  Result<Address> check(const Join& wish) const;
  Joined place(int task) const;
  Result<int> give_place(const std::string& job, const Address& address);
  Status release(const Leave& wish);
  void change(ClusterSpec joined);
  void adopt(ClusterNews news);
  void tell_all(const TaskKey& but, const std::function<void()>& done);
  void tell(const TaskKey& key, const std::shared_ptr<void>& told);
  void tell(const TaskActor& task, const std::shared_ptr<void>& told);
  void greet_keeper();

  TaskMailbox::pointer self_ = nullptr;
  TaskSettings* settings_ = nullptr;
  Peers* peers_ = nullptr;
  Directory* directory_ = nullptr;
  Changed changed_;
  ClusterSpec configured_;
  ClusterNews news_;
};

}  // namespace troupe
