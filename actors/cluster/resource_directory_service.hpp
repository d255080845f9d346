#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/cluster/peer_monitor.hpp"

namespace troupe {

/// The cluster-wide index of which device holds each resource. It runs on one task of the cluster,
/// the directory task; the other tasks ask it through ResourceDirectoryClient. Belongs to the task
/// actor.
///
/// The index is in memory only, while the resources outlive the directory task. So a restarted
/// directory task lists the resources of all tasks before it places an unpinned one (a resource
/// that no graph pins to a device). A dead task holds nothing; while a task is silent, nobody knows
/// what it holds, and the answer is Unavailable.
///
/// The index only repeats what the tasks said, and can be rebuilt from their containers: a task
/// asks before a container holds a resource, and what it holds no more is forgotten (Reconcile).
///
/// The place of an unpinned resource is forgotten once a request for it finds its task dead (no
/// process listens at its address): its value is lost, and others can go on with a new one. A
/// pinned resource comes back where its graph pins it, so its place is kept.
///
/// DS-1: a resource that was reported on one device is never reported on another until the task of
///       the first device has dropped it, or is dead.
/// DS-2: a request places all of its resources, or none.
class ResourceDirectoryService {
 public:
  ResourceDirectoryService() = default;
  ResourceDirectoryService(const ResourceDirectoryService&) = delete;
  ~ResourceDirectoryService() {
    answer_waiting(cancelled("the task of the directory service has ended"));
  }

  void begin(TaskProtocol::pointer self, const TaskSettings& settings, PeerMonitor& peers);

  /// Answers with the device of each resource that is placed.
  caf::result<Status, ResourcePlaces> find(const FindResources& request);
  /// Places the resources as requested, if none of them is placed on another device. Answers with
  /// the device of each.
  caf::result<Status, ResourcePlaces> place(const PlaceResources& request);
  /// Removes resources of those containers that their tasks do not hold any more.
  caf::result<Status> reconcile(const Reconcile& request);

  /// Calls back once the index is complete: at once, or when all tasks have listed their resources.
  /// An error names a task that did not answer.
  void when_complete(DoneStatus then);
  /// The index may lack resources of tasks that it has not asked.
  void mark_incomplete() { is_complete_ = false; }
  /// Removes all resources of the task.
  void forget(const TaskKey& task);

 private:
  struct Place {
    std::string device;
    uint64_t requested;  // the number of the latest request for the resource
    bool is_pinned;      // by some graph, or unknown: this service did not place it
  };
  using Listed = std::function<void(Result<HeldResources>)>;

  using Answer = std::function<ResourcePlaces()>;

  caf::result<Status, ResourcePlaces> answer(
      const std::vector<ResourceName>& names, bool is_pinned, Answer answer);
  ResourcePlaces places_of(const std::vector<ResourceName>& names) const;
  ResourcePlaces place_all(const PlaceResources& request);
  void list_all_tasks();
  void task_listed(const Status& status);
  void answer_waiting(const Status& status);
  void list_if_reachable(const TaskKey& task, Listed then);
  void list(const TaskKey& task, Listed then);
  void forget_dead(const std::vector<ResourceName>& names, std::function<void()> then);
  void forget_placed(const std::vector<ResourceName>& names, uint64_t before);
  void forget_dropped(
      const TaskKey& task, const Reconcile& request, const HeldResources& held, uint64_t before);

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  PeerMonitor* peers_ = nullptr;
  std::map<ResourceName, Place> places_;
  uint64_t requests_ = 0;
  bool is_complete_ = false;
  std::vector<DoneStatus> waiting_;  // for the index to be complete
  ClusterSpec listed_cluster_;       // whose tasks are being asked
  size_t lists_pending_ = 0;
  Status list_status_;
};

}  // namespace troupe
