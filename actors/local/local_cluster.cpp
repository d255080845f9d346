#include "troupe/actors/local/local_cluster.hpp"

#include <future>
#include <vector>

#include "troupe/actors/local/local_session.hpp"
#include "troupe/actors/logger_scope.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/actors/world/local_world.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

// The members are destroyed in reverse order: actors end before their devices.
struct LocalCluster::Parts {
  struct Config : caf::actor_system_config {
    Config() {
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", size_t{1});
    }
  };

  ClusterSpec spec;
  std::vector<std::shared_ptr<Device>> devices;
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
  auto catalog = make_op_catalog();
  for (const auto& [job, tasks] : parts_->spec.jobs())
    for (const auto& [task, address] : tasks) {
      auto device = std::shared_ptr(make_cpu_device({.threads = options.threads}));
      parts_->devices.push_back(device);
      auto spawned = spawn_task(
          {.config = {parts_->spec, job, task},
           .devices = {device},
           .catalog = catalog,
           .world = parts_->world,
           // Tasks of one process cannot be cut off from each other, however busy it is.
           .heartbeat_limit = std::chrono::milliseconds(0),
           .sessions_max = options.sessions_max,
           .log = options.log,
           .dump_graphs = options.dump_graphs});
      parts_->world->serve(
          address, caf::actor_cast<caf::strong_actor_ptr>(spawned.actor), spawned.incarnation);
      parts_->tasks.emplace(std::pair(job, task), spawned.actor);
    }
}

LocalCluster::~LocalCluster() = default;

const ClusterSpec& LocalCluster::spec() const { return parts_->spec; }

Result<std::unique_ptr<Session>> LocalCluster::session(
    const std::string& job, int task, const SessionOptions& options) {
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
