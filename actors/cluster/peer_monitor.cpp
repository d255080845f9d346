#include "troupe/actors/cluster/peer_monitor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "troupe/actors/error.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe {
namespace {

// Of a task, how many earlier incarnations are remembered; and of how many tasks.
constexpr size_t earlier_max = 8;
constexpr size_t incarnations_max = 10'000;
/// A timer that fires at least this late, and by at least an eighth of its duration, shows that
/// this process was suspended (PE-2).
constexpr World::Time suspension_min = std::chrono::milliseconds(10);

Status taken_over(const TaskKey& key) {
  return failed_precondition(
      "another process is " + task_name(key.first, key.second) +
      " now: the task was restarted, or is configured twice");
}

}  // namespace

void PeerMonitor::begin(
    TaskProtocol::pointer self, const TaskSettings& settings, Contacted contacted, Lost lost) {
  self_ = self;
  settings_ = &settings;
  contacted_ = std::move(contacted);
  lost_ = std::move(lost);
}

std::string PeerMonitor::my_name() const { return task_name(me.job, me.task); }

// -- hello

caf::result<Status, TaskDescription> PeerMonitor::answer_hello(const Hello& hello) {
  if (auto status = check(hello); !status.ok()) return {std::move(status), TaskDescription()};
  for (size_t i = 0; i < me.devices.size(); ++i)
    me.devices[i].memory_in_use = settings_->devices[i]->allocator().use().bytes_in_use;
  if (self_->current_sender() && self_->current_sender() != self_->ctrl()) {
    auto task = caf::actor_cast<TaskActor>(self_->current_sender());
    watch(task, {hello.from_job, hello.from_task}, hello.from_incarnation);
    contacted_(task, hello.membership_version);
  }
  return {Status(), me};
}

/// FailedPrecondition: the sender is of another protocol, cluster or incarnation, or takes this
/// task for another one.
Status PeerMonitor::check(const Hello& hello) const {
  auto caller = task_name(hello.from_job, hello.from_task);
  auto taken_for = task_name(hello.to_job, hello.to_task);
  if (hello.version != protocol_version)
    return failed_precondition(
        my_name() + " speaks version " + std::to_string(protocol_version) +
        " of the protocol between nodes, the caller " + std::to_string(hello.version));
  if (hello.cluster != settings_->cluster_name)
    return failed_precondition(
        my_name() + " belongs to the cluster '" + settings_->cluster_name + "', but " + caller +
        " to '" + hello.cluster + "'");
  if (taken_for != my_name())
    return failed_precondition(
        caller + " expected " + taken_for + " here, but this is " + my_name() +
        ": check the addresses of the cluster");
  if (!self_->current_sender()) return {};
  TaskKey key{hello.from_job, hello.from_task};
  auto known = incarnations_.find(key);
  if (known == incarnations_.end() || !find_other(key, self_->current_sender()->address()))
    return {};
  if (std::ranges::count(known->second.earlier, hello.from_incarnation) > 0) return taken_over(key);
  return {};
}

Hello PeerMonitor::hello_to(const TaskKey& key) const {
  return {
      .cluster = settings_->cluster_name,
      .from_job = me.job,
      .from_task = me.task,
      .from_incarnation = me.incarnation,
      .version = protocol_version,
      .to_job = key.first,
      .to_task = key.second,
      .membership_version = me.membership_version};
}

const PeerMonitor::Watched* PeerMonitor::find_other(
    const TaskKey& key, const caf::actor_addr& task) const {
  auto found = std::ranges::find_if(
      watched_, [&](const auto& entry) { return entry.second.key == key && entry.first != task; });
  return found == watched_.end() ? nullptr : &found->second;
}

// -- finding

caf::result<Status, TaskDescription> PeerMonitor::find(const FindTask& call) {
  if (call.job == me.job && call.task == me.task) return {Status(), me};
  auto address = settings_->config.cluster.task_address(call.job, call.task);
  if (!address) return {address.status(), TaskDescription()};
  auto& peer = peers_[{call.job, call.task}];
  if (peer.actor) return {Status(), peer.description};
  auto promise = peer.waiting.add(
      self_->make_response_promise<Status, TaskDescription>(),
      Counted(settings_->metrics, &Metrics::pending_finds));
  if (peer.waiting.size() == 1) connect_unless_dead(call, *address);
  return promise;
}

void PeerMonitor::connect_unless_dead(const FindTask& call, const Address& address) {
  // Other callers with longer timeouts may wait for the same connection later.
  auto timeout = std::max(call.timeout, settings_->connect_timeout);
  TaskKey key{call.job, call.task};
  Attempt attempt{.key = key, .address = address, .timeout = timeout};
  if (!lost_peers_.contains(key)) return connect(attempt);
  settings_->world->probe(  // PE-4
      address, std::min(timeout, probe_timeout()),
      post_to<Result<uint64_t>>(self_, [this, attempt](const Result<uint64_t>& incarnation) {
        if (incarnation.status().code() != Code::not_found) return connect(attempt);
        fail(attempt.key, unavailable("it was lost, and " + incarnation.status().message()));
      }));
}

