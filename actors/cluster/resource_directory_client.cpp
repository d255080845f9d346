#include "troupe/actors/cluster/resource_directory_client.hpp"

#include <algorithm>
#include <vector>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

/// The names of the pinned resources, or of the others, without those of single sessions.
std::vector<ResourceName> names_of(const NewResources& resources, bool is_pinned) {
  std::vector<ResourceName> names;
  for (const auto& made : resources)
    if (made.is_pinned == is_pinned && !is_private(made.name.container)) names.push_back(made.name);
  return names;
}

/// Fails unless the service has answered that all of them are on that device, or nowhere.
Status check_places(
    const std::vector<ResourceName>& names, const ResourcePlaces& places, const std::string& device,
    bool is_pinned) {
  if (places.devices.size() != names.size())
    return internal("the directory service answered with a wrong number of devices");
  for (size_t i = 0; i < names.size(); ++i) {
    const auto& other = places.devices[i];
    if (other.empty() || other == device) continue;
    return is_pinned ? placed_elsewhere(names[i], other, device)
                     : placed_meanwhile(names[i], other);
  }
  return {};
}

bool is_unreachable(const Status& status) {
  return status.code() == Code::unavailable || status.code() == Code::deadline_exceeded;
}

}  // namespace

void ResourceDirectoryClient::begin(
    TaskProtocol::pointer self, const TaskSettings& settings, PeerMonitor& peers,
    TaskContainers& containers) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
  containers_ = &containers;
  service_.begin(self, settings, peers);
  if (settings.joined) {
    directory_task_ = {settings.joined->directory_job, settings.joined->directory_task};
    return;
  }
  const auto& jobs = settings.config.cluster.jobs();
  auto first = std::ranges::find_if(jobs, [](const auto& job) { return !job.second.empty(); });
  CHECK(first != jobs.end());
  directory_task_ = {first->first, first->second.begin()->first};
}

// -- asking the service

caf::result<Status, ResourcePlaces> ResourceDirectoryClient::find(const FindResources& request) {
  if (is_directory_task()) return service_.find(request);
  if (!request.is_pinned) return forward_to_service<ResourcePlaces>(request);
  return forward_if_reachable(request);
}

caf::result<Status, ResourcePlaces> ResourceDirectoryClient::place(const PlaceResources& request) {
  if (is_directory_task()) return service_.place(request);
  if (!request.is_pinned) return forward_to_service<ResourcePlaces>(request);
  return forward_if_reachable(request);
}

template <class Request>
caf::result<Status, ResourcePlaces> ResourceDirectoryClient::forward_if_reachable(
    const Request& request) {
  auto promise = self_->make_response_promise<Status, ResourcePlaces>();
  ask_service_if_reachable(request, [promise](Status status, ResourcePlaces places) mutable {
    promise.deliver(std::move(status), std::move(places));
  });
  return promise;
}

/// Does not wait for a directory task that is dead or silent.
template <class Request>
void ResourceDirectoryClient::ask_service_if_reachable(const Request& request, Placed then) {
  peers_->check_reachable(
      directory_task_, peers_->probe_timeout(), [this, request, then](const Status& status) {
        if (status.ok()) ask_service<ResourcePlaces>(request, then);
        else then(unavailable(status.message()), ResourcePlaces());
      });
}

caf::result<Status> ResourceDirectoryClient::reconcile(const Reconcile& request) {
  return is_directory_task() ? service_.reconcile(request) : forward_to_service<>(request);
}

Status ResourceDirectoryClient::service_error(const Status& why) const {
  auto name = task_name(directory_task_.first, directory_task_.second);
  return Status(
      why.code(), "the directory service on " + name + " cannot be asked: " + why.message(),
      {.node = "", .op = "", .device = "", .task = name});
}

// -- the resources of this task

/// The service may be in a new incarnation, so what an earlier one answered is not used any more. A
/// claim that was granted before has reached its container, which lists the resource.
caf::result<HeldResources> ResourceDirectoryClient::list_held() {
  ++generation_;
  auto promise = self_->make_response_promise<HeldResources>();
  containers_->list_held(
      [promise](HeldResources held) mutable { promise.deliver(std::move(held)); });
  return promise;
}

void ResourceDirectoryClient::claim(
    const std::string& device, const NewResources& resources, DoneStatus then) {
  auto pinned = names_of(resources, /*is_pinned=*/true);
  auto unpinned = names_of(resources, /*is_pinned=*/false);
  claim(device, unpinned, /*is_pinned=*/false, [=, this](const Status& status) {
    // What is unpinned was placed, or the service was asked to and its answer is lost.
    if (is_unreachable(status)) give_back(resources);
    if (!status.ok()) return then(status);
    claim(device, pinned, /*is_pinned=*/true, [=, this](const Status& status) {
      if (!status.ok()) give_back(resources);
      then(status);
    });
  });
}

void ResourceDirectoryClient::claim(
    const std::string& device, const Names& names, bool is_pinned, DoneStatus then) {
  if (names.empty()) return then({});
  PlaceResources request{
      .names = names,
      .devices = std::vector<std::string>(names.size(), device),
      .is_pinned = is_pinned};
  auto placed = [=, this, generation = generation_](
                    const Status& status, const ResourcePlaces& places) {
    if (generation != generation_) return claim(device, names, is_pinned, then);
    if (is_pinned && is_unreachable(status)) return then({});  // DI-2
    then(status.ok() ? check_places(names, places, device, is_pinned) : status);
  };
  if (is_pinned) ask_service_if_reachable(request, placed);
  else ask_service<ResourcePlaces>(request, placed);
}

void ResourceDirectoryClient::check_pinned(
    const std::string& device, const NewResources& resources, DoneStatus then) {
  auto names = names_of(resources, /*is_pinned=*/true);
  if (names.empty()) return then({});
  FindResources request{.names = names, .is_pinned = true};
  ask_service_if_reachable(request, [=](const Status& status, const ResourcePlaces& places) {
    if (is_unreachable(status)) return then({});
    then(status.ok() ? check_places(names, places, device, /*is_pinned=*/true) : status);
  });
}

void ResourceDirectoryClient::drop(const ContainerChoice& chosen, std::function<void()> then) {
  ++generation_;
  containers_->reset(chosen, std::move(then));
}

void ResourceDirectoryClient::give_back(const NewResources& resources, std::function<void()> then) {
  Reconcile request;
  for (const auto& made : resources)
    if (!is_private(made.name.container) && !request.containers.contains(made.name.container))
      request.containers.names.push_back(made.name.container);
  if (request.containers.names.empty()) return then();
  self_->request(caf::actor_cast<TaskActor>(self_), caf::infinite, request)
      .then([then](const Status&) { then(); }, [then](const caf::error&) { then(); });
}

}  // namespace troupe
