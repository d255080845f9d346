#include "troupe/actors/cluster/membership.hpp"

#include <algorithm>
#include <utility>

#include "troupe/actors/error.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

/// The most tasks that may have joined: the directory task connects to all tasks, to send each
/// version.
constexpr size_t joined_max = 4096;

/// The pause before the next attempt to reach the directory task. Short: a restarted directory task
/// may learn of a joined task from that task only (ME-2).
constexpr std::chrono::milliseconds reconnect_delay{100};

Status is_alive(const std::string& task) {
  return failed_precondition(task + " is alive: stop it, and it leaves");
}

size_t task_count(const ClusterSpec& cluster) {
  size_t count = 0;
  for (const auto& [job, tasks] : cluster.jobs()) count += tasks.size();
  return count;
}

}  // namespace

void Membership::begin(
    TaskProtocol::pointer self, TaskSettings& settings, PeerMonitor& peers,
    ResourceDirectoryClient& directory, Changed changed) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
  directory_ = &directory;
  changed_ = std::move(changed);
  configured_ = settings.config.cluster;
  if (!settings.joined) return;
  adopt(settings.joined->membership);
  connect_to_directory_task();
}

// -- joining and leaving

void Membership::admit(const AdmitTask& call) {
  self_->request(caf::actor_cast<TaskActor>(self_), caf::infinite, call.request)
      .then(
          [done = call.done](const Status& status, Joined& joined) {
            done(status.ok() ? Result<Joined>(std::move(joined)) : Result<Joined>(status));
          },
          [done = call.done](const caf::error& error) { done(to_status(error)); });
}

caf::result<Status, Joined> Membership::join(const Join& request) {
  if (!directory_->is_directory_task()) return directory_->forward_to_service<Joined>(request);
  auto address = check(request);
  if (!address) return {address.status(), Joined()};
  auto promise = self_->make_response_promise<Status, Joined>();
  directory_->service().when_complete(
      [this, job = request.job, address = *address, promise](const Status& status) mutable {
        auto task = status.ok() ? assign_index(job, address) : Result<int>(status);
        if (!task) return void(promise.deliver(task.status(), Joined()));
        send_to_all({job, *task}, [joined = joined_as(*task), promise]() mutable {
          promise.deliver(Status(), joined);
        });
      });
  return promise;
}

/// The address of the joining task, if it may join.
Result<Address> Membership::check(const Join& request) const {
  if (request.version != protocol_version)
    return failed_precondition(
        "the cluster speaks version " + std::to_string(protocol_version) +
        " of the protocol between nodes, the joining task version " +
        std::to_string(request.version));
  if (request.cluster != settings_->cluster_name)
    return failed_precondition(
        "the cluster is named '" + settings_->cluster_name + "', but the joining task names it '" +
        request.cluster + "'");
  if (!is_job_name(request.job))
    return invalid_argument("'" + request.job + "' is no name of a job");
  auto address = Address::parse(request.address);
  if (!address) return address.status();
  for (const auto& [job, tasks] : configured_.jobs())
    for (const auto& [index, other] : tasks)
      if (other == *address)
        return Status(
            Code::already_exists, address->to_string() + " is the address of " +
                                      task_name(job, index) +
                                      ", which belongs to the cluster by its configuration");
  return address;
}

Joined Membership::joined_as(int task) const {
  const auto& [directory_job, directory_task] = directory_->directory_task();
  return {
      .task = task,
      .cluster = configured_,
      .membership = latest_,
      .directory_job = directory_job,
      .directory_task = directory_task};
}

/// The index of the task at that address. A task that joined with this address before is dead: its
/// index is used again for the same job, else it is removed.
Result<int> Membership::assign_index(const std::string& job, const Address& address) {
  auto joined = latest_.joined;
  int next = 0;
  for (const auto& [other_job, tasks] : settings_->config.cluster.jobs())
    for (const auto& [index, other] : tasks) {
      if (other_job == job) next = std::max(next, index + 1);
      if (other != address) continue;
      if (other_job == job) return index;
      joined = joined.without(other_job, index);
      directory_->service().forget({other_job, index});
    }
  if (task_count(joined) >= joined_max)
    return resource_exhausted(
        std::to_string(joined_max) + " tasks have joined the cluster, and no more can");
  set_joined(joined.with_address(job, next, address));
  return next;
}

void Membership::leave_cluster(const DoneStatus& done) {
  if (!settings_->joined) return done({});
  auto directory_task = peers_->actor_of(directory_->directory_task());
  if (!directory_task)
    return done(unavailable("the task of the directory service is out of reach"));
  directory_->drop({.names = {}, .all = true}, [this, directory_task, done] {
    self_->request(directory_task, peers_->probe_timeout(), Leave{peers_->me.job, peers_->me.task})
        .then(
            [done](const Status& status) { done(status); },
            [done](const caf::error& error) { done(to_status(error)); });
  });
}

