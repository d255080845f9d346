#include "troupe/actors/peers.hpp"

#include <algorithm>
#include <vector>

#include "troupe/actors/error.hpp"
#include "troupe/graph/device_name.hpp"

namespace troupe {

void Peers::begin(TaskMailbox::pointer self, const TaskSettings& settings, Met met, Lost lost) {
  self_ = self;
  settings_ = &settings;
  met_ = std::move(met);
  lost_ = std::move(lost);
}

std::string Peers::my_name() const { return task_name(me.job, me.task); }

// -- the first words

caf::result<Status, TaskDescription> Peers::greet(const Hello& hello) {
  auto refuse = [](const std::string& why) {
    return caf::result<Status, TaskDescription>(failed_precondition(why), TaskDescription());
  };
  auto caller = task_name(hello.from_job, hello.from_task);
  auto taken_for = task_name(hello.to_job, hello.to_task);
  if (hello.version != protocol_version)
    return refuse(
        my_name() + " speaks version " + std::to_string(protocol_version) +
        " of the protocol between nodes, the caller " + std::to_string(hello.version));
  if (hello.cluster != settings_->cluster_name)
    return refuse(
        my_name() + " belongs to the cluster '" + settings_->cluster_name + "', but " + caller +
        " to '" + hello.cluster + "'");
  if (taken_for != my_name())
    return refuse(
        caller + " expected " + taken_for + " here, but this is " + my_name() +
        ": check the addresses of the cluster");
  for (size_t i = 0; i < me.devices.size(); ++i)
    me.devices[i].memory_in_use = settings_->devices[i]->allocator().use().bytes_in_use;
  if (self_->current_sender() && self_->current_sender() != self_->ctrl()) {
    auto task = caf::actor_cast<TaskActor>(self_->current_sender());
    watch(task, caller, hello.from_incarnation);
    met_(task, hello.change);
  }
  return {Status(), me};
}

Hello Peers::hello_to(const TaskKey& key) const {
  return {
      .cluster = settings_->cluster_name,
      .from_job = me.job,
      .from_task = me.task,
      .from_incarnation = me.incarnation,
      .version = protocol_version,
      .to_job = key.first,
      .to_task = key.second,
      .change = me.change};
}

// -- finding

caf::result<Status, TaskDescription> Peers::find(const FindTask& call) {
  if (call.job == me.job && call.task == me.task) return {Status(), me};
  auto address = settings_->config.cluster.task_address(call.job, call.task);
  if (!address) return {address.status(), TaskDescription()};
  auto& peer = peers_[{call.job, call.task}];
  if (peer.actor) return {Status(), peer.description};
  auto promise = peer.waiting.owe(
      self_->make_response_promise<Status, TaskDescription>(),
      Counted(settings_->gauges, &Gauges::finds));
  if (peer.waiting.size() == 1) connect(call, *address);
  return promise;
}

void Peers::connect(const FindTask& call, const Address& address) {
  // Others may join the wait who are more patient than the first.
  auto timeout = std::max(call.timeout, settings_->connect_timeout);
  TaskKey key{call.job, call.task};
  settings_->world->connect(
      address, timeout,
      in_turn_of<Result<caf::strong_actor_ptr>>(
          self_, [this, key, timeout](const Result<caf::strong_actor_ptr>& found) {
            if (found) greet(key, caf::actor_cast<TaskActor>(*found), timeout);
            else fail(key, found.status());
          }));
}

void Peers::greet(const TaskKey& key, const TaskActor& actor, std::chrono::milliseconds timeout) {
  self_->request(actor, timeout, hello_to(key))
      .then(
          [this, key, actor](Status& status, TaskDescription& description) {
            if (!status.ok()) return fail(key, status);
            auto& peer = peers_[key];
            peer.actor = actor;
            peer.description = std::move(description);
            watch(actor, task_name(key.first, key.second), peer.description.incarnation);
            met_(actor, peer.description.change);
            peer.waiting.answer_all(Status(), peer.description);
          },
          [this, key](caf::error& error) { fail(key, to_status(error)); });
}

// Always by way of the mailbox, which keeps the order of calls.
void Peers::reach(const TaskKey& key, std::chrono::milliseconds timeout, Reached then) {
  auto me_myself = caf::actor_cast<TaskActor>(self_);
  // The search ends by itself, but others may have begun it who are more patient.
  caf::duration limit =
      timeout < settings_->connect_timeout ? caf::duration(timeout) : caf::infinite;
  self_->request(me_myself, limit, FindTask{key.first, key.second, timeout})
      .then(
          [this, key, me_myself, then](const Status& status, const TaskDescription&) {
            if (!status.ok()) return then(status);
            if (key == TaskKey(me.job, me.task)) return then(me_myself);
            auto peer = actor_of(key);
            if (!peer) return then(unreachable(key, unavailable("lost")));
            then(peer);
          },
          [key, then](const caf::error& error) { then(unreachable(key, to_status(error))); });
}

void Peers::find_living(const TaskKey& key, std::chrono::milliseconds timeout, DoneStatus then) {
  auto address = settings_->config.cluster.task_address(key.first, key.second);
  if (!address) return then(address.status());
  if (key == TaskKey(me.job, me.task) || actor_of(key)) return then({});
  settings_->world->probe(
      *address, std::min(timeout, patience()),
      in_turn_of<Result<uint64_t>>(self_, [key, then](const Result<uint64_t>& life) {
        then(life ? Status() : unreachable(key, life.status()));
      }));
}

std::chrono::milliseconds Peers::patience() const {
  auto limit = settings_->heartbeat_limit;
  return limit.count() == 0 ? settings_->connect_timeout
                            : std::min(limit, settings_->connect_timeout);
}

Status Peers::unreachable(const TaskKey& key, const Status& why) {
  auto name = task_name(key.first, key.second);
  return Status(
      why.code(), "cannot reach " + name + ": " + why.message(),
      {.node = "", .op = "", .device = "", .task = name});
}

/// The peer cannot be reached, or not any more; the next who asks tries again (PE-1).
void Peers::fail(const TaskKey& key, const Status& why) {
  auto peer = peers_.extract(key);
  if (peer) peer.mapped().waiting.answer_all(unreachable(key, why), TaskDescription());
}

TaskActor Peers::actor_of(const TaskKey& key) const {
  auto peer = peers_.find(key);
  return peer == peers_.end() ? TaskActor() : peer->second.actor;
}

// -- watching

void Peers::watch(const TaskActor& actor, const std::string& name, uint64_t incarnation) {
  auto earlier_life = std::ranges::find_if(watched_, [&](const auto& entry) {
    return entry.second.name == name && entry.first != actor.address();
  });
  if (earlier_life != watched_.end())
    lose(caf::actor_addr(earlier_life->first), "it has restarted");
  auto [watched, is_new] = watched_.emplace(
      actor.address(), Watched{
                           .actor = actor,
                           .name = name,
                           .incarnation = incarnation,
                           .heard = settings_->world->now()});
  if (!is_new) return;
  self_->monitor(actor);
  set_timer();
}

void Peers::answer(const Ping& ping) {
  if (!self_->current_sender()) return;
  auto peer = caf::actor_cast<TaskActor>(self_->current_sender());
  watch(
      peer, ping.from, ping.from_incarnation);  // again, where it was given up and was only silent
  met_(peer, ping.change);
  self_->send(peer, Pong{});
}

void Peers::heard() {
  if (!self_->current_sender()) return;
  auto watched = watched_.find(self_->current_sender()->address());
  if (watched != watched_.end()) watched->second.heard = settings_->world->now();
}

void Peers::probe(const Watched& silent) {
  auto name = DeviceName::parse(silent.name);
  if (!name || !name->job || !name->task) return;
  auto address = settings_->config.cluster.task_address(*name->job, *name->task);
  if (!address) return;  // it knows this task, but not the other way round
  settings_->world->probe(
      *address, settings_->heartbeat_limit,
      in_turn_of<Result<uint64_t>>(
          self_, [this, task = silent.actor.address()](const Result<uint64_t>& incarnation) {
            if (incarnation) heard_of(task, *incarnation);
          }));
}

void Peers::heard_of(const caf::actor_addr& task, uint64_t incarnation) {
  auto watched = watched_.find(task);
  if (watched != watched_.end() && watched->second.incarnation == incarnation)
    watched->second.heard = settings_->world->now();
}

/// One timer serves all: it ends when it is time to ask again, or when the longest silence becomes
/// too long, so a loss is noticed at the limit and not at the next question after it.
void Peers::set_timer() {
  World::Time limit = settings_->heartbeat_limit;
  if (timer_runs_ || watched_.empty() || limit.count() == 0) return;
  auto now = settings_->world->now();
  auto due = now + limit / 4;
  for (const auto& [task, watched] : watched_) due = std::min(due, watched.heard + limit);
  timer_runs_ = true;
  timer_due_ = std::max(due, now);
  settings_->world->after(
      timer_due_ - now, caf::actor_cast<caf::strong_actor_ptr>(self_), caf::make_message(Beat{}));
}

void Peers::beat() {
  timer_runs_ = false;
  World::Time limit = settings_->heartbeat_limit;
  auto now = settings_->world->now();
  if (now - timer_due_ > limit / 4)  // PE-2
    for (auto& [task, watched] : watched_) watched.heard = now;
  std::vector<caf::actor_addr> silent;
  for (const auto& [task, watched] : watched_)
    if (now - watched.heard >= limit) silent.push_back(task);
  auto limit_ms = std::to_string(settings_->heartbeat_limit.count());
  for (const auto& task : silent) lose(task, "it has not answered for " + limit_ms + " ms");
  for (const auto& [task, watched] : watched_) {
    self_->send(watched.actor, Ping{my_name(), me.incarnation, me.change});
    if (now - watched.heard >= limit / 4) probe(watched);
  }
  set_timer();
}

void Peers::ended(const caf::actor_addr& task) {
  lose(task, "its process ended or the connection to it broke");
}

void Peers::lose(const caf::actor_addr& task, const std::string& why) {
  auto gone = watched_.extract(task);
  if (!gone) return;
  self_->demonitor(task);
  auto found = std::ranges::find_if(peers_, [&task](const auto& peer) {
    return peer.second.actor && peer.second.actor.address() == task;
  });
  if (found != peers_.end()) peers_.erase(found);
  lost_({gone.mapped().name, why});
}

}  // namespace troupe
