#include "troupe/actors/local/local_cluster.hpp"

#include <algorithm>
#include <future>
#include <vector>

#include "troupe/actors/local/local_session.hpp"
#include "troupe/actors/logger_scope.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/actors/world/local_world.hpp"
#include "troupe/devices/local_devices.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The devices of one task.
Result<std::vector<std::shared_ptr<Device>>> make_devices(const LocalCluster::Options& options) {
  LocalDeviceOptions of_task{
      .visible = {},
      .count = {{"CPU", options.cpu_devices}},
      .cpu = {.threads = options.threads},
      .log = options.log};
  if (options.gpu) of_task.gpu = *options.gpu;
  else of_task.count["GPU"] = 0;
  if (auto status = check(of_task); !status.ok()) return status;
  return make_local_devices(of_task);
}

}  // namespace

// The members are destroyed in reverse order: actors end before their devices.
struct LocalCluster::Parts {
  struct Config : caf::actor_system_config {
    Config() {
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", size_t{1});
    }
  };

  ClusterSpec spec;
  Status status;  // why there are no tasks
  std::vector<std::shared_ptr<Device>> devices;
  std::vector<ListedDevice> listed;
  Config config;
  caf::actor_system system{config};
  std::shared_ptr<LocalWorld> world = std::make_shared<LocalWorld>(system);
  std::map<std::pair<std::string, int>, TaskActor> tasks;

  ~Parts() {
    for (auto& [key, actor] : tasks) tell(actor, Stop{[](const Status&) {}});
    // Kernels may outlive the actors and report to them, so the actor system must still exist.
    system.await_all_actors_done();
    for (auto& device : devices) device->finish();
  }
};

LocalCluster::LocalCluster(const std::map<std::string, int>& jobs, const Options& options)
    : parts_(std::make_unique<Parts>()) {
  LoggerScope logger_scope;
  std::map<std::string, JobTasks> spec;
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task)
      spec[job].by_index[task] = job + ":" + std::to_string(task + 1);
  parts_->spec = *ClusterSpec::make(spec);
  auto catalog = op_catalog();
  for (const auto& [job, tasks] : parts_->spec.jobs())
    for (const auto& [task, address] : tasks) {
      auto devices = make_devices(options);
      if (!devices) {
        parts_->status = devices.status();
        return;
      }
      parts_->devices.insert(parts_->devices.end(), devices->begin(), devices->end());
      auto first = parts_->listed.size();
      for (const auto& device : *devices) {
        const auto& about = device->attributes();
        DeviceName name{job, task, about.type, about.index};
        parts_->listed.push_back({.name = name.to_string(), .attributes = about});
      }
      auto spawned = spawn_task(
          {.config = {parts_->spec, job, task},
           .devices = *std::move(devices),
           .catalog = catalog,
           .world = parts_->world,
           // Tasks of one process cannot be cut off from each other, however busy it is.
           .heartbeat_limit = std::chrono::milliseconds(0),
           .sessions_max = options.sessions_max,
           .log = options.log,
           .dump_graphs = options.dump_graphs});
      parts_->world->serve(
          address, caf::actor_cast<caf::strong_actor_ptr>(spawned.actor), spawned.incarnation);
      for (auto i = first; i < parts_->listed.size(); ++i)
        parts_->listed[i].incarnation = spawned.incarnation;
      parts_->tasks.emplace(std::pair(job, task), spawned.actor);
    }
  std::ranges::sort(parts_->listed, {}, &ListedDevice::name);
}

LocalCluster::~LocalCluster() = default;

const ClusterSpec& LocalCluster::spec() const { return parts_->spec; }
std::vector<ListedDevice> LocalCluster::list_devices() const { return parts_->listed; }

Result<std::unique_ptr<Session>> LocalCluster::session(
    const std::string& job, int task, const SessionOptions& options) {
  if (!parts_->status.ok()) return parts_->status;
  if (auto address = parts_->spec.task_address(job, task); !address) return address.status();
  std::promise<Result<SessionActor>> promise;
  auto answer = promise.get_future();
  auto done = [&](Result<SessionActor> session) { promise.set_value(std::move(session)); };
  CreateSession create{done, options};
  auto end = create.end;
  tell(parts_->tasks.at({job, task}), std::move(create));
  auto session = answer.get();
  if (!session) return session.status();
  return make_local_session(parts_->system, *session, std::move(end), options);
}

}  // namespace troupe
