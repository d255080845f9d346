#include "troupe/capnp/server/services/session_object_servers.hpp"

#include <utility>

#include "troupe/capnp/convert/convert_tensor.hpp"

namespace troupe {
namespace {

class CallableServer final : public rpc::Callable::Server {
 public:
  explicit CallableServer(kj::Own<SessionObject> callable) : callable_(kj::mv(callable)) {}

  kj::Promise<void> run(RunContext context) override {
    DeferredTensors deferred{.memory = callable_->handle->memory.get(), .remaining = {}};
    auto run = checked([&] { return to_run(context.getParams(), deferred); });
    return with_tensors(
        context, std::move(run), std::move(deferred),
        [handle = callable_->handle, context](Result<RunCallable> whole) {
          return answer_with_step(handle, context, std::move(whole));
        });
  }

 private:
  Result<RunCallable> to_run(RunParams::Reader params, DeferredTensors& deferred) const {
    auto feeds = to_tensors(params.getFeeds(), &deferred);
    if (!feeds) return feeds.status();
    auto options = to_run_options(params.getOptions());
    if (!options) return options.status();
    return RunCallable{
        .call = 0,
        .callable = callable_->id,
        .feeds = *std::move(feeds),
        .options = *options,
        .done = {}};
  }

  kj::Own<SessionObject> callable_;
};

class PartialRunServer final : public rpc::PartialRun::Server {
 public:
  explicit PartialRunServer(kj::Own<SessionObject> partial_run)
      : partial_run_(kj::mv(partial_run)) {}

  kj::Promise<void> run(RunContext context) override {
    DeferredTensors deferred{.memory = partial_run_->handle->memory.get(), .remaining = {}};
    auto run = checked([&] { return to_run(context.getParams(), deferred); });
    return with_tensors(
        context, std::move(run), std::move(deferred), [this, context](Result<RunPartially> whole) {
          return run_further(context, std::move(whole));
        });
  }

 private:
  kj::Promise<void> run_further(RunContext context, Result<RunPartially> run) {
    auto& handle = *partial_run_->handle;
    if (handle.is_closed || !run) {
      auto status = handle.is_closed ? SessionEnd::closed_by_client() : run.status();
      fill(context.getResults().initStatus(), status);
      return kj::READY_NOW;
    }
    context.allowCancellation();  // a client that drops both ends both
    auto request = [&](Done<Tensors> done) {
      run->done = std::move(done);
      tell(handle.session, *std::move(run), &handle.unit);
    };
    return handle.ask<Result<Tensors>>(request).then(
        [this, context](Result<Tensors> values) mutable {
          fill(context.getResults(), values, RunMetadata{}, *partial_run_->handle->memory);
        });
  }

  Result<RunPartially> to_run(RunParams::Reader params, DeferredTensors& deferred) const {
    auto feeds = to_feeds(params.getFeeds(), &deferred);
    if (!feeds) return feeds.status();
    auto fetches = to_texts(params.getFetches());
    if (!fetches) return fetches.status();
    return RunPartially{
        .partial_run = partial_run_->id,
        .feeds = *std::move(feeds),
        .fetches = *std::move(fetches),
        .done = {}};
  }

  kj::Own<SessionObject> partial_run_;
};

}  // namespace

rpc::Callable::Client make_callable_server(kj::Own<SessionObject> callable) {
  return kj::heap<CallableServer>(kj::mv(callable));
}

rpc::PartialRun::Client make_partial_run_server(kj::Own<SessionObject> partial_run) {
  return kj::heap<PartialRunServer>(kj::mv(partial_run));
}

}  // namespace troupe