void PeerMonitor::connect(Attempt attempt) {
  attempt.due = settings_->world->now() + attempt.timeout;
  settings_->world->connect(
      attempt.address, attempt.timeout,
      post_to<Result<caf::strong_actor_ptr>>(
          self_, [this, attempt](const Result<caf::strong_actor_ptr>& found) {
            if (found) send_hello(attempt, caf::actor_cast<TaskActor>(*found));
            else repeat_or_fail(attempt, found.status());
          }));
}

void PeerMonitor::send_hello(Attempt attempt, const TaskActor& actor) {
  attempt.due = settings_->world->now() + attempt.timeout;
  self_->request(actor, attempt.timeout, hello_to(attempt.key))
      .then(
          [this, key = attempt.key, actor](Status& status, TaskDescription& description) {
            if (!status.ok()) return fail(key, status);
            auto& peer = peers_[key];
            peer.actor = actor;
            lost_peers_.erase(key);
            peer.description = std::move(description);
            watch(actor, key, peer.description.incarnation);
            contacted_(actor, peer.description.membership_version);
            peer.waiting.answer_all(Status(), peer.description);
          },
          [this, attempt](caf::error& error) {
            // Whether it is silent or gone: the caller may try again.
            repeat_or_fail(attempt, unavailable(to_status(error).message()));
          });
}

/// Where this process itself was suspended, the answer may be there unread (PE-2).
void PeerMonitor::repeat_or_fail(Attempt attempt, const Status& why) {
  World::Time late = settings_->world->now() - attempt.due;
  auto was_suspended = late >= std::max(suspension_min, World::Time(attempt.timeout) / 8);
  if (!was_suspended || attempt.is_repeated) return fail(attempt.key, why);
  attempt.is_repeated = true;
  connect(std::move(attempt));
}

// Always sends FindTask to this actor itself: the mailbox keeps the order of calls.
void PeerMonitor::reach(const TaskKey& key, std::chrono::milliseconds timeout, Reached then) {
  auto this_task = caf::actor_cast<TaskActor>(self_);
  // The connection attempt has its own timeout, which may be longer than this one.
  caf::duration limit =
      timeout < settings_->connect_timeout ? caf::duration(timeout) : caf::infinite;
  self_->request(this_task, limit, FindTask{key.first, key.second, timeout})
      .then(
          [this, key, this_task, then](const Status& status, const TaskDescription&) {
            if (!status.ok()) return then(status);
            if (key == TaskKey(me.job, me.task)) return then(this_task);
            auto peer = actor_of(key);
            if (!peer) return then(unreachable(key, unavailable("lost")));
            then(peer);
          },
          [key, then](const caf::error& error) { then(unreachable(key, to_status(error))); });
}

void PeerMonitor::check_reachable(
    const TaskKey& key, std::chrono::milliseconds timeout, DoneStatus then) {
  auto address = settings_->config.cluster.task_address(key.first, key.second);
  if (!address) return then(address.status());
  if (key == TaskKey(me.job, me.task) || actor_of(key)) return then({});
  settings_->world->probe(
      *address, std::min(timeout, probe_timeout()),
      post_to<Result<uint64_t>>(self_, [key, then](const Result<uint64_t>& incarnation) {
        then(incarnation ? Status() : unreachable(key, incarnation.status()));
      }));
}

std::chrono::milliseconds PeerMonitor::probe_timeout() const {
  auto limit = settings_->heartbeat_limit;
  return limit.count() == 0 ? settings_->connect_timeout
                            : std::min(limit, settings_->connect_timeout);
}

Status PeerMonitor::unreachable(const TaskKey& key, const Status& why) {
  auto name = task_name(key.first, key.second);
  return Status(
      why.code(), "cannot reach " + name + ": " + why.message(),
      {.node = "", .op = "", .device = "", .task = name});
}

/// Answers the callers that wait for the connection. The next one connects again (PE-1).
void PeerMonitor::fail(const TaskKey& key, const Status& why) {
  auto peer = peers_.extract(key);
  if (peer) peer.mapped().waiting.answer_all(unreachable(key, why), TaskDescription());
}

TaskActor PeerMonitor::actor_of(const TaskKey& key) const {
  auto peer = peers_.find(key);
  return peer == peers_.end() ? TaskActor() : peer->second.actor;
}

// -- watching

void PeerMonitor::watch(const TaskActor& actor, const TaskKey& key, uint64_t incarnation) {
  if (const auto* replaced = find_other(key, actor.address()))
    lose(replaced->actor.address(), "it has restarted");  // PE-3
  note_incarnation(key, incarnation);
  auto [watched, is_new] = watched_.emplace(
      actor.address(), Watched{
                           .actor = actor,
                           .key = key,
                           .incarnation = incarnation,
                           .last_heard = settings_->world->now()});
  if (!is_new) return;
  self_->monitor(actor);
  set_timer();
}

