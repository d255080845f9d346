#include "troupe/capnp/server/services/session_server.hpp"

#include <kj/memory.h>

#include <utility>

#include "troupe/capnp/convert/convert_explanation.hpp"
#include "troupe/capnp/convert/convert_runners.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/server/services/session_handle.hpp"
#include "troupe/capnp/server/services/session_object_servers.hpp"

namespace troupe {
namespace {

class SessionServer final : public rpc::Session::Server {
 public:
  explicit SessionServer(SharedSessionHandle handle) : handle_(std::move(handle)) {}
  ~SessionServer() noexcept {
    if (!std::exchange(handle_->is_closed, true)) handle_->tell_soon(Close{[](const Status&) {}});
  }

  kj::Promise<void> extend(ExtendContext context) override;
  kj::Promise<void> run(RunContext context) override;
  kj::Promise<void> makeCallable(MakeCallableContext context) override;
  kj::Promise<void> setUpPartialRun(SetUpPartialRunContext context) override;
  kj::Promise<void> close(CloseContext context) override;
  kj::Promise<void> explain(ExplainContext context) override;
  kj::Promise<void> startRunner(StartRunnerContext context) override;

 private:
  template <class Call, class Context, class SetResult>
  kj::Promise<void> make(Context context, SetResult set_result);

