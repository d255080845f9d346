#include "troupe/actors/directory.hpp"

#include <algorithm>

#include "troupe/graph/check.hpp"
#include "troupe/graph/device_name.hpp"

namespace troupe {
namespace {

constexpr std::string_view private_prefix = "_session/";

Status lives_elsewhere(const ResourceName& name, const std::string& home, const std::string& here) {
  return failed_precondition(
      "'" + name.name + "' of container '" + name.container + "' lives on " + home +
      ", but the graph has it on " + here +
      "; drop the wish for a device, reset the container, or choose another name");
}

}  // namespace

void Directory::begin(TaskMailbox::pointer self, const TaskSettings& settings, Peers& peers) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
  keeper_.begin(self, settings, peers);
  if (settings.joined) {
    keeper_task_ = {settings.joined->keeper_job, settings.joined->keeper_task};
    return;
  }
  const auto& jobs = settings.config.cluster.jobs();
  auto first = std::ranges::find_if(jobs, [](const auto& job) { return !job.second.empty(); });
  CHECK(first != jobs.end());
  keeper_task_ = {first->first, first->second.begin()->first};
}

// -- asking

caf::result<Status, Homes> Directory::claim(const Claim& claim) {
  if (is_keeper()) return keeper_.claim(claim);
  if (!claim.is_pinned) return forward_to_keeper<Homes>(claim);
  auto promise = self_->make_response_promise<Status, Homes>();
  ask_keeper_if_there(claim, [promise](Status status, Homes homes) mutable {
    promise.deliver(std::move(status), std::move(homes));
  });
  return promise;
}

/// Does not wait for a keeper that is dead or silent.
void Directory::ask_keeper_if_there(const Claim& claim, Answered then) {
  peers_->find_living(keeper_task_, peers_->patience(), [this, claim, then](const Status& status) {
    if (status.ok()) ask_keeper<Homes>(claim, then);
    else then(unavailable(status.message()), Homes());
  });
}

caf::result<Status> Directory::reconcile(const Reconcile& message) {
  return is_keeper() ? keeper_.reconcile(message) : forward_to_keeper<>(message);
}

Status Directory::unaskable(const Status& why) const {
  auto name = task_name(keeper_task_.first, keeper_task_.second);
  return Status(
      why.code(),
      name + " keeps the directory of what lives where, and cannot be asked: " + why.message(),
      {.node = "", .op = "", .device = "", .task = name});
}

// -- holding

/// Who asks is the keeper, of a new life perhaps: what an earlier one has said is doubtful now.
Held Directory::list_held() {
  ++changes_;
  Held held;
  for (const auto& [name, device] : settings_->inventory->all()) {
    held.names.push_back(name);
    held.devices.push_back(device);
  }
  return held;
}

void Directory::hold(
    const std::string& device, const std::vector<ResourceUse>& uses, DoneStatus then) {
  Names pinned, unpinned;
  for (const auto& use : uses) {
    if (is_private(use.name.container)) continue;
    auto home = settings_->inventory->device_of(use.name);
    if (home.empty()) (use.is_pinned ? pinned : unpinned).push_back(use.name);
    else if (home != device) return then(lives_elsewhere(use.name, home, device));
  }
  hold_new(device, unpinned, /*is_pinned=*/false, [=, this](const Status& status) {
    if (!status.ok()) return then(status);
    hold_new(device, pinned, /*is_pinned=*/true, then);
  });
}

void Directory::hold_new(
    const std::string& device, const Names& names, bool is_pinned, DoneStatus then) {
  if (names.empty()) return then({});
  Claim claim{
      .names = names,
      .devices = std::vector<std::string>(names.size(), device),
      .is_pinned = is_pinned};
  auto answered = [=, this, changes = changes_](const Status& status, const Homes& homes) {
    if (changes != changes_) return hold_new(device, names, is_pinned, then);
    // DI-2
    auto why = status.code();
    auto is_alone = is_pinned && (why == Code::unavailable || why == Code::deadline_exceeded);
    if (!status.ok() && !is_alone) return then(status);
    if (status.ok() && homes.devices.size() != names.size())
      return then(internal("the keeper's answer has another number of devices"));
    for (size_t i = 0; status.ok() && i < names.size(); ++i)
      if (homes.devices[i] != device)
        return then(
            is_pinned ? lives_elsewhere(names[i], homes.devices[i], device)
                      : aborted(
                            "'" + names[i].name + "' of container '" + names[i].container +
                            "' has got its place on " + homes.devices[i] + " meanwhile"));
    for (const auto& name : names) settings_->inventory->add(name, device);
    then({});
  };
  if (is_pinned) ask_keeper_if_there(claim, answered);
  else ask_keeper<Homes>(claim, answered);
}

void Directory::release(const ContainerChoice& containers) {
  ++changes_;
  settings_->inventory->drop(containers);
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
