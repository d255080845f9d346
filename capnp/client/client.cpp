#include "troupe/capnp/client/client.hpp"

#include <algorithm>
#include <utility>

#include "troupe/capnp/client/client_name.hpp"
#include "troupe/capnp/client/connect_socket.hpp"
#include "troupe/capnp/client/connection.hpp"
#include "troupe/capnp/client/remote_session.hpp"
#include "troupe/capnp/client/shared_connections.hpp"
#include "troupe/capnp/convert/convert_resources.hpp"
#include "troupe/capnp/convert/convert_runners.hpp"
#include "troupe/capnp/convert/convert_session.hpp"
#include "troupe/capnp/convert/convert_session_list.hpp"
#include "troupe/capnp/tls/credentials.hpp"
#include "troupe/graph/cluster/address.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

uint64_t timeout_to_ms(milliseconds timeout) {
  return static_cast<uint64_t>(std::max(timeout, milliseconds(0)).count());
}

/// Builds the request of a method whose only parameter is the time it may take.
template <class Make>
auto within(milliseconds timeout, Make make) {
  return [timeout, make](rpc::Master::Client& master) {
    auto request = (master.*make)(nullptr);
    request.setTimeoutMs(timeout_to_ms(timeout));
    return request;
  };
}

class RemoteClient final : public Client {
 public:
  explicit RemoteClient(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}

  Result<std::unique_ptr<Session>> session(const SessionOptions& options) override;
  Result<DeviceList> list_devices(milliseconds timeout) override;
  Result<ResourceList> list_resources(milliseconds timeout) override;
  Result<RunnerList> list_runners(milliseconds timeout) override;
  Result<SessionList> list_sessions(milliseconds timeout) override;
  Status pause_runner(const ResourceName& runner, milliseconds timeout) override {
    return control_runner(runner, RunnerAction::pause, timeout);
  }
  Status resume_runner(const ResourceName& runner, milliseconds timeout) override {
    return control_runner(runner, RunnerAction::resume, timeout);
  }
  Status stop_runner(const ResourceName& runner, milliseconds timeout) override {
    return control_runner(runner, RunnerAction::stop, timeout);
  }
  Status reset(const std::vector<std::string>& containers, milliseconds timeout) override;
  Status reset_all(milliseconds timeout) override { return reset_task("", timeout); }
  Status reset_task(const std::string& task, milliseconds timeout) override;
  Status forget_task(const std::string& task, milliseconds timeout) override;
  Result<ClusterSpec> cluster() override;
  Result<NodeInfo> node_info() override;
  Result<std::chrono::nanoseconds> clock() override;
  Result<std::vector<WaitingStep>> list_waiting_steps(milliseconds timeout) override;
  Result<RunMetadata> trace_next_step(uint64_t session, const RunOptions& options) override;
  Status drain(milliseconds timeout) override;
  Status stop(milliseconds timeout) override;
  const std::string& target() const override { return connection_->target(); }

 private:
  /// Sends the request that `request` builds, and returns what `read` converts from the response if
  /// its status is ok.
  template <class T, class Request, class Read>
  Result<T> ask(Request request, Read read, milliseconds timeout = milliseconds(0)) {
    Result<T> answer = internal("no answer");
    auto status = connection_->run_within(timeout, [&] {
      return request(connection_->master()).send().then([&](auto response) {
        auto failed = to_status(response.getStatus());
        if (failed.ok()) answer = read(response);
        else answer = failed;
      });
    });
    if (!status.ok()) return status;
    return answer;
  }

  /// As ask(), for a call that answers with a status only.
  template <class Request>
  Status tell(Request request) {
    return ask<bool>(request, [](auto&) { return true; }).status();
  }

  Status control_runner(const ResourceName& runner, RunnerAction action, milliseconds timeout);

  std::shared_ptr<Connection> connection_;
};

Result<std::unique_ptr<Session>> RemoteClient::session(const SessionOptions& options) {
  return ask<std::unique_ptr<Session>>(
      [&](rpc::Master::Client& master) {
        auto request = master.createSessionRequest();
        fill(request.initOptions(), options);
        return request;
      },
      [&](auto& response) -> Result<std::unique_ptr<Session>> {
        auto warnings = to_texts(response.getWarnings());
        if (!warnings) return warnings.status();
        return make_remote_session(
            connection_, response.getSession(), options.operation_timeout, *std::move(warnings));
      },
      options.operation_timeout);
}

Result<DeviceList> RemoteClient::list_devices(milliseconds timeout) {
  return ask<DeviceList>(
      within(timeout, &rpc::Master::Client::listDevicesRequest),
      [](auto& response) { return to_device_list(response); });
}

Result<ResourceList> RemoteClient::list_resources(milliseconds timeout) {
  return ask<ResourceList>(
      within(timeout, &rpc::Master::Client::listResourcesRequest),
      [](auto& response) { return to_resource_list(response); });
}

Result<RunnerList> RemoteClient::list_runners(milliseconds timeout) {
  return ask<RunnerList>(
      within(timeout, &rpc::Master::Client::listRunnersRequest),
      [](auto& response) { return to_runner_list(response); });
}

Result<SessionList> RemoteClient::list_sessions(milliseconds timeout) {
  return ask<SessionList>(
      within(timeout, &rpc::Master::Client::listSessionsRequest),
      [](auto& response) { return to_session_list(response); });
}

