#include "troupe/actors/cluster/directory.hpp"

#include <algorithm>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

constexpr std::string_view private_prefix = "_session/";

Status placed_elsewhere(
    const ResourceName& name, const std::string& device, const std::string& requested) {
  return failed_precondition(
      "resource '" + name.name + "' of container '" + name.container + "' is placed on " + device +
      ", but the graph places it on " + requested +
      "; remove the device constraint, reset the container, or choose another name");
}

}  // namespace

void Directory::begin(TaskProtocol::pointer self, const TaskSettings& settings, Peers& peers) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
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

caf::result<Status, ResourcePlaces> Directory::place(const PlaceResources& request) {
  if (is_directory_task()) return service_.place(request);
  if (!request.is_pinned) return forward_to_service<ResourcePlaces>(request);
  auto promise = self_->make_response_promise<Status, ResourcePlaces>();
  ask_service_if_reachable(request, [promise](Status status, ResourcePlaces places) mutable {
    promise.deliver(std::move(status), std::move(places));
  });
  return promise;
}

/// Does not wait for a directory task that is dead or silent.
void Directory::ask_service_if_reachable(const PlaceResources& request, Placed then) {
  peers_->check_reachable(
      directory_task_, peers_->probe_timeout(), [this, request, then](const Status& status) {
        if (status.ok()) ask_service<ResourcePlaces>(request, then);
        else then(unavailable(status.message()), ResourcePlaces());
      });
}

caf::result<Status> Directory::reconcile(const Reconcile& request) {
  return is_directory_task() ? service_.reconcile(request) : forward_to_service<>(request);
}

Status Directory::service_error(const Status& why) const {
  auto name = task_name(directory_task_.first, directory_task_.second);
  return Status(
      why.code(), "the directory service on " + name + " cannot be asked: " + why.message(),
      {.node = "", .op = "", .device = "", .task = name});
}

// -- the resources of this task

/// Called by the directory service. It may be in a new incarnation, so what an earlier one answered
/// is not used any more.
HeldResources Directory::list_held() {
  ++generation_;
  HeldResources held;
  for (const auto& [name, device] : settings_->resource_index->all()) {
    held.names.push_back(name);
    held.devices.push_back(device);
  }
  return held;
}

void Directory::place_here(
    const std::string& device, const std::vector<ResourceUse>& uses, DoneStatus then) {
  Names pinned, unpinned;
  for (const auto& use : uses) {
    if (is_private(use.name.container)) continue;
    auto placed_on = settings_->resource_index->device_of(use.name);
    if (placed_on.empty()) (use.is_pinned ? pinned : unpinned).push_back(use.name);
    else if (placed_on != device) return then(placed_elsewhere(use.name, placed_on, device));
  }
  place_new_here(device, unpinned, /*is_pinned=*/false, [=, this](const Status& status) {
    if (!status.ok()) return then(status);
    place_new_here(device, pinned, /*is_pinned=*/true, then);
  });
}

void Directory::place_new_here(
    const std::string& device, const Names& names, bool is_pinned, DoneStatus then) {
  if (names.empty()) return then({});
  PlaceResources request{
      .names = names,
      .devices = std::vector<std::string>(names.size(), device),
      .is_pinned = is_pinned};
  auto placed = [=, this, generation = generation_](
                    const Status& status, const ResourcePlaces& places) {
    if (generation != generation_) return place_new_here(device, names, is_pinned, then);
    auto code = status.code();
    auto is_unreachable = code == Code::unavailable || code == Code::deadline_exceeded;
    if (!status.ok() && !(is_pinned && is_unreachable)) return then(status);  // DI-2
    if (status.ok() && places.devices.size() != names.size())
      return then(internal("the directory service answered with a wrong number of devices"));
    for (size_t i = 0; status.ok() && i < names.size(); ++i)
      if (places.devices[i] != device)
        return then(
            is_pinned ? placed_elsewhere(names[i], places.devices[i], device)
                      : aborted(
                            "resource '" + names[i].name + "' of container '" + names[i].container +
                            "' was placed on " + places.devices[i] + " meanwhile"));
    for (const auto& name : names) settings_->resource_index->add(name, device);
    then({});
  };
  if (is_pinned) ask_service_if_reachable(request, placed);
  else ask_service<ResourcePlaces>(request, placed);
}

void Directory::release(const ContainerChoice& containers) {
  ++generation_;
  settings_->resource_index->drop(containers);
}

// -- private containers

std::string private_container(uint64_t session, const std::string& container) {
  return std::string(private_prefix) + std::to_string(session) + "/" + container;
}

bool is_private(const std::string& container) { return container.starts_with(private_prefix); }

bool is_private_of(uint64_t session, const std::string& container) {
  return container.starts_with(private_container(session, ""));
}

}  // namespace troupe
