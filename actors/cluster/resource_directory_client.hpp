#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/cluster/peer_monitor.hpp"
#include "troupe/actors/cluster/resource_directory_service.hpp"
#include "troupe/actors/container/task_containers.hpp"
#include "troupe/actors/error.hpp"

namespace troupe {

/// One task's access to the cluster-wide index of which device holds each resource. The index is
/// kept by the ResourceDirectoryService of one task, the directory task: the first task of the
/// cluster by job and index, as this task knew the cluster at its start. (A task that has the
/// directory of an earlier task forwards to it; a task that joins a running cluster is told which
/// one it is.) This asks that service where resources are, and claims a place for each resource
/// before a container of this task holds it. Belongs to the task actor.
///
/// DI-1: an unpinned resource (one that no graph pins to a device) is committed here only after the
///       service, in its present incarnation, has placed it here.
/// DI-2: a resource pinned to this task is also committed while the service cannot be reached.
/// DI-3: a place that was claimed for a resource that then no container holds is given back. (If
///       the service cannot be asked, the place stays in its index, and the resource is made
///       there.)
class ResourceDirectoryClient {
 public:
  void begin(
      TaskProtocol::pointer self, const TaskSettings& settings, PeerMonitor& peers,
      TaskContainers& containers);

  // As the service answers, which may be on another task.
  caf::result<Status, ResourcePlaces> find(const FindResources& request);
  caf::result<Status, ResourcePlaces> place(const PlaceResources& request);
  caf::result<Status> reconcile(const Reconcile& request);

  /// Answers the service with what the containers of this task hold.
  caf::result<HeldResources> list_held();

  bool is_directory_task() const {
    return directory_task_ == TaskKey(peers_->me.job, peers_->me.task);
  }
  const TaskKey& directory_task() const { return directory_task_; }
  /// Used on the directory task only.
  ResourceDirectoryService& service() { return service_; }
  /// Sends a request to the directory task from another task; an error names the directory task.
  template <class... Answer, class Message>
  void ask_service(
      const Message& message, std::type_identity_t<std::function<void(Status, Answer...)>> then);
  /// Answers the present request with the answer of the directory task.
  template <class... Answer, class Message>
  caf::result<Status, Answer...> forward_to_service(const Message& message);

  /// Has the service place new resources on a device of this task. FailedPrecondition: a graph pins
  /// one to this device that is on another. Aborted: an unpinned one is on another device.
  void claim(const std::string& device, const NewResources& resources, DoneStatus then);
  /// Fails if one of the pinned resources is known to be on another device than this. Asks the
  /// service only if it can be reached, and places nothing.
  void check_pinned(const std::string& device, const NewResources& resources, DoneStatus then);
  /// Has the service forget the places of those resources that no container of this task holds,
  /// then calls back.
  void give_back(
      const NewResources& resources, std::function<void()> then = [] {});
  /// Drops the resources of those containers of this task, then calls back. Answers of the service
  /// to earlier claims are out of date.
  void drop(const ContainerChoice& chosen, std::function<void()> then);

 private:
  using Names = std::vector<ResourceName>;
  using Placed = std::function<void(Status, ResourcePlaces)>;

  template <class Request>
  caf::result<Status, ResourcePlaces> forward_if_reachable(const Request& request);
  template <class Request>
  void ask_service_if_reachable(const Request& request, Placed then);
  Status service_error(const Status& why) const;
  void claim(const std::string& device, const Names& names, bool is_pinned, DoneStatus then);

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  PeerMonitor* peers_ = nullptr;
  TaskContainers* containers_ = nullptr;
  TaskKey directory_task_;
  ResourceDirectoryService service_;
  uint64_t generation_ = 0;  // another one: the service's earlier answers may be out of date
};

template <class... Answer, class Message>
void ResourceDirectoryClient::ask_service(
    const Message& message, std::type_identity_t<std::function<void(Status, Answer...)>> then) {
  auto timeout = settings_->connect_timeout;
  peers_->reach(directory_task_, timeout, [=, this](const Result<TaskActor>& task) {
    if (!task) return then(service_error(task.status()), Answer()...);
    self_->request(*task, 4 * timeout, message)
        .then(
            [then](Status& status, Answer&... answer) {
              then(std::move(status), std::move(answer)...);
            },
            [this, then](const caf::error& error) {
              then(service_error(to_status(error)), Answer()...);
            });
  });
}

template <class... Answer, class Message>
caf::result<Status, Answer...> ResourceDirectoryClient::forward_to_service(const Message& message) {
  auto promise = self_->make_response_promise<Status, Answer...>();
  ask_service<Answer...>(message, [promise](Status status, Answer... answer) mutable {
    promise.deliver(std::move(status), std::move(answer)...);
  });
  return promise;
}

}  // namespace troupe
