#include "troupe/capnp/server/server_life.hpp"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

#include "troupe/actors/messages.hpp"
#include "troupe/actors/task_actor.hpp"
#include "troupe/actors/world/real_world.hpp"
#include "troupe/capnp/server/door.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The order of members is the order of life: the door closes before the actors end, and the actors
/// end before the devices do.
class NodeLife final : public ServerLife {
 public:
  explicit NodeLife(std::vector<std::shared_ptr<Device>> devices) : devices_(std::move(devices)) {}
  ~NodeLife() override {
    door_.reset();
    if (auto task = std::exchange(task_, nullptr)) tell(task, Stop{[](const Status&) {}});
    // Kernels may outlive the actors, and report to them: the system must still be there.
    system_.await_all_actors_done();
    for (auto& device : devices_) device->finish();
  }

  Status open(TaskConfig config, const ServerOptions& options, StopCall stop) {
    auto address = *config.cluster.task_address(config.job, config.task);
    auto door = Door::open(options.bind_host, address.port);
    if (!door) return door.status();
    door_ = *std::move(door);
    address.port = door_->port();
    config.cluster = config.cluster.with_address(config.job, config.task, address);

    auto world = std::make_shared<RealWorld>(system_, door_->endpoints());
    auto spawned = spawn_task(
        {.config = config,
         .cluster_name = options.cluster_name,
         .devices = devices_,
         .catalog = make_op_catalog(),
         .world = world,
         .connect_timeout = options.connect_timeout,
         .heartbeat_limit = options.heartbeat_limit,
         .sessions_max = options.sessions_max,
         .session_idle_limit = options.session_idle_limit,
         .log = [](const std::string& line) { spdlog::info("{}", line); }});
    task_ = spawned.actor;
    auto actor_port = world->publish(
        caf::actor_cast<caf::strong_actor_ptr>(task_),
        options.bind_host.empty() ? "127.0.0.1" : options.bind_host);
    if (!actor_port) return actor_port.status();
    door_->serve(
        {.system = system_,
         .master = task_,
         .stop = std::move(stop),
         .identity = {
             .job = config.job,
             .task = config.task,
             .incarnation = spawned.incarnation,
             .protocol_version = protocol_version,
             .host = {},
             .actor_port = *actor_port}});
    return {};
  }

  int port() const override { return door_->port(); }
  void drain(Drain call) override { tell(task_, std::move(call)); }

 private:
  std::vector<std::shared_ptr<Device>> devices_;
  NodeSystemConfig config_;
  caf::actor_system system_{config_};
  TaskActor task_;
  std::unique_ptr<Door> door_;
};

}  // namespace

Result<std::unique_ptr<ServerLife>> ServerLife::start(
    const TaskConfig& config, const ServerOptions& options, StopCall stop) {
  auto life = std::make_unique<NodeLife>(make_local_devices(options.devices));
  if (auto status = life->open(config, options, std::move(stop)); !status.ok()) return status;
  return std::unique_ptr<ServerLife>(std::move(life));
}

}  // namespace troupe
