#pragma once

#include <functional>
#include <vector>

#include "troupe/actors/peers.hpp"

namespace troupe {

/// What a master does with all tasks of the cluster, for its clients. A task that is dead or silent
/// holds nothing up: it is named in the answer. Belongs to the task actor.
class ClusterCalls {
 public:
  void begin(TaskMailbox::pointer self, const TaskSettings& settings, Peers& peers);

  void list_devices(const ListDevices& call);
  void list_resources(const ListResources& call);
  /// Frees the containers; the sessions here are the caller's affair.
  void reset(const Reset& call);

 private:
  /// One task's part of a call: does its work and reports with the callback.
  using Each = std::function<void(const TaskKey&, const TaskActor&, DoneStatus)>;
  using Errors = std::vector<Status>;

  void for_all_tasks(
      std::chrono::milliseconds timeout, Each each, std::function<void(Errors)> done);
  void for_task(
      const TaskKey& key, std::chrono::milliseconds timeout, const Each& each, DoneStatus arrived);
  void reset_one(const Reset& call);
  Each resets(const Reset& call);
  void reconcile(const Reset& call, const Status& result);

  TaskMailbox::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Peers* peers_ = nullptr;
};

}  // namespace troupe
