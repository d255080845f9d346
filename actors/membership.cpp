#include "troupe/actors/membership.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/device_name.hpp"

namespace troupe {
namespace {

/// All tell each other, so a cluster has an end.
constexpr size_t joined_max = 4096;

size_t task_count(const ClusterSpec& cluster) {
  size_t count = 0;
  for (const auto& [job, tasks] : cluster.jobs()) count += tasks.size();
  return count;
}

}  // namespace

void Membership::begin(
    TaskMailbox::pointer self, TaskSettings& settings, Peers& peers, Directory& directory,
    Changed changed) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
  directory_ = &directory;
  changed_ = std::move(changed);
  configured_ = settings.config.cluster;
  if (!settings.joined) return;
  adopt(settings.joined->news);
  greet_keeper();
}

// -- joining and leaving

void Membership::let_join(const LetJoin& call) {
  self_->request(caf::actor_cast<TaskActor>(self_), caf::infinite, call.wish)
      .then(
          [done = call.done](const Status& status, Joined& joined) {
            done(status.ok() ? Result<Joined>(std::move(joined)) : Result<Joined>(status));
          },
          [done = call.done](const caf::error& error) { done(to_status(error)); });
}

caf::result<Status, Joined> Membership::join(const Join& wish) {
  if (!directory_->is_keeper()) return directory_->forward_to_keeper<Joined>(wish);
  auto address = check(wish);
  if (!address) return {address.status(), Joined()};
  auto promise = self_->make_response_promise<Status, Joined>();
  directory_->keeper().when_known(
      [this, job = wish.job, address = *address, promise](const Status& status) mutable {
        auto task = status.ok() ? give_place(job, address) : Result<int>(status);
        if (!task) return void(promise.deliver(task.status(), Joined()));
        tell_all({job, *task}, [joined = place(*task), promise]() mutable {
          promise.deliver(Status(), joined);
        });
      });
  return promise;
}

/// The address of one who may join.
Result<Address> Membership::check(const Join& wish) const {
  if (wish.version != protocol_version)
    return failed_precondition(
        "the cluster speaks version " + std::to_string(protocol_version) +
        " of the protocol between nodes, who wants to join " + std::to_string(wish.version));
  if (wish.cluster != settings_->cluster_name)
    return failed_precondition(
        "the cluster is named '" + settings_->cluster_name + "', but who wants to join names it '" +
        wish.cluster + "'");
  if (!is_job_name(wish.job)) return invalid_argument("'" + wish.job + "' is no name of a job");
  auto address = Address::parse(wish.address);
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

Joined Membership::place(int task) const {
  const auto& [keeper_job, keeper_task] = directory_->keeper_task();
  return {
      .task = task,
      .cluster = configured_,
      .news = news_,
      .keeper_job = keeper_job,
      .keeper_task = keeper_task};
}

/// The index of the task there. Who has joined at that address before it is dead.
Result<int> Membership::give_place(const std::string& job, const Address& address) {
  auto joined = news_.joined;
  int next = 0;
  for (const auto& [other_job, tasks] : settings_->config.cluster.jobs())
    for (const auto& [index, other] : tasks) {
      if (other_job == job) next = std::max(next, index + 1);
      if (other != address) continue;
      if (other_job == job) return index;
      joined = joined.without(other_job, index);
      directory_->keeper().forget({other_job, index});
    }
  if (task_count(joined) >= joined_max)
    return resource_exhausted(
        std::to_string(joined_max) + " tasks have joined the cluster, and no more can");
  change(joined.with_address(job, next, address));
  return next;
}

void Membership::leave_cluster(const DoneStatus& done) {
  if (!settings_->joined) return done({});
  auto keeper = peers_->actor_of(directory_->keeper_task());
  if (!keeper) return done(unavailable("the task that keeps the directory is out of reach"));
  directory_->release({.names = {}, .all = true});
  self_->request(keeper, peers_->patience(), Leave{peers_->me.job, peers_->me.task})
      .then(
          [done](const Status& status) { done(status); },
          [done](const caf::error& error) { done(to_status(error)); });
}

caf::result<Status> Membership::leave(const Leave& wish) {
  if (!directory_->is_keeper()) return directory_->forward_to_keeper<>(wish);
  auto promise = self_->make_response_promise<Status>();
  auto status = release(wish);
  tell_all({wish.job, wish.task}, [promise, status]() mutable { promise.deliver(status); });
  return promise;
}

Status Membership::release(const Leave& wish) {
  if (configured_.task_address(wish.job, wish.task).ok())
    return failed_precondition(
        task_name(wish.job, wish.task) + " belongs to the cluster by its configuration");
  directory_->keeper().forget({wish.job, wish.task});
  change(news_.joined.without(wish.job, wish.task));
  return {};
}

// -- news

void Membership::change(ClusterSpec joined) {
  adopt({.change = news_.change + 1, .joined = std::move(joined)});
}

/// Calls back when all have heard but the one that is coming or going, and who is dead or silent.
/// The actor, and so this, may have ended then.
void Membership::tell_all(const TaskKey& but, const std::function<void()>& done) {
  // Held until each has heard.
  std::shared_ptr<void> told(nullptr, [done](void*) { done(); });
  for (const auto& [job, tasks] : settings_->config.cluster.jobs())
    for (const auto& [index, address] : tasks)
      if (TaskKey key(job, index); key != but) tell(key, told);
}

void Membership::tell(const TaskKey& key, const std::shared_ptr<void>& told) {
  peers_->find_living(key, peers_->patience(), [=, this](const Status& status) {
    if (!status.ok()) return;
    peers_->reach(key, peers_->patience(), [=, this](const Result<TaskActor>& task) {
      if (task) tell(*task, told);
    });
  });
}

void Membership::tell(const TaskActor& task, const std::shared_ptr<void>& told) {
  self_->request(task, peers_->patience(), news_)
      .then([told](const Status&) {}, [told](const caf::error&) {});
}

Status Membership::hear(const ClusterNews& news) {
  if (news.change <= news_.change) return {};
  adopt(news);
  // An earlier life of the keeper knew who else may hold things.
  directory_->keeper().doubt();
  return {};
}

void Membership::adopt(ClusterNews news) {
  news_ = std::move(news);
  peers_->me.change = news_.change;
  settings_->config.cluster = configured_.with(news_.joined);
  changed_(settings_->config.cluster);
}

void Membership::met(const TaskActor& task, uint64_t change) {
  if (change < news_.change) tell(task, nullptr);
}

// -- the keeper, as one that has joined sees it

void Membership::peer_lost(const PeerLost& lost) {
  const auto& [job, task] = directory_->keeper_task();
  if (settings_->joined && lost.task == task_name(job, task)) greet_keeper();
}

/// Until it knows this task. In a new life it may not, and nobody else alive may, either.
void Membership::greet_keeper() {
  auto timeout = settings_->connect_timeout;
  peers_->reach(directory_->keeper_task(), timeout, [this](const Result<TaskActor>& keeper) {
    if (keeper) return;
    settings_->world->after(
        peers_->patience(), caf::actor_cast<caf::strong_actor_ptr>(self_),
        caf::make_message(Continue{[this] { greet_keeper(); }}));
  });
}

}  // namespace troupe
