#include "troupe/actors/cluster/resource_directory_service.hpp"

#include <algorithm>
#include <set>

#include "troupe/actors/error.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe {
namespace {

TaskKey task_of(const std::string& device) {
  auto name = DeviceName::parse(device);
  if (!name || !name->job || !name->task) return {};
  return {*name->job, *name->task};
}

}  // namespace

void ResourceDirectoryService::begin(
    TaskProtocol::pointer self, const TaskSettings& settings, PeerMonitor& peers) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
}

// -- finding and placing

caf::result<Status, ResourcePlaces> ResourceDirectoryService::find(const FindResources& request) {
  return answer(
      request.names, request.is_pinned, [this, names = request.names] { return places_of(names); });
}

caf::result<Status, ResourcePlaces> ResourceDirectoryService::place(const PlaceResources& request) {
  if (request.names.size() != request.devices.size())
    return {invalid_argument("PlaceResources needs a device for each name"), ResourcePlaces()};
  for (const auto& device : request.devices)
    if (task_of(device) == TaskKey())
      return {invalid_argument("'" + device + "' is no name of a device"), ResourcePlaces()};
  return answer(request.names, request.is_pinned, [this, request] { return place_all(request); });
}

/// Answers a request about pinned resources at once, others when the index is complete and without
/// the places on dead tasks.
caf::result<Status, ResourcePlaces> ResourceDirectoryService::answer(
    const std::vector<ResourceName>& names, bool is_pinned, Answer answer) {
  if (is_pinned) return {Status(), answer()};
  auto promise = self_->make_response_promise<Status, ResourcePlaces>();
  auto deliver = [promise, answer = std::move(answer)](const Status& status) mutable {
    promise.deliver(status, status.ok() ? answer() : ResourcePlaces());
  };
  when_complete([this, names, deliver](const Status& status) mutable {
    if (!status.ok()) deliver(status);
    else forget_dead(names, [this, deliver] { when_complete(deliver); });  // as it is then
  });
  return promise;
}

ResourcePlaces ResourceDirectoryService::places_of(const std::vector<ResourceName>& names) const {
  ResourcePlaces places;
  for (const auto& name : names) {
    auto found = places_.find(name);
    places.devices.push_back(found == places_.end() ? "" : found->second.device);
  }
  return places;
}

ResourcePlaces ResourceDirectoryService::place_all(const PlaceResources& request) {
  auto places = places_of(request.names);
  for (size_t i = 0; i < request.names.size(); ++i)
    if (!places.devices[i].empty() && places.devices[i] != request.devices[i]) return places;
  for (size_t i = 0; i < request.names.size(); ++i) {
    auto placed = places_.find(request.names[i]);
    places_[request.names[i]] = {
        .device = request.devices[i],
        .requested = ++requests_,
        .is_pinned = request.is_pinned || (placed != places_.end() && placed->second.is_pinned)};
  }
  return {request.devices};
}

// -- completing the index

void ResourceDirectoryService::when_complete(DoneStatus then) {
  if (is_complete_) return then({});
  waiting_.push_back(std::move(then));
  if (lists_pending_ == 0) list_all_tasks();
}

/// Asks all tasks for the resources that they hold. A task that holds more later has to ask this
/// service first, so the lists need not be of the same moment.
void ResourceDirectoryService::list_all_tasks() {
  list_status_ = {};
  lists_pending_ = 1;
  listed_cluster_ = settings_->config.cluster;
  for (const auto& [job, tasks] : listed_cluster_.jobs())
    for (const auto& [index, address] : tasks) {
      ++lists_pending_;
      list_if_reachable({job, index}, [this](const Result<HeldResources>& held) {
        for (size_t i = 0; held && i < held->names.size() && i < held->devices.size(); ++i)
          places_.try_emplace(held->names[i], Place{held->devices[i], 0, /*is_pinned=*/true});
        task_listed(held.status());
      });
    }
  task_listed({});
}

