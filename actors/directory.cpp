#include "troupe/actors/directory.hpp"

#include "troupe/actors/error.hpp"
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
  const auto& [job, tasks] = *settings.config.cluster.jobs().begin();
  keeper_task_ = {job, tasks.begin()->first};
}

bool Directory::is_keeper() const {
  return keeper_task_ == TaskKey(peers_->me.job, peers_->me.task);
}

// -- asking

caf::result<Status, Homes> Directory::claim(const Claim& claim) {
  if (is_keeper()) return keeper_.claim(claim);
  auto promise = self_->make_response_promise<Status, Homes>();
  auto answer = [promise](const Result<Homes>& homes) mutable {
    promise.deliver(homes.status(), homes ? *homes : Homes());
  };
  if (claim.is_pinned) ask_keeper_if_there(claim, answer);
  else ask_keeper(claim, answer);
  return promise;
}

void Directory::ask_keeper(const Claim& claim, Answered then) {
  auto timeout = settings_->connect_timeout;
  peers_->reach(keeper_task_, timeout, [=, this](const Result<TaskActor>& keeper) {
    auto name = task_name(keeper_task_.first, keeper_task_.second);
    auto fail = [then, name](const Status& why) {
      then(Status(
          why.code(),
          name + " keeps the directory of what lives where, and cannot be asked: " + why.message(),
          {.node = "", .op = "", .device = "", .task = name}));
    };
    if (!keeper) return fail(keeper.status());
    self_->request(*keeper, 4 * timeout, claim)
        .then(
            [then, claim](const Status& status, Homes& homes) {
              if (!status.ok()) then(status);
              else if (homes.devices.size() == claim.names.size()) then(std::move(homes));
              else then(internal("the keeper's answer has another number of devices"));
            },
            [fail](const caf::error& error) { fail(to_status(error)); });
  });
}

/// Does not wait for a keeper that is dead or silent.
void Directory::ask_keeper_if_there(const Claim& claim, Answered then) {
  peers_->find_living(keeper_task_, peers_->patience(), [this, claim, then](const Status& status) {
    if (status.ok()) ask_keeper(claim, then);
    else then(unavailable(status.message()));
  });
}

caf::result<Status> Directory::reconcile(const Reconcile& message) {
  if (is_keeper()) return keeper_.reconcile(message);
  auto promise = self_->make_response_promise<Status>();
  auto timeout = settings_->connect_timeout;
  peers_->reach(keeper_task_, timeout, [=, this](const Result<TaskActor>& keeper) mutable {
    if (!keeper) return void(promise.deliver(keeper.status()));
    self_->request(*keeper, 4 * timeout, message)
        .then(
            [promise](const Status& status) mutable { promise.deliver(status); },
            [promise](const caf::error& error) mutable { promise.deliver(to_status(error)); });
  });
  return promise;
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
  auto answered = [=, this, changes = changes_](const Result<Homes>& homes) {
    if (changes != changes_) return hold_new(device, names, is_pinned, then);
    // DI-2
    auto why = homes.status().code();
    auto is_alone = is_pinned && (why == Code::unavailable || why == Code::deadline_exceeded);
    if (!homes && !is_alone) return then(homes.status());
    for (size_t i = 0; homes && i < names.size(); ++i)
      if (homes->devices[i] != device)
        return then(
            is_pinned ? lives_elsewhere(names[i], homes->devices[i], device)
                      : aborted(
                            "'" + names[i].name + "' of container '" + names[i].container +
                            "' has got its place on " + homes->devices[i] + " meanwhile"));
    for (const auto& name : names) settings_->inventory->add(name, device);
    then({});
  };
  if (is_pinned) ask_keeper_if_there(claim, answered);
  else ask_keeper(claim, answered);
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
