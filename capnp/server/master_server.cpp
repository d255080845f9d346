#include "troupe/capnp/server/master_server.hpp"

#include <kj/memory.h>

#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/convert_tensor.hpp"
#include "troupe/capnp/server/ask.hpp"
#include "troupe/capnp/server/session_server.hpp"

namespace troupe {
namespace {

class MasterServer final : public rpc::Master::Server {
 public:
  MasterServer(KjUnit& unit, MasterActor master, std::shared_ptr<MessageMemory> memory)
      : unit_(unit), master_(std::move(master)), memory_(std::move(memory)) {}

  kj::Promise<void> createSession(CreateSessionContext context) override;
  kj::Promise<void> listDevices(ListDevicesContext context) override;
  kj::Promise<void> cluster(ClusterContext context) override;
  kj::Promise<void> reset(ResetContext context) override;
  kj::Promise<void> nodeInfo(NodeInfoContext context) override;
  kj::Promise<void> explain(ExplainContext context) override;

 private:
  kj::Promise<Result<NodeInfo>> ask_node_info();
  kj::Promise<void> open_session(
      CreateSessionContext context, SessionActor session, std::vector<NodeDef> nodes);

  KjUnit& unit_;
  MasterActor master_;
  std::shared_ptr<MessageMemory> memory_;
};

// The call is not cancelled when its client goes: the session would then be nobody's to close.
kj::Promise<void> MasterServer::createSession(CreateSessionContext context) {
  auto nodes = checked([&] { return to_node_defs(context.getParams().getGraph().getNodes()); });
  context.releaseParams();
  if (!nodes) {
    fill(context.getResults().initStatus(), nodes.status());
    return kj::READY_NOW;
  }
  auto request = [&](Done<SessionActor> done) {
    tell(master_, CreateSession{std::move(done)}, &unit_);
  };
  return ask<Result<SessionActor>>(unit_, request)
      .then(
          [this, context,
           nodes = *std::move(nodes)](Result<SessionActor> session) mutable -> kj::Promise<void> {
            if (session) return open_session(context, *std::move(session), std::move(nodes));
            fill(context.getResults().initStatus(), session.status());
            return kj::READY_NOW;
          });
}

/// Puts the nodes into the new session and hands it out; dropped on an error, it closes.
kj::Promise<void> MasterServer::open_session(
    CreateSessionContext context, SessionActor session, std::vector<NodeDef> nodes) {
  auto server = make_session_server(unit_, session, memory_);
  if (nodes.empty()) {
    fill(context.getResults().initStatus(), Status());
    context.getResults().setSession(kj::mv(server));
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(session, Extend{std::move(nodes), /*expected_size=*/0, std::move(done)}, &unit_);
  };
  return ask<Status>(unit_, request)
      .then([context, server = kj::mv(server)](Status status) mutable {
        fill(context.getResults().initStatus(), status);
        if (status.ok()) context.getResults().setSession(kj::mv(server));
      });
}

kj::Promise<void> MasterServer::listDevices(ListDevicesContext context) {
  auto timeout = to_timeout(context.getParams().getTimeoutMs());
  if (!timeout) {
    fill(context.getResults().initStatus(), timeout.status());
    return kj::READY_NOW;
  }
  context.allowCancellation();
  auto request = [&](Done<DeviceList> done) {
    tell(master_, ListDevices{*timeout, std::move(done)}, &unit_);
  };
  return ask<Result<DeviceList>>(unit_, request).then([context](Result<DeviceList> list) mutable {
    fill(context.getResults().initStatus(), list.status());
    if (list) fill(context.getResults(), *list);
  });
}

kj::Promise<void> MasterServer::reset(ResetContext context) {
  auto timeout = to_timeout(context.getParams().getTimeoutMs());
  auto containers = checked([&] { return to_texts(context.getParams().getContainers()); });
  if (!timeout || !containers) {
    fill(context.getResults().initStatus(), timeout ? containers.status() : timeout.status());
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(master_, Reset{{*std::move(containers)}, *timeout, std::move(done)}, &unit_);
  };
  return ask<Status>(unit_, request).then([context](Status status) mutable {
    fill(context.getResults().initStatus(), status);
  });
}

kj::Promise<Result<NodeInfo>> MasterServer::ask_node_info() {
  auto request = [&](Done<NodeInfo> done) { tell(master_, GetNodeInfo{std::move(done)}, &unit_); };
  return ask<Result<NodeInfo>>(unit_, request);
}

kj::Promise<void> MasterServer::cluster(ClusterContext context) {
  return ask_node_info().then([context](Result<NodeInfo> info) mutable {
    fill(context.getResults().initStatus(), info.status());
    if (info) fill(context.getResults().initCluster(), info->cluster);
  });
}

kj::Promise<void> MasterServer::nodeInfo(NodeInfoContext context) {
  return ask_node_info().then([context](Result<NodeInfo> info) mutable {
    fill(context.getResults().initStatus(), info.status());
    if (info) fill(context.getResults().initInfo(), *info);
  });
}

kj::Promise<void> MasterServer::explain(ExplainContext context) {
  auto timeout = to_timeout(context.getParams().getTimeoutMs());
  if (!timeout) {
    fill(context.getResults().initStatus(), timeout.status());
    return kj::READY_NOW;
  }
  context.allowCancellation();
  using Steps = std::vector<WaitingStep>;
  auto request = [&](Done<Steps> done) {
    tell(master_, Explain{*timeout, std::move(done)}, &unit_);
  };
  return ask<Result<Steps>>(unit_, request).then([context](Result<Steps> steps) mutable {
    fill(context.getResults().initStatus(), steps.status());
    if (steps) fill(context.getResults().initSteps(static_cast<unsigned>(steps->size())), *steps);
  });
}

}  // namespace

rpc::Master::Client make_master_server(
    KjUnit& unit, MasterActor master, std::shared_ptr<MessageMemory> memory) {
  return kj::heap<MasterServer>(unit, std::move(master), std::move(memory));
}

}  // namespace troupe
