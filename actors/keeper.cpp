#include "troupe/actors/keeper.hpp"

#include <algorithm>
#include <set>

#include "troupe/actors/error.hpp"
#include "troupe/graph/device_name.hpp"

namespace troupe {
namespace {

TaskKey task_of(const std::string& device) {
  auto name = DeviceName::parse(device);
  if (!name || !name->job || !name->task) return {};
  return {*name->job, *name->task};
}

}  // namespace

void Keeper::begin(TaskMailbox::pointer self, const TaskSettings& settings, Peers& peers) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
}

// -- claims

caf::result<Status, Homes> Keeper::claim(const Claim& claim) {
  if (claim.names.size() != claim.devices.size())
    return {invalid_argument("a claim needs a device for each name"), Homes()};
  for (const auto& device : claim.devices)
    if (task_of(device) == TaskKey())
      return {invalid_argument("'" + device + "' is no device to live on"), Homes()};
  if (claim.is_pinned) return {Status(), take(claim)};
  auto promise = self_->make_response_promise<Status, Homes>();
  when_known([this, claim, promise](const Status& status) mutable {
    promise.deliver(status, status.ok() ? take(claim) : Homes());
  });
  return promise;
}

Homes Keeper::take(const Claim& claim) {
  Homes answer;
  for (size_t i = 0; i < claim.names.size(); ++i) {
    auto& home = homes_.try_emplace(claim.names[i], Home{claim.devices[i], 0}).first->second;
    home.claimed = ++claims_;
    answer.devices.push_back(home.device);
  }
  return answer;
}

// -- learning

void Keeper::when_known(DoneStatus then) {
  if (knows_all_) return then({});
  waiting_.push_back(std::move(then));
  if (waits_for_ == 0) learn();
}

/// Asks all for what they hold. Whoever holds more later has to claim it here first.
void Keeper::learn() {
  learning_ = {};
  waits_for_ = 1;
  asked_ = settings_->config.cluster;
  for (const auto& [job, tasks] : asked_.jobs())
    for (const auto& [index, address] : tasks) {
      ++waits_for_;
      ask_held({job, index}, [this](const Result<Held>& held) {
        for (size_t i = 0; held && i < held->names.size() && i < held->devices.size(); ++i)
          homes_.try_emplace(held->names[i], Home{held->devices[i], 0});
        learned(held.status());
      });
    }
  learned({});
}

void Keeper::learned(const Status& status) {
  if (learning_.ok()) learning_ = status;
  else if (!status.ok()) learning_ = learning_.with_note(status.message());
  if (--waits_for_ > 0) return;
  // Some of them may have known of others.
  if (learning_.ok() && asked_ != settings_->config.cluster) return learn();
  knows_all_ = learning_.ok();
  if (knows_all_) return answer_waiting({});
  answer_waiting(Status(
      learning_.code(),
      "nobody can tell where things live that no graph pins, as long as it is not known what " +
          learning_.where().task + " holds: " + learning_.message(),
      learning_.where()));
}

void Keeper::answer_waiting(const Status& status) {
  for (auto& then : std::exchange(waiting_, {})) then(status);
}

/// What a task holds: nothing, if it is dead.
void Keeper::ask_held(const TaskKey& key, Listed then) {
  peers_->find_living(key, peers_->patience(), [this, key, then](const Status& status) {
    if (status.ok()) list_held(key, then);
    else if (status.code() == Code::not_found) then(Held());
    else then(status);
  });
}

void Keeper::list_held(const TaskKey& key, Listed then) {
  auto timeout = peers_->patience();
  peers_->reach(key, timeout, [this, key, timeout, then](const Result<TaskActor>& task) {
    if (!task) return then(task.status());
    self_->request(*task, timeout, ListHeld{})
        .then(
            [then](Held& held) { then(std::move(held)); },
            [key, then](const caf::error& error) {
              then(Peers::unreachable(key, to_status(error)));
            });
  });
}

// -- reconciling

caf::result<Status> Keeper::reconcile(const Reconcile& message) {
  std::set<TaskKey> holders;
  for (const auto& [name, home] : homes_)
    if (message.containers.contains(name.container)) holders.insert(task_of(home.device));
  auto promise = self_->make_response_promise<Status>();
  // Held by each answer's callback.
  std::shared_ptr<void> last(nullptr, [promise](void*) mutable { promise.deliver(Status()); });
  for (const auto& holder : holders)
    ask_held(holder, [this, holder, message, before = claims_, last](const Result<Held>& held) {
      if (held) forget(holder, message, *held, before);
    });
  return promise;
}

void Keeper::forget(const TaskKey& key) {
  std::erase_if(homes_, [&](const auto& entry) { return task_of(entry.second.device) == key; });
}

/// What is not held is forgotten, unless it was claimed after the question.
void Keeper::forget(
    const TaskKey& key, const Reconcile& message, const Held& held, uint64_t before) {
  std::set<ResourceName> kept(held.names.begin(), held.names.end());
  std::erase_if(homes_, [&](const auto& entry) {
    const auto& [name, home] = entry;
    return task_of(home.device) == key && home.claimed <= before && !kept.contains(name) &&
           message.containers.contains(name.container);
  });
}

}  // namespace troupe
