#include "troupe/capnp/server/server.hpp"

#include <future>
#include <vector>

#include "troupe/actors/messages.hpp"
#include "troupe/actors/task_actor.hpp"
#include "troupe/actors/world/real_world.hpp"
#include "troupe/capnp/server/door.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The parts of a node. The order of members is the order of life: the door closes before the
/// actors end, and the actors end before the devices do.
class NodeServer final : public Server {
 public:
  explicit NodeServer(ServerOptions options) : options_(std::move(options)) {
    devices_.push_back(
        make_cpu_device({.threads = options_.threads, .memory_limit = options_.memory_limit}));
  }
  ~NodeServer() override {
    (void)stop(std::chrono::seconds(5));
    // Kernels may outlive the actors, and report to them: the system must still be there.
    system_.await_all_actors_done();
    for (auto& device : devices_) device->finish();
  }

  Status open() {
    auto address = options_.config.cluster.address(options_.config.job, options_.config.task);
    if (!address) return address.status();
    auto door = Door::open(options_.bind_host, address->port);
    if (!door) return door.status();
    door_ = *std::move(door);
    address->port = door_->port();
    target_ = "troupe://" + address->to_string();
    take_address(*address);

    auto world = std::make_shared<RealWorld>(system_, door_->endpoints());
    auto spawned = spawn_task(
        {.config = options_.config,
         .cluster_name = options_.cluster_name,
         .devices = devices_,
         .catalog = make_op_catalog(),
         .world = world,
         .connect_timeout = options_.connect_timeout,
         .heartbeat_limit = options_.heartbeat_limit});
    task_ = spawned.actor;
    auto actor_port = world->publish(
        caf::actor_cast<caf::strong_actor_ptr>(task_),
        options_.bind_host.empty() ? "127.0.0.1" : options_.bind_host);
    if (!actor_port) return actor_port.status();
    door_->serve(
        {.system = system_,
         .master = task_,
         .identity = {
             .job = options_.config.job,
             .task = options_.config.task,
             .incarnation = spawned.incarnation,
             .protocol_version = protocol_version,
             .host = {},
             .actor_port = *actor_port}});
    return {};
  }

  std::string target() const override { return target_; }

  Status stop(std::chrono::milliseconds deadline) override {
    Status status;
    if (auto door = std::exchange(door_, nullptr)) status = door->close(deadline);
    if (auto task = std::exchange(task_, nullptr)) {
      auto stopped = std::make_shared<std::promise<void>>();
      tell(task, Stop{[stopped](const Status&) { stopped->set_value(); }});
      if (stopped->get_future().wait_for(deadline) != std::future_status::ready && status.ok())
        status = deadline_exceeded("the task's actors have not ended in time");
    }
    return status;
  }

 private:
  /// Where the system chose the port, the cluster has to say so.
  void take_address(const Address& address) {
    auto jobs = options_.config.cluster.jobs();
    jobs[options_.config.job][options_.config.task] = address;
    options_.config.cluster = ClusterSpec(std::move(jobs));
  }

  ServerOptions options_;
  std::string target_;
  std::vector<std::shared_ptr<Device>> devices_;
  NodeSystemConfig config_;
  caf::actor_system system_{config_};
  TaskActor task_;
  std::unique_ptr<Door> door_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options) {
  auto server = std::make_unique<NodeServer>(std::move(options));
  if (auto status = server->open(); !status.ok()) return status;
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace troupe
