#include "troupe/capnp/server/session_server.hpp"

#include <kj/memory.h>

#include <utility>

#include "troupe/capnp/convert_tensor.hpp"
#include "troupe/capnp/server/made_servers.hpp"
#include "troupe/capnp/server/session_line.hpp"

namespace troupe {
namespace {

class SessionServer final : public rpc::Session::Server {
 public:
  explicit SessionServer(SharedLine line) : line_(std::move(line)) {}
  ~SessionServer() noexcept {
    if (!std::exchange(line_->is_closed, true)) line_->tell_soon(Close{[](const Status&) {}});
  }

  kj::Promise<void> extend(ExtendContext context) override;
  kj::Promise<void> run(RunContext context) override;
  kj::Promise<void> makeCallable(MakeCallableContext context) override;
  kj::Promise<void> setUpPartialRun(SetUpPartialRunContext context) override;
  kj::Promise<void> close(CloseContext context) override;

 private:
  template <class Call, class Context, class HandOut>
  kj::Promise<void> make(Context context, HandOut hand_out);

  SharedLine line_;
};

/// What the parameters say of a step; all but the id and the callbacks.
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

Result<Run> to_run(rpc::Session::RunParams::Reader params, Intake& intake) {
  return to_call<Run>(to_feeds(params.getFeeds(), &intake), params);
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
  context.releaseParams();
  if (line_->is_closed || !nodes) {
    auto status = line_->is_closed ? SessionLine::closed() : nodes.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(line_->session, Extend{*std::move(nodes), expected_size, std::move(done)}, &line_->unit);
  };
  return ask<Status>(line_->unit, request).then([context](Status status) mutable {
    fill(context.getResults().initStatus(), status);
  });
}

kj::Promise<void> SessionServer::run(RunContext context) {
  Intake intake{.memory = line_->memory.get(), .rests = {}};
  auto run = checked([&] { return to_run(context.getParams(), intake); });
  return with_tensors(
      context, std::move(run), std::move(intake), [line = line_, context](Result<Run> whole) {
        return answer_with_step(line, context, std::move(whole));
      });
}

/// Makes what the call asks for; `hand_out` puts it into the results. Whoever drops what he was
/// given, or does not wait for it, lets it go.
template <class Call, class Context, class HandOut>
kj::Promise<void> SessionServer::make(Context context, HandOut hand_out) {
  auto call = checked([&] { return to_named_step<Call>(context.getParams()); });
  context.releaseParams();
  if (line_->is_closed || !call) {
    auto status = line_->is_closed ? SessionLine::closed() : call.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  context.allowCancellation();
  call->call = line_->next_call++;
  auto made = kj::heap<Made>(line_, call->call);
  auto request = [&](DoneStatus done) {
    call->done = std::move(done);
    tell(line_->session, *std::move(call), &line_->unit);
  };
  return ask<Status>(line_->unit, request)
      .then([context, hand_out, made = kj::mv(made)](Status status) mutable {
        auto results = context.getResults();
        fill(results.initStatus(), status);
        if (status.ok()) hand_out(results, kj::mv(made));
      });
}

kj::Promise<void> SessionServer::makeCallable(MakeCallableContext context) {
  return make<MakeCallable>(context, [](auto& results, kj::Own<Made> made) {
    results.setCallable(make_callable_server(kj::mv(made)));
  });
}

kj::Promise<void> SessionServer::setUpPartialRun(SetUpPartialRunContext context) {
  return make<SetUpPartialRun>(context, [](auto& results, kj::Own<Made> made) {
    results.setPartialRun(make_partial_run_server(kj::mv(made)));
  });
}

kj::Promise<void> SessionServer::close(CloseContext context) {
  if (std::exchange(line_->is_closed, true)) {
    fill(context.getResults().initStatus(), Status());
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(line_->session, Close{std::move(done)}, &line_->unit);
  };
  return ask<Status>(line_->unit, request).then([context](Status status) mutable {
    fill(context.getResults().initStatus(), status);
  });
}

}  // namespace

rpc::Session::Client make_session_server(
    KjUnit& unit, SessionActor session, std::shared_ptr<MessageMemory> memory) {
  auto line = SharedLine(
      new SessionLine{.unit = unit, .session = std::move(session), .memory = std::move(memory)});
  return kj::heap<SessionServer>(std::move(line));
}

}  // namespace troupe