void ResourceDirectoryService::task_listed(const Status& status) {
  if (list_status_.ok()) list_status_ = status;
  else if (!status.ok()) list_status_ = list_status_.with_note(status.message());
  if (--lists_pending_ > 0) return;
  // Their answers may have made tasks known that had joined the cluster.
  if (list_status_.ok() && listed_cluster_ != settings_->config.cluster) return list_all_tasks();
  is_complete_ = list_status_.ok();
  if (is_complete_) return answer_waiting({});
  answer_waiting(Status(
      list_status_.code(),
      "resources without a device constraint cannot be placed while it is unknown what " +
          list_status_.where().task + " holds: " + list_status_.message(),
      list_status_.where()));
}

void ResourceDirectoryService::answer_waiting(const Status& status) {
  for (auto& then : std::exchange(waiting_, {})) then(status);
}

/// The resources of a task: none, if it is dead.
void ResourceDirectoryService::list_if_reachable(const TaskKey& task, Listed then) {
  peers_->check_reachable(task, peers_->probe_timeout(), [this, task, then](const Status& status) {
    if (status.ok()) list(task, then);
    else if (status.code() == Code::not_found) then(HeldResources());
    else then(status);
  });
}

void ResourceDirectoryService::list(const TaskKey& task, Listed then) {
  auto timeout = peers_->probe_timeout();
  peers_->reach(task, timeout, [this, task, timeout, then](const Result<TaskActor>& actor) {
    if (!actor) return then(actor.status());
    self_->request(*actor, timeout, ListHeldResources{})
        .then(
            [then](HeldResources& held) { then(std::move(held)); },
            [task, then](const caf::error& error) {
              then(PeerMonitor::unreachable(task, to_status(error)));
            });
  });
}

// -- forgetting

caf::result<Status> ResourceDirectoryService::reconcile(const Reconcile& request) {
  std::set<TaskKey> holders;
  for (const auto& [name, place] : places_)
    if (request.containers.contains(name.container)) holders.insert(task_of(place.device));
  auto promise = self_->make_response_promise<Status>();
  // Each callback owns a share of `last`; the promise is delivered when the last one is released.
  std::shared_ptr<void> last(nullptr, [promise](void*) mutable { promise.deliver(Status()); });
  for (const auto& holder : holders)
    list_if_reachable(
        holder,
        [this, holder, request, before = requests_, last](const Result<HeldResources>& held) {
          if (held) forget_dropped(holder, request, *held, before);
        });
  return promise;
}

/// Forgets the unpinned resources among those whose tasks are dead, then calls back. A watched task
/// is not dead, as far as is known.
void ResourceDirectoryService::forget_dead(
    const std::vector<ResourceName>& names, std::function<void()> then) {
  std::map<TaskKey, std::vector<ResourceName>> unwatched;
  for (const auto& name : names) {
    auto found = places_.find(name);
    if (found == places_.end() || found->second.is_pinned) continue;
    auto task = task_of(found->second.device);
    if (!peers_->watches(task)) unwatched[task].push_back(name);
  }
  if (unwatched.empty()) return then();
  auto pending = std::make_shared<size_t>(unwatched.size());
  for (const auto& [task, held] : unwatched)
    peers_->check_reachable(
        task, peers_->probe_timeout(),
        [this, held, before = requests_, pending, then](const Status& status) {
          if (status.code() == Code::not_found) forget_placed(held, before);
          if (--*pending == 0) then();
        });
}

/// Forgets the places of those resources, unless they were placed anew after request `before`.
void ResourceDirectoryService::forget_placed(
    const std::vector<ResourceName>& names, uint64_t before) {
  for (const auto& name : names) {
    auto found = places_.find(name);
    if (found != places_.end() && found->second.requested <= before) places_.erase(found);
  }
}

void ResourceDirectoryService::forget(const TaskKey& task) {
  std::erase_if(places_, [&](const auto& entry) { return task_of(entry.second.device) == task; });
}

/// Removes the task's resources in those containers that it does not list as held, except those
/// requested after the list was (numbers above `before`).
void ResourceDirectoryService::forget_dropped(
    const TaskKey& task, const Reconcile& request, const HeldResources& held, uint64_t before) {
  std::set<ResourceName> kept(held.names.begin(), held.names.end());
  std::erase_if(places_, [&](const auto& entry) {
    const auto& [name, place] = entry;
    return task_of(place.device) == task && place.requested <= before && !kept.contains(name) &&
           request.containers.contains(name.container);
  });
}

}  // namespace troupe
