#include "troupe/capnp/server/made_servers.hpp"

#include <utility>

#include "troupe/capnp/convert_tensor.hpp"

namespace troupe {
namespace {

class CallableServer final : public rpc::Callable::Server {
 public:
  explicit CallableServer(kj::Own<Made> callable) : callable_(kj::mv(callable)) {}

  kj::Promise<void> run(RunContext context) override {
    Intake intake{.memory = callable_->line->memory.get(), .rests = {}};
    auto run = checked([&] { return to_run(context.getParams(), intake); });
    return with_tensors(
        context, std::move(run), std::move(intake),
        [line = callable_->line, context](Result<RunCallable> whole) {
          return answer_with_step(line, context, std::move(whole));
        });
  }

 private:
  Result<RunCallable> to_run(RunParams::Reader params, Intake& intake) const {
    auto feeds = to_tensors(params.getFeeds(), &intake);
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

  kj::Own<Made> callable_;
};

class PartialRunServer final : public rpc::PartialRun::Server {
 public:
  explicit PartialRunServer(kj::Own<Made> partial_run) : partial_run_(kj::mv(partial_run)) {}

  kj::Promise<void> run(RunContext context) override {
    Intake intake{.memory = partial_run_->line->memory.get(), .rests = {}};
    auto run = checked([&] { return to_run(context.getParams(), intake); });
    return with_tensors(
        context, std::move(run), std::move(intake),
        [this, context](Result<RunPartially> whole) { return go_on(context, std::move(whole)); });
  }

 private:
  kj::Promise<void> go_on(RunContext context, Result<RunPartially> run) {
    auto& line = *partial_run_->line;
    if (line.is_closed || !run) {
      auto status = line.is_closed ? SessionLine::closed() : run.status();
      fill(context.getResults().initStatus(), status);
      return kj::READY_NOW;
    }
    context.allowCancellation();  // who drops the call and the partial run wants neither
    auto request = [&](Done<Tensors> done) {
      run->done = std::move(done);
      tell(line.session, *std::move(run), &line.unit);
    };
    return ask<Result<Tensors>>(line.unit, request)
        .then([this, context](Result<Tensors> values) mutable {
          fill(context.getResults(), values, RunMetadata{}, *partial_run_->line->memory);
        });
  }

  Result<RunPartially> to_run(RunParams::Reader params, Intake& intake) const {
    auto feeds = to_feeds(params.getFeeds(), &intake);
    if (!feeds) return feeds.status();
    auto fetches = to_texts(params.getFetches());
    if (!fetches) return fetches.status();
    return RunPartially{
        .partial_run = partial_run_->id,
        .feeds = *std::move(feeds),
        .fetches = *std::move(fetches),
        .done = {}};
  }

  kj::Own<Made> partial_run_;
};

}  // namespace

rpc::Callable::Client make_callable_server(kj::Own<Made> callable) {
  return kj::heap<CallableServer>(kj::mv(callable));
}

rpc::PartialRun::Client make_partial_run_server(kj::Own<Made> partial_run) {
  return kj::heap<PartialRunServer>(kj::mv(partial_run));
}

}  // namespace troupe