caf::result<Status> Membership::leave(const Leave& request) {
  if (!directory_->is_directory_task()) return directory_->forward_to_service<>(request);
  // Each joined task keeps a connection to the directory task, so one that is watched here is
  // alive.
  if (request.only_if_lost && peers_->watches({request.job, request.task}))
    return is_alive(task_name(request.job, request.task));
  auto promise = self_->make_response_promise<Status>();
  auto status = remove(request);
  send_to_all(
      {request.job, request.task}, [promise, status]() mutable { promise.deliver(status); });
  return promise;
}

void Membership::forget(const ForgetTask& call) {
  auto name = DeviceName::parse(call.task);
  if (!name || !name->job || !name->task || name->type)
    return call.done(
        invalid_argument("'" + call.task + "' is no name of a task, such as /job:worker/task:3"));
  TaskKey key{*name->job, *name->task};
  if (auto address = settings_->config.cluster.task_address(key.first, key.second); !address)
    return call.done(not_found(address.status().message()));
  if (configured_.task_address(key.first, key.second).ok())
    return call.done(failed_precondition(
        call.task +
        " belongs to the cluster by its configuration: only a task that has joined can "
        "be forgotten"));
  if (call.timeout < peers_->probe_timeout())
    return call.done(unavailable(
        "whether " + call.task + " is dead takes up to " + seconds_text(peers_->probe_timeout()) +
        " to find out: allow more time"));
  peers_->check_reachable(key, peers_->probe_timeout(), [this, key, call](const Status& status) {
    if (status.ok()) return call.done(is_alive(call.task));
    Leave leave{key.first, key.second, /*only_if_lost=*/true};
    self_->request(caf::actor_cast<TaskActor>(self_), call.timeout, leave)
        .then(
            [done = call.done](const Status& status) { done(status); },
            [done = call.done](const caf::error& error) {
              done(unavailable(to_status(error).message()));
            });
  });
}

Status Membership::remove(const Leave& request) {
  if (configured_.task_address(request.job, request.task).ok())
    return failed_precondition(
        task_name(request.job, request.task) + " belongs to the cluster by its configuration");
  directory_->service().forget({request.job, request.task});
  set_joined(latest_.joined.without(request.job, request.task));
  return {};
}

// -- updates

void Membership::set_joined(ClusterSpec joined) {
  adopt({.version = latest_.version + 1, .joined = std::move(joined)});
}

/// Calls back when all tasks have answered but the one that joins or leaves, and those that are
/// dead or silent. The task actor, and with it this object, may have ended by then.
void Membership::send_to_all(const TaskKey& except, const std::function<void()>& done) {
  // Each pending answer owns a share; `done` is called when the last one is released.
  std::shared_ptr<void> last(nullptr, [done](void*) { done(); });
  for (const auto& [job, tasks] : settings_->config.cluster.jobs())
    for (const auto& [index, address] : tasks)
      if (TaskKey task(job, index); task != except) send_to(task, last);
}

void Membership::send_to(const TaskKey& task, const std::shared_ptr<void>& last) {
  peers_->check_reachable(task, peers_->probe_timeout(), [=, this](const Status& status) {
    if (!status.ok()) return;
    peers_->reach(task, peers_->probe_timeout(), [=, this](const Result<TaskActor>& actor) {
      if (actor) send_to(*actor, last);
    });
  });
}

void Membership::send_to(const TaskActor& task, const std::shared_ptr<void>& last) {
  self_->request(task, peers_->probe_timeout(), latest_)
      .then([last](const Status&) {}, [last](const caf::error&) {});
}

Status Membership::update(const MembershipUpdate& update) {
  if (update.version <= latest_.version) return {};
  adopt(update);
  // If this is the restarted directory task, there are tasks that it has not asked.
  directory_->service().mark_incomplete();
  return {};
}

void Membership::adopt(MembershipUpdate update) {
  latest_ = std::move(update);
  peers_->me.membership_version = latest_.version;
  settings_->config.cluster = configured_.with(latest_.joined);
  changed_(settings_->config.cluster);
}

void Membership::peer_contacted(const TaskActor& task, uint64_t known_version) {
  if (known_version < latest_.version) send_to(task, nullptr);
}

// -- a joined task and the directory task

void Membership::peer_lost(const PeerLost& lost) {
  const auto& [job, task] = directory_->directory_task();
  if (settings_->joined && lost.task == task_name(job, task)) connect_to_directory_task();
}

/// Tries until it succeeds. A restarted directory task may not know this joined task, and may find
/// no other task alive that does.
void Membership::connect_to_directory_task() {
  auto timeout = settings_->connect_timeout;
  peers_->reach(directory_->directory_task(), timeout, [this](const Result<TaskActor>& task) {
    if (task) return;
    settings_->world->after(
        std::min(peers_->probe_timeout(), reconnect_delay),
        caf::actor_cast<caf::strong_actor_ptr>(self_),
        caf::make_message(Post{[this] { connect_to_directory_task(); }}));
  });
}

}  // namespace troupe