void PeerMonitor::note_incarnation(const TaskKey& key, uint64_t incarnation) {
  if (incarnations_.size() >= incarnations_max && !incarnations_.contains(key))
    std::erase_if(incarnations_, [this](const auto& entry) { return !watches(entry.first); });
  auto& known = incarnations_[key];
  if (known.last == incarnation) return;
  std::erase(known.earlier, incarnation);
  if (known.last != 0) known.earlier.push_back(known.last);
  known.last = incarnation;
  if (known.earlier.size() > earlier_max) known.earlier.erase(known.earlier.begin());
}

void PeerMonitor::answer_ping(const Ping& ping) {
  if (!self_->current_sender()) return;
  auto peer = caf::actor_cast<TaskActor>(self_->current_sender());
  TaskKey key{ping.hello.from_job, ping.hello.from_task};
  auto status = check(ping.hello);
  if (status.ok() && find_other(key, peer.address())) status = taken_over(key);
  if (status.ok()) {
    // A peer that was reported as lost, but was only silent, is watched again.
    watch(peer, key, ping.hello.from_incarnation);
    contacted_(peer, ping.hello.membership_version);
  }
  self_->send(peer, Pong{std::move(status)});
}

void PeerMonitor::pong_received(const Pong& pong) {
  if (!self_->current_sender()) return;
  auto watched = watched_.find(self_->current_sender()->address());
  if (watched == watched_.end()) return;
  if (pong.refused.ok()) watched->second.last_heard = settings_->world->now();
  else lose(self_->current_sender()->address(), "it refused: " + pong.refused.message());
}

void PeerMonitor::probe(const Watched& silent) {
  auto address = settings_->config.cluster.task_address(silent.key.first, silent.key.second);
  if (!address) return;  // the peer knows this task, but is not in its configuration
  settings_->world->probe(
      *address, settings_->heartbeat_limit,
      post_to<Result<uint64_t>>(
          self_, [this, task = silent.actor.address()](const Result<uint64_t>& incarnation) {
            if (incarnation) probe_answered(task, *incarnation);
          }));
}

void PeerMonitor::probe_answered(const caf::actor_addr& task, uint64_t incarnation) {
  auto watched = watched_.find(task);
  if (watched != watched_.end() && watched->second.incarnation == incarnation)
    watched->second.last_heard = settings_->world->now();
}

/// One timer serves all peers. It expires when the next Pings are due, or when the silence of some
/// peer reaches the limit, so that a loss is noticed at the limit and not at the next Ping after
/// it.
void PeerMonitor::set_timer() {
  World::Time limit = settings_->heartbeat_limit;
  if (timer_runs_ || watched_.empty() || limit.count() == 0) return;
  auto now = settings_->world->now();
  auto due = now + limit / 4;
  for (const auto& [task, watched] : watched_) due = std::min(due, watched.last_heard + limit);
  timer_runs_ = true;
  timer_due_ = std::max(due, now);
  settings_->world->after(
      timer_due_ - now, caf::actor_cast<caf::strong_actor_ptr>(self_),
      caf::make_message(HeartbeatTick{}));
}

void PeerMonitor::heartbeat_tick() {
  timer_runs_ = false;
  World::Time limit = settings_->heartbeat_limit;
  auto now = settings_->world->now();
  if (now - timer_due_ > limit / 4)  // PE-2
    for (auto& [task, watched] : watched_) watched.last_heard = now;
  std::vector<caf::actor_addr> silent;
  for (const auto& [task, watched] : watched_)
    if (now - watched.last_heard >= limit) silent.push_back(task);
  auto limit_ms = std::to_string(settings_->heartbeat_limit.count());
  for (const auto& task : silent) lose(task, "it has not answered for " + limit_ms + " ms");
  for (const auto& [task, watched] : watched_) {
    self_->send(watched.actor, Ping{hello_to(watched.key)});
    // A healthy peer's last Pong is as old as a tick, and older where the timer was late.
    if (now - watched.last_heard >= limit * 3 / 8) probe(watched);
  }
  set_timer();
}

void PeerMonitor::ended(const caf::actor_addr& task, const caf::error& reason) {
  auto why = why_link_ended(reason);
  lose(task, why.empty() ? "its process ended or the connection to it broke" : why);
}

void PeerMonitor::lose(const caf::actor_addr& task, const std::string& why) {
  auto gone = watched_.extract(task);
  if (!gone) return;
  self_->demonitor(task);
  auto found = std::ranges::find_if(peers_, [&task](const auto& peer) {
    return peer.second.actor && peer.second.actor.address() == task;
  });
  if (found != peers_.end()) {
    lost_peers_.insert(found->first);
    peers_.erase(found);
  }
  const auto& key = gone.mapped().key;
  lost_({task_name(key.first, key.second), why});
}

}  // namespace troupe
