#include "troupe/capnp/server/services/master_server.hpp"

#include <kj/memory.h>

#include <chrono>
#include <string>
#include <utility>

#include "troupe/capnp/convert/convert_resources.hpp"
#include "troupe/capnp/convert/convert_runners.hpp"
#include "troupe/capnp/convert/convert_session.hpp"
#include "troupe/capnp/convert/convert_session_list.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/server/services/ask.hpp"
#include "troupe/capnp/server/services/session_server.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;

class MasterServer final : public rpc::Master::Server {
 public:
  MasterServer(
      EventLoopExecutionUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
      std::string client)
      : unit_(unit), service_(service), memory_(std::move(memory)), client_(std::move(client)) {}

  kj::Promise<void> createSession(CreateSessionContext context) override;
  kj::Promise<void> listDevices(ListDevicesContext context) override;
  kj::Promise<void> cluster(ClusterContext context) override;
  kj::Promise<void> listResources(ListResourcesContext context) override;
  kj::Promise<void> listRunners(ListRunnersContext context) override;
  kj::Promise<void> listSessions(ListSessionsContext context) override;
  kj::Promise<void> controlRunner(ControlRunnerContext context) override;
  kj::Promise<void> reset(ResetContext context) override;
  kj::Promise<void> nodeInfo(NodeInfoContext context) override;
  kj::Promise<void> listWaitingSteps(ListWaitingStepsContext context) override;
  kj::Promise<void> traceNextStep(TraceNextStepContext context) override;
  kj::Promise<void> drain(DrainContext context) override;
  kj::Promise<void> forgetTask(ForgetTaskContext context) override;
  kj::Promise<void> stop(StopContext context) override;
  kj::Promise<void> clock(ClockContext context) override;

 private:
  /// Answers with the status that `request`, given the call's timeout, calls back with.
  template <class Context, class Request>
  kj::Promise<void> answer_in_time(Context context, Request request);
  /// Sends the task a Query with the call's timeout, and answers with its result.
  template <class Query, class Answer, class Context, class Fill>
  kj::Promise<void> answer_query(Context context, Fill fill_results);
  kj::Promise<Result<NodeInfo>> ask_node_info();
  kj::Promise<void> open_session(
      CreateSessionContext context, SessionActor session, std::shared_ptr<const SessionEnd> end,
      GraphMessage graph);

  EventLoopExecutionUnit& unit_;
  const Service& service_;
  std::shared_ptr<MessageMemory> memory_;
  const std::string client_;
};

template <class Context, class Request>
kj::Promise<void> MasterServer::answer_in_time(Context context, Request request) {
  auto timeout = to_timeout(context.getParams().getTimeoutMs());
  if (!timeout) {
    fill(context.getResults().initStatus(), timeout.status());
    return kj::READY_NOW;
  }
  auto send = [&](DoneStatus done) { request(*timeout, std::move(done)); };
  return ask<Status>(unit_, send).then([context](Status status) mutable {
    fill(context.getResults().initStatus(), status);
  });
}

template <class Query, class Answer, class Context, class Fill>
kj::Promise<void> MasterServer::answer_query(Context context, Fill fill_results) {
  auto timeout = to_timeout(context.getParams().getTimeoutMs());
  if (!timeout) {
    fill(context.getResults().initStatus(), timeout.status());
    return kj::READY_NOW;
  }
  context.allowCancellation();
  auto request = [&](Done<Answer> done) {
    tell(service_.master, Query{*timeout, std::move(done)}, &unit_);
  };
  return ask<Result<Answer>>(unit_, request)
      .then([context, fill_results](Result<Answer> answer) mutable {
        fill(context.getResults().initStatus(), answer.status());
        if (answer) fill_results(context.getResults(), *answer);
      });
}

// Not cancellable: if the client disconnects meanwhile, the new session must still arrive here, so
// that dropping its capability closes it.
kj::Promise<void> MasterServer::createSession(CreateSessionContext context) {
  auto graph = checked([&] { return to_graph(context.getParams().getGraph()); });
  auto options = checked([&] { return to_session_options(context.getParams().getOptions()); });
  context.releaseParams();
  if (!graph || !options) {
    fill(context.getResults().initStatus(), graph ? options.status() : graph.status());
    return kj::READY_NOW;
  }
  auto warnings = warnings_of(*options);
  fill(context.getResults().initWarnings(static_cast<unsigned>(warnings.size())), warnings);
  auto end = std::make_shared<SessionEnd>();
  auto request = [&](Done<SessionActor> done) {
    tell(
        service_.master, CreateSession{std::move(done), *std::move(options), end, client_}, &unit_);
  };
  return ask<Result<SessionActor>>(unit_, request)
      .then(
          [this, context, end,
           graph = *std::move(graph)](Result<SessionActor> session) mutable -> kj::Promise<void> {
            if (session) return open_session(context, *std::move(session), end, std::move(graph));
            fill(context.getResults().initStatus(), session.status());
            return kj::READY_NOW;
          });
}