Status RemoteClient::control_runner(
    const ResourceName& runner, RunnerAction action, milliseconds timeout) {
  return tell([&](rpc::Master::Client& master) {
    auto request = master.controlRunnerRequest();
    request.setContainer(runner.container);
    request.setName(runner.name);
    request.setAction(to_message(action));
    request.setTimeoutMs(timeout_to_ms(timeout));
    return request;
  });
}

Status RemoteClient::reset_task(const std::string& task, milliseconds timeout) {
  return tell([&](rpc::Master::Client& master) {
    auto request = master.resetRequest();
    request.setAll(true);
    request.setOnlyTask(task);
    request.setTimeoutMs(timeout_to_ms(timeout));
    return request;
  });
}

Status RemoteClient::reset(const std::vector<std::string>& containers, milliseconds timeout) {
  return tell([&](rpc::Master::Client& master) {
    auto request = master.resetRequest();
    fill(request.initContainers(static_cast<unsigned>(containers.size())), containers);
    request.setTimeoutMs(timeout_to_ms(timeout));
    return request;
  });
}

Status RemoteClient::forget_task(const std::string& task, milliseconds timeout) {
  return tell([&](rpc::Master::Client& master) {
    auto request = master.forgetTaskRequest();
    request.setTask(task);
    request.setTimeoutMs(timeout_to_ms(timeout));
    return request;
  });
}

Result<ClusterSpec> RemoteClient::cluster() {
  return ask<ClusterSpec>(
      [](rpc::Master::Client& master) { return master.clusterRequest(); },
      [](auto& response) { return to_cluster(response.getCluster()); });
}

Result<NodeInfo> RemoteClient::node_info() {
  return ask<NodeInfo>(
      [](rpc::Master::Client& master) { return master.nodeInfoRequest(); },
      [](auto& response) { return to_node_info(response.getInfo()); });
}

Result<std::chrono::nanoseconds> RemoteClient::clock() {
  return ask<std::chrono::nanoseconds>(
      [](rpc::Master::Client& master) { return master.clockRequest(); },
      [](auto& response) { return std::chrono::nanoseconds(response.getUnixNs()); });
}

Result<std::vector<WaitingStep>> RemoteClient::list_waiting_steps(milliseconds timeout) {
  return ask<std::vector<WaitingStep>>(
      within(timeout, &rpc::Master::Client::listWaitingStepsRequest),
      [](auto& response) { return to_waiting_steps(response.getSteps()); });
}

Result<RunMetadata> RemoteClient::trace_next_step(uint64_t session, const RunOptions& options) {
  return ask<RunMetadata>(
      [&](rpc::Master::Client& master) {
        auto request = master.traceNextStepRequest();
        request.setSession(session);
        request.setTrace(options.trace == Trace::full);
        request.setPartitionGraphs(options.output_partition_graphs);
        request.setTimeoutMs(timeout_to_ms(options.timeout));
        return request;
      },
      [](auto& response) { return to_run_metadata(response.getMetadata()); });
}

Status RemoteClient::drain(milliseconds timeout) {
  return tell(within(timeout, &rpc::Master::Client::drainRequest));
}

Status RemoteClient::stop(milliseconds timeout) {
  return tell(within(timeout, &rpc::Master::Client::stopRequest));
}

Result<std::shared_ptr<Connection>> open_connection(
    const Address& address, const ConnectOptions& options, Clock::time_point deadline) {
  auto time_left = [deadline] {
    return std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds(100));
  };
  auto credentials = Credentials::find(options.tls);
  if (!credentials) return credentials.status();
  auto socket = connect_socket(address, deadline, options.on_wait);
  if (!socket) return socket.status();
  auto has_heartbeat = options.heartbeat_limit.count() > 0;
  auto heartbeat_socket = has_heartbeat ? connect_same_peer(*socket, deadline) : kj::AutoCloseFd();
  if (!heartbeat_socket) return heartbeat_socket.status();
  auto connection = std::make_shared<Connection>("troupe://" + address.to_string());
  auto status = connection->start(*std::move(socket), *std::move(credentials), time_left());
  if (status.ok())
    status = connection->login(client_name(options.program), time_left(), options.on_wait);
  if (status.ok() && has_heartbeat)
    status = connection->start_heartbeat(
        *std::move(heartbeat_socket), options.heartbeat_limit, time_left());
  if (!status.ok()) return status;
  return connection;
}

/// Connections of clients with the same name are interchangeable.
std::string connection_name(const Address& address, const ConnectOptions& options) {
  return address.to_string() + ' ' + std::to_string(options.heartbeat_limit.count()) + ' ' +
         options.program + ' ' + options.tls;
}

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(
    std::string_view target, const ConnectOptions& options) {
  auto deadline = Clock::now() + options.timeout;
  auto address = Address::parse(target);
  if (!address) return address.status();
  auto open = [&] { return open_connection(*address, options, deadline); };
  auto connection = options.shares_connection
                        ? shared_connection(connection_name(*address, options), deadline, open)
                        : open();
  if (!connection) return connection.status();
  return std::unique_ptr<Client>(std::make_unique<RemoteClient>(*std::move(connection)));
}

}  // namespace troupe
