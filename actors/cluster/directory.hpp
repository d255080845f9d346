#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/cluster/directory_service.hpp"
#include "troupe/actors/cluster/peers.hpp"
#include "troupe/actors/error.hpp"

namespace troupe {

/// One task's access to the cluster-wide index of which device holds each resource. The index is
/// kept by the DirectoryService of one task, the directory task: the first task of the cluster by
/// job and index, as this task knew the cluster at its start. (A task that has the directory of an
/// earlier task forwards to it; a task that joins a running cluster is told which one it is.)
/// Directory asks that service where resources are placed, and before a resource is created here.
/// Belongs to the task actor.
///
/// DI-1: an unpinned resource (one that no graph pins to a device) is created here only after the
///       service, in its present incarnation, has placed it here.
/// DI-2: a resource pinned to this task is also created while the service cannot be reached.
class Directory {
 public:
  void begin(TaskProtocol::pointer self, const TaskSettings& settings, Peers& peers);

  /// Answers with the device of each resource; those not placed yet are placed as requested.
  caf::result<Status, ResourcePlaces> place(const PlaceResources& request);
  caf::result<Status> reconcile(const Reconcile& request);
  HeldResources list_held();

  bool is_directory_task() const {
    return directory_task_ == TaskKey(peers_->me.job, peers_->me.task);
  }
  const TaskKey& directory_task() const { return directory_task_; }
  /// Used on the directory task only.
  DirectoryService& service() { return service_; }
  /// Sends a request to the directory task from another task; an error names the directory task.
  template <class... Answer, class Message>
  void ask_service(
      const Message& message, std::type_identity_t<std::function<void(Status, Answer...)>> then);
  /// Answers the present request with the answer of the directory task.
  template <class... Answer, class Message>
  caf::result<Status, Answer...> forward_to_service(const Message& message);

  /// Checks that the resources may be on that device of this task, and adds those that are new to
  /// the task's resource index, after the service has placed them here.
  void place_here(const std::string& device, const std::vector<ResourceUse>& uses, DoneStatus then);
  /// Removes the resources of those containers from the task's resource index.
  void release(const ContainerChoice& containers);

 private:
  using Names = std::vector<ResourceName>;
  using Placed = std::function<void(Status, ResourcePlaces)>;

  void ask_service_if_reachable(const PlaceResources& request, Placed then);
  Status service_error(const Status& why) const;
  void place_new_here(
      const std::string& device, const Names& names, bool is_pinned, DoneStatus then);

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Peers* peers_ = nullptr;
  TaskKey directory_task_;
  DirectoryService service_;
  uint64_t generation_ = 0;  // another one: the service's earlier answers may be out of date
};

template <class... Answer, class Message>
void Directory::ask_service(
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
caf::result<Status, Answer...> Directory::forward_to_service(const Message& message) {
  auto promise = self_->make_response_promise<Status, Answer...>();
  ask_service<Answer...>(message, [promise](Status status, Answer... answer) mutable {
    promise.deliver(std::move(status), std::move(answer)...);
  });
  return promise;
}

/// The name of a container that only an isolated session uses.
std::string private_container(uint64_t session, const std::string& container);
bool is_private(const std::string& container);
bool is_private_of(uint64_t session, const std::string& container);

}  // namespace troupe
