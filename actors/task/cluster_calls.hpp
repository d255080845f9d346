#pragma once

#include <functional>
#include <vector>

#include "troupe/actors/cluster/peer_monitor.hpp"

namespace troupe {

/// The calls to a master that concern all tasks of the cluster. A task that is dead or silent does
/// not block the answer: the answer names it. Belongs to the task actor.
class ClusterCalls {
 public:
  void begin(TaskProtocol::pointer self, const TaskSettings& settings, PeerMonitor& peers);

  void list_devices(const ListDevices& call);
  void list_resources(const ListResources& call);
  void list_runners(const ListRunners& call);
  void list_sessions(const ListSessions& call);
  /// Asks all tasks: one that has the runner does it.
  void control_runner(const ControlRunner& call);
  /// Resets the containers; the caller closes the sessions of this task.
  void reset(const Reset& call);

 private:
  /// Sends one task its request of a call; the callback takes the result.
  using Each = std::function<void(const TaskKey&, const TaskActor&, DoneStatus)>;
  using Errors = std::vector<Status>;

  void for_all_tasks(
      std::chrono::milliseconds timeout, Each each, std::function<void(Errors)> done);
  void for_task(
      const TaskKey& key, std::chrono::milliseconds timeout, const Each& each, DoneStatus arrived);
  template <class Request, class Part, class List, class Call, class Item, class Order>
  void list(
      const Call& call, std::vector<Item> Part::*of_task, std::vector<Item> List::*items,
      Order order);
  void reset_one(const Reset& call);
  Each reset_request(const Reset& call);
  void reconcile(const Reset& call, const Status& result);

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  PeerMonitor* peers_ = nullptr;
};

}  // namespace troupe
