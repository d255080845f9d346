#include "troupe/capnp/server/session_server.hpp"

#include <kj/memory.h>

#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/convert_tensor.hpp"
#include "troupe/capnp/server/ask.hpp"

namespace troupe {
namespace {

class SessionServer final : public rpc::Session::Server {
 public:
  SessionServer(KjUnit& unit, SessionActor session, std::shared_ptr<MessageMemory> memory)
      : unit_(unit), session_(std::move(session)), memory_(std::move(memory)) {}
  ~SessionServer() noexcept {
    if (is_closed_) return;
    tell(session_, Close{[](Status) {}}, &unit_);
    unit_.drain_soon();
  }

  kj::Promise<void> extend(ExtendContext context) override;
  kj::Promise<void> run(RunContext context) override;
  kj::Promise<void> close(CloseContext context) override;

 private:
  KjUnit& unit_;
  SessionActor session_;
  std::shared_ptr<MessageMemory> memory_;
  CallId next_call_ = 1;
  bool is_closed_ = false;
};

Status closed() { return failed_precondition("the session is closed"); }

/// Cancels a step whose call was dropped before it ended.
struct RunningStep {
  KjUnit& unit;
  SessionActor session;
  CallId call;
  bool has_ended = false;

  ~RunningStep() {
    if (has_ended) return;
    tell(session, CancelRun{call}, &unit);
    unit.drain_soon();
  }
};

/// All but the callback.
Result<Run> to_run(rpc::Session::RunParams::Reader params, const MessageMemory& memory) {
  auto feeds = to_feeds(params.getFeeds(), &memory);
  if (!feeds) return feeds.status();
  auto fetches = to_texts(params.getFetches());
  if (!fetches) return fetches.status();
  auto targets = to_texts(params.getTargets());
  if (!targets) return targets.status();
  auto timeout = to_timeout(params.getOptions().getTimeoutMs());
  if (!timeout) return timeout.status();
  return Run{
      .call = 0,
      .feeds = *std::move(feeds),
      .fetches = *std::move(fetches),
      .targets = *std::move(targets),
      .options = {.timeout = *timeout},
      .done = {}};
}

void answer_run(
    rpc::Session::RunResults::Builder results, const Result<Tensors>& values,
    MessageMemory& memory) {
  auto status = values ? check_sendable(*values) : values.status();
  fill(results.initStatus(), status);
  if (!status.ok()) return;
  Lender lender{.memory = &memory};
  fill(results.initValues(static_cast<unsigned>(values->size())), *values, lender);
}

kj::Promise<void> SessionServer::extend(ExtendContext context) {
  auto params = context.getParams();
  auto expected_size = params.getExpectedSize();
  auto nodes = checked([&] { return to_node_defs(params.getNodes()); });
  context.releaseParams();
  if (is_closed_ || !nodes) {
    fill(context.getResults().initStatus(), is_closed_ ? closed() : nodes.status());
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) {
    tell(session_, Extend{*std::move(nodes), expected_size, std::move(done)}, &unit_);
  };
  return ask<Status>(unit_, request).then([context](Status status) mutable {
    fill(context.getResults().initStatus(), status);
  });
}

kj::Promise<void> SessionServer::run(RunContext context) {
  auto run = checked([&] { return to_run(context.getParams(), *memory_); });
  context.releaseParams();
  if (is_closed_ || !run) {
    fill(context.getResults().initStatus(), is_closed_ ? closed() : run.status());
    return kj::READY_NOW;
  }
  context.allowCancellation();
  run->call = next_call_++;
  auto step = std::make_shared<RunningStep>(unit_, session_, run->call);
  auto request = [&](Done<Tensors> done) {
    run->done = std::move(done);
    tell(session_, *std::move(run), &unit_);
  };
  return ask<Result<Tensors>>(unit_, request)
      .then([this, context, step](Result<Tensors> values) mutable {
        step->has_ended = true;
        answer_run(context.getResults(), values, *memory_);
      });
}

kj::Promise<void> SessionServer::close(CloseContext context) {
  if (std::exchange(is_closed_, true)) {
    fill(context.getResults().initStatus(), Status());
    return kj::READY_NOW;
  }
  auto request = [&](DoneStatus done) { tell(session_, Close{std::move(done)}, &unit_); };
  return ask<Status>(unit_, request).then([context](Status status) mutable {
    fill(context.getResults().initStatus(), status);
  });
}

}  // namespace

rpc::Session::Client make_session_server(
    KjUnit& unit, SessionActor session, std::shared_ptr<MessageMemory> memory) {
  return kj::heap<SessionServer>(unit, std::move(session), std::move(memory));
}

}  // namespace troupe