/// Extends the new session with the graph and returns its capability. On an error the capability is
/// dropped, which closes the session.
kj::Promise<void> MasterServer::open_session(
    CreateSessionContext context, SessionActor session, std::shared_ptr<const SessionEnd> end,
    GraphMessage graph) {
  auto server = make_session_server(unit_, session, end, memory_);
  if (graph.nodes.empty() && graph.functions.empty()) {
    fill(context.getResults().initStatus(), Status());
    context.getResults().setSession(kj::mv(server));
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(
        session,
        Extend{
            std::move(graph.nodes), /*expected_size=*/0, std::move(done),
            std::move(graph.functions)},
        &unit_);
  };
  return ask<Status>(unit_, request, end)
      .then([context, server = kj::mv(server)](Status status) mutable {
        fill(context.getResults().initStatus(), status);
        if (status.ok()) context.getResults().setSession(kj::mv(server));
      });
}

kj::Promise<void> MasterServer::listDevices(ListDevicesContext context) {
  return answer_query<ListDevices, DeviceList>(
      context, [](auto results, const DeviceList& list) { fill(results, list); });
}

kj::Promise<void> MasterServer::listResources(ListResourcesContext context) {
  return answer_query<ListResources, ResourceList>(
      context, [](auto results, const ResourceList& list) { fill(results, list); });
}

kj::Promise<void> MasterServer::listRunners(ListRunnersContext context) {
  return answer_query<ListRunners, RunnerList>(
      context, [](auto results, const RunnerList& list) { fill(results, list); });
}

kj::Promise<void> MasterServer::listSessions(ListSessionsContext context) {
  return answer_query<ListSessions, SessionList>(
      context, [](auto results, const SessionList& list) { fill(results, list); });
}

kj::Promise<void> MasterServer::controlRunner(ControlRunnerContext context) {
  auto params = context.getParams();
  auto action = to_runner_action(params.getAction());
  if (!action) {
    fill(context.getResults().initStatus(), action.status());
    return kj::READY_NOW;
  }
  return answer_in_time(context, [&](milliseconds time, DoneStatus done) {
    ResourceName name{params.getContainer().cStr(), params.getName().cStr()};
    ControlRunner call{{std::move(name), *action}, time, std::move(done)};
    tell(service_.master, std::move(call), &unit_);
  });
}

kj::Promise<void> MasterServer::reset(ResetContext context) {
  auto params = context.getParams();
  auto containers = checked([&] { return to_texts(context.getParams().getContainers()); });
  if (!containers) {
    fill(context.getResults().initStatus(), containers.status());
    return kj::READY_NOW;
  }
  return answer_in_time(context, [&](milliseconds time, DoneStatus done) {
    ContainerChoice choice{.names = *std::move(containers), .all = params.getAll()};
    Reset call{std::move(choice), time, std::move(done), params.getOnlyTask().cStr()};
    tell(service_.master, std::move(call), &unit_);
  });
}

kj::Promise<Result<NodeInfo>> MasterServer::ask_node_info() {
  auto request = [&](Done<NodeInfo> done) {
    tell(service_.master, GetNodeInfo{std::move(done)}, &unit_);
  };
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

kj::Promise<void> MasterServer::listWaitingSteps(ListWaitingStepsContext context) {
  return answer_query<ListWaitingSteps, std::vector<WaitingStep>>(
      context, [](auto results, const std::vector<WaitingStep>& steps) {
        fill(results.initSteps(static_cast<unsigned>(steps.size())), steps);
      });
}

kj::Promise<void> MasterServer::traceNextStep(TraceNextStepContext context) {
  auto params = context.getParams();
  auto timeout = to_timeout(params.getTimeoutMs());
  if (!timeout) {
    fill(context.getResults().initStatus(), timeout.status());
    return kj::READY_NOW;
  }
  RunOptions options{
      .timeout = *timeout,
      .trace = params.getTrace() ? Trace::full : Trace::none,
      .output_partition_graphs = params.getPartitionGraphs()};
  auto request = [&](Done<RunMetadata> done) {
    tell(service_.master, TraceNextStep{params.getSession(), options, std::move(done)}, &unit_);
  };
  context.allowCancellation();
  return ask<Result<RunMetadata>>(unit_, request)
      .then([this, context](Result<RunMetadata> metadata) mutable {
        fill(context.getResults().initStatus(), metadata.status());
        if (!metadata) return;
        auto segment_budget = segment_budget_for_values(*memory_);
        fill(context.getResults().initMetadata(), *metadata, segment_budget);
      });
}

kj::Promise<void> MasterServer::drain(DrainContext context) {
  return answer_in_time(context, [this](milliseconds time, DoneStatus done) {
    tell(service_.master, Drain{time, std::move(done)}, &unit_);
  });
}

kj::Promise<void> MasterServer::forgetTask(ForgetTaskContext context) {
  return answer_in_time(context, [&](milliseconds time, DoneStatus done) {
    ForgetTask call{context.getParams().getTask().cStr(), time, std::move(done)};
    tell(service_.master, std::move(call), &unit_);
  });
}

kj::Promise<void> MasterServer::stop(StopContext context) {
  return answer_in_time(context, [this](milliseconds time, DoneStatus done) {
    service_.stop(time, std::move(done));
  });
}

/// Without an actor: the less happens before the clock is read, the better the answer is.
kj::Promise<void> MasterServer::clock(ClockContext context) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  context.getResults().setUnixNs(std::chrono::nanoseconds(now).count());
  fill(context.getResults().initStatus(), Status());
  return kj::READY_NOW;
}

}  // namespace

rpc::Master::Client make_master_server(
    EventLoopExecutionUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
    std::string client) {
  return kj::heap<MasterServer>(unit, service, std::move(memory), std::move(client));
}

}  // namespace troupe