  SharedSessionHandle handle_;
};

/// The message for a step from the parameters of a call, without id and callbacks.
template <class Call, class Feeds, class Params>
Result<Call> to_call(Result<Feeds> feeds, Params params) {
  if (!feeds) return feeds.status();
  auto fetches = to_texts(params.getFetches());
  if (!fetches) return fetches.status();
  auto targets = to_texts(params.getTargets());
  if (!targets) return targets.status();
  auto options = to_run_options(params.getOptions());
  if (!options) return options.status();
  return Call{
      .call = 0,
      .feeds = *std::move(feeds),
      .fetches = *std::move(fetches),
      .targets = *std::move(targets),
      .options = *options,
      .done = {}};
}

Result<Run> to_run(rpc::Session::RunParams::Reader params, DeferredTensors& deferred) {
  return to_call<Run>(to_feeds(params.getFeeds(), &deferred), params);
}

Result<ExplainSignature> to_signature(rpc::Session::ExplainParams::Reader params) {
  auto feeds = to_texts(params.getFeeds());
  auto fetches = to_texts(params.getFetches());
  auto targets = to_texts(params.getTargets());
  for (const auto* names : {&feeds, &fetches, &targets})
    if (!*names) return names->status();
  return ExplainSignature{
      .feeds = *std::move(feeds),
      .fetches = *std::move(fetches),
      .targets = *std::move(targets),
      .done = {}};
}

/// A MakeCallable or a SetUpPartialRun.
template <class Call, class Params>
Result<Call> to_named_step(Params params) {
  return to_call<Call>(to_texts(params.getFeeds()), params);
}

kj::Promise<void> SessionServer::extend(ExtendContext context) {
  auto params = context.getParams();
  auto expected_size = params.getExpectedSize();
  auto nodes = checked([&] { return to_node_defs(params.getNodes()); });
  auto functions = checked([&] { return to_function_defs(params.getFunctions()); });
  context.releaseParams();
  if (handle_->is_closed || !nodes || !functions) {
    auto status = handle_->is_closed ? SessionEnd::closed_by_client()
                  : nodes            ? functions.status()
                                     : nodes.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(
        handle_->session,
        Extend{*std::move(nodes), expected_size, std::move(done), *std::move(functions)},
        &handle_->unit);
  };
  return handle_->ask<Status>(request).then(
      [context](Status status) mutable { fill(context.getResults().initStatus(), status); });
}

kj::Promise<void> SessionServer::run(RunContext context) {
  DeferredTensors deferred{.memory = handle_->memory.get(), .remaining = {}};
  auto run = checked([&] { return to_run(context.getParams(), deferred); });
  return with_tensors(
      context, std::move(run), std::move(deferred), [handle = handle_, context](Result<Run> whole) {
        return answer_with_step(handle, context, std::move(whole));
      });
}

/// Has the session make an object (a callable or a partial run), whose capability `set_result` puts
/// into the results. The object is released when the call or the capability is dropped.
template <class Call, class Context, class SetResult>
kj::Promise<void> SessionServer::make(Context context, SetResult set_result) {
  auto call = checked([&] { return to_named_step<Call>(context.getParams()); });
  context.releaseParams();
  if (handle_->is_closed || !call) {
    auto status = handle_->is_closed ? SessionEnd::closed_by_client() : call.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  context.allowCancellation();
  call->call = handle_->next_call++;
  auto object = kj::heap<SessionObject>(handle_, call->call);
  auto request = [&](DoneStatus done) {
    call->done = std::move(done);
    tell(handle_->session, *std::move(call), &handle_->unit);
  };
  return handle_->ask<Status>(request).then(
      [context, set_result, object = kj::mv(object)](Status status) mutable {
        auto results = context.getResults();
        fill(results.initStatus(), status);
        if (status.ok()) set_result(results, kj::mv(object));
      });
}

kj::Promise<void> SessionServer::makeCallable(MakeCallableContext context) {
  return make<MakeCallable>(context, [](auto& results, kj::Own<SessionObject> object) {
    results.setCallable(make_callable_server(kj::mv(object)));
  });
}

kj::Promise<void> SessionServer::setUpPartialRun(SetUpPartialRunContext context) {
  return make<SetUpPartialRun>(context, [](auto& results, kj::Own<SessionObject> object) {
    results.setPartialRun(make_partial_run_server(kj::mv(object)));
  });
}

kj::Promise<void> SessionServer::explain(ExplainContext context) {
  auto call = checked([&] { return to_signature(context.getParams()); });
  context.releaseParams();
  if (handle_->is_closed || !call) {
    auto status = handle_->is_closed ? SessionEnd::closed_by_client() : call.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  context.allowCancellation();
  auto request = [&](Done<StepExplanation> done) {
    call->done = std::move(done);
    tell(handle_->session, *std::move(call), &handle_->unit);
  };
  return handle_->ask<Result<StepExplanation>>(request).then(
      [context](Result<StepExplanation> explanation) mutable {
        fill(context.getResults().initStatus(), explanation.status());
        if (explanation) fill(context.getResults().initExplanation(), *explanation);
      });
}

kj::Promise<void> SessionServer::startRunner(StartRunnerContext context) {
  auto spec = to_runner_spec(context.getParams());
  if (handle_->is_closed || !spec) {
    auto status = handle_->is_closed ? SessionEnd::closed_by_client() : spec.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    StartRunner call{context.getParams().getName().cStr(), *std::move(spec), std::move(done)};
    tell(handle_->session, std::move(call), &handle_->unit);
  };
  return handle_->ask<Status>(request).then(
      [context](Status status) mutable { fill(context.getResults().initStatus(), status); });
}

kj::Promise<void> SessionServer::close(CloseContext context) {
  if (std::exchange(handle_->is_closed, true)) {
    fill(context.getResults().initStatus(), Status());
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(handle_->session, Close{std::move(done)}, &handle_->unit);
  };
  // One that has ended already is closed, as was asked.
  return handle_->ask<Status>(request).then(
      [context](const Status&) mutable { fill(context.getResults().initStatus(), Status()); });
}

}  // namespace

rpc::Session::Client make_session_server(
    EventLoopExecutionUnit& unit, SessionActor session, std::shared_ptr<const SessionEnd> end,
    std::shared_ptr<MessageMemory> memory) {
  auto handle = SharedSessionHandle(new SessionHandle{
      .unit = unit,
      .session = std::move(session),
      .end = std::move(end),
      .memory = std::move(memory)});
  return kj::heap<SessionServer>(std::move(handle));
}

}  // namespace troupe
