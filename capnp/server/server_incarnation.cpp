#include "troupe/capnp/server/server_incarnation.hpp"

#include <spdlog/spdlog.h>

#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "troupe/actors/logger_scope.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/actors/world/real_world.hpp"
#include "troupe/capnp/server/rpc_server.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The order of ends: the RPC server closes before the actors end, and the actors end before the
/// devices finish.
class NodeIncarnation final : public ServerIncarnation {
 public:
  explicit NodeIncarnation(std::vector<std::shared_ptr<Device>> devices)
      : devices_(std::move(devices)) {}
  ~NodeIncarnation() override {
    rpc_server_.reset();
    if (auto task = std::exchange(task_, nullptr)) tell(task, Stop{[](const Status&) {}});
    // Kernels may outlive the actors and report to them, so the actor system must still exist.
    system_.await_all_actors_done();
    for (auto& device : devices_) device->finish();
  }

  Status open(const TaskConfig& config, const ServerOptions& options, StopCall stop) {
    auto address = *config.cluster.task_address(config.job, config.task);
    auto credentials = Credentials::find(options.tls);
    if (!credentials) return credentials.status();
    auto opened = RpcServer::open(options.bind_host, address.port, *std::move(credentials));
    if (!opened) return opened.status();
    rpc_server_ = *std::move(opened);
    address.port = rpc_server_->port();
    config_ = config;
    config_.cluster = config.cluster.with_address(config.job, config.task, address);
    std::optional<Joined> joined;
    if (!options.join.empty()) {
      auto answer = join(address, options);
      if (!answer) return answer.status();
      joined = *std::move(answer);
      config_ = {
          .cluster = joined->cluster.with(joined->membership.joined),
          .job = config.job,
          .task = joined->task};
    }
    return serve(options, joined, std::move(stop));
  }

  const TaskConfig& config() const override { return config_; }
  void drain(Drain call) override { tell(task_, std::move(call)); }
  void leave_cluster(DoneStatus done) override { tell(task_, LeaveCluster{std::move(done)}); }

 private:
  Result<Joined> join(const Address& own_address, const ServerOptions& options) {
    auto member = Address::parse(options.join);
    if (!member) return member.status();
    std::promise<Result<Joined>> joined;
    Join request{
        .cluster = options.cluster_name,
        .version = protocol_version,
        .job = config_.job,
        .address = own_address.to_string()};
    rpc_server_->join(*member, options.connect_timeout, request, [&joined](Result<Joined> answer) {
      joined.set_value(std::move(answer));
    });
    return joined.get_future().get();
  }

  Status serve(const ServerOptions& options, const std::optional<Joined>& joined, StopCall stop) {
    auto world = std::make_shared<RealWorld>(system_, rpc_server_->connections());
    auto task = config_;
    if (joined) task.cluster = joined->cluster;
    auto spawned = spawn_task(
        {.config = task,
         .joined = joined,
         .cluster_name = options.cluster_name,
         .devices = devices_,
         .catalog = op_catalog(),
         .world = world,
         .connect_timeout = options.connect_timeout,
         .heartbeat_limit = options.heartbeat_limit,
         .sessions_max = options.sessions_max,
         .session_idle_limit = options.session_idle_limit,
         .log = [](const std::string& line) { spdlog::info("{}", line); },
         .dump_graphs = options.dump_graphs});
    task_ = spawned.actor;
    return rpc_server_->serve(
        {.system = system_,
         .master = task_,
         .stop = std::move(stop),
         .identity =
             {.job = config_.job,
              .task = config_.task,
              .incarnation = spawned.incarnation,
              .protocol_version = protocol_version},
         .receive_allocator = &find_host_device(devices_)->host_allocator(),
         .open_region = accelerator::make_open_region(devices_),
         .tcp_only = options.tcp_only});
  }

  std::vector<std::shared_ptr<Device>> devices_;
  TaskConfig config_;
  NodeSystemConfig system_config_;
  caf::actor_system system_{system_config_};
  TaskActor task_;
  std::unique_ptr<RpcServer> rpc_server_;
};

}  // namespace

Result<std::unique_ptr<ServerIncarnation>> ServerIncarnation::start(
    const TaskConfig& config, const ServerOptions& options, StopCall stop) {
  LoggerScope logger_scope;
  auto device_options = options.devices;
  device_options.cpu.shares_memory = !options.tcp_only;
  if (!device_options.log)
    device_options.log = [](const std::string& line) { spdlog::warn("{}", line); };
  if (!device_options.detail)
    device_options.detail = [](const std::string& line) { spdlog::debug("{}", line); };
  auto devices = make_local_devices(device_options);
  if (!devices) return devices.status();
  auto incarnation = std::make_unique<NodeIncarnation>(*std::move(devices));
  if (auto status = incarnation->open(config, options, std::move(stop)); !status.ok())
    return status;
  return std::unique_ptr<ServerIncarnation>(std::move(incarnation));
}

}  // namespace troupe
