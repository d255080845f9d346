#include <algorithm>

#include "troupe/actors/local/local_session.hpp"
#include "troupe/actors/sim/session_state.hpp"

namespace troupe::sim {

// -- calls

std::shared_ptr<OpenCalls::Promise> SessionState::open(const Call& call) {
  auto promise = cluster.open(*master, call, end);
  if (!actor) promise->resolve(master->lost_status());
  if (!lost.ok()) promise->resolve(lost);
  return promise;
}

void SessionState::send_graph(const Graph& graph, DoneStatus done) {
  auto before = sent;
  auto functions_before = sent_functions;
  Extend extend{
      .nodes = {},
      .expected_size = static_cast<uint64_t>(before),
      .done = {},
      .functions = graph.library().defs_from(functions_before)};
  for (auto id = before; id < graph.size(); ++id) extend.nodes.push_back(graph.def_of(id));
  sent = std::max(before, graph.size());
  sent_functions = graph.library().size();
  extend.done = [self = shared_from_this(), before, functions_before,
                 done = std::move(done)](Status status) {
    if (!status.ok()) {
      self->sent = std::min(self->sent, before);
      self->sent_functions = std::min(self->sent_functions, functions_before);
    }
    done(std::move(status));
  };
  tell(actor, std::move(extend));
}

Call SessionState::extend(const Graph& graph) {
  Call call;
  auto promise = open(call);
  if (!call.is_done())
    send_graph(graph, [promise](Status status) { promise->resolve(std::move(status)); });
  return call;
}

Call SessionState::explain(
    const Refs& feeds, const Refs& fetches, const Refs& targets,
    const std::shared_ptr<StepExplanation>& explanation) {
  return ask([&](DoneStatus done) {
    return ExplainSignature{
        names_of(feeds), names_of(fetches), names_of(targets),
        [done, explanation](Result<StepExplanation> explained) {
          if (explained) *explanation = *std::move(explained);
          done(explained.status());
        }};
  });
}

Status SessionState::await(const Call& call) {
  auto status = cluster.await(call, *master);
  if (!call.is_done() && status.code() == Code::unavailable) {
    lost = status;
    tell(actor, Close{[](const Status&) {}});  // as the server does once it sees the client gone
  }
  return status;
}

Result<Tensors> SessionState::await_values(const Call& call) {
  if (auto status = await(call); !status.ok()) return status;
  return call.values();
}

Status SessionState::close() {
  if (std::exchange(is_closed, true)) return {};
  return await(ask([](DoneStatus done) { return Close{std::move(done)}; }));
}

// -- the session

Session::Session(std::shared_ptr<SessionState> state)
    : graph_(state->cluster.options.catalogs.ops), state_(std::move(state)) {}

const std::string& Session::master() const { return state_->master->task; }

Call Session::start(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  Call call;
  auto promise = state_->open(call);
  if (!graph_.status().ok()) promise->resolve(graph_.status());
  if (call.is_done()) return call;
  state_->send_graph(graph_.graph(), [promise](Status status) {
    if (!status.ok()) promise->resolve(std::move(status));
  });
  auto run = make_run(feeds, fetches, targets, options);
  run.call = call.state_->id = state_->next_call++;
  run.done = [promise](Result<Tensors> values) {
    promise->resolve(values.status(), values ? *std::move(values) : Tensors());
  };
  tell(state_->actor, std::move(run));
  if (options.timeout.count() > 0)
    state_->cluster.expect_answer(
        state_->master, promise, state_->cluster.simulation.now(), options.timeout);
  return call;
}

Result<Tensors> Session::run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  return state_->await_values(start(feeds, fetches, targets, options));
}

Result<StepExplanation> Session::explain(
    const Refs& feeds, const Refs& fetches, const Refs& targets) {
  if (auto status = extend(); !status.ok()) return status;
  auto explanation = std::make_shared<StepExplanation>();
  auto status = state_->await(state_->explain(feeds, fetches, targets, explanation));
  if (!status.ok()) return status;
  return std::move(*explanation);
}

Status Session::start_runner(const std::string& name, const RunnerSpec& spec) {
  if (auto status = extend(); !status.ok()) return status;
  return state_->await(state_->ask([&](DoneStatus done) {
    return StartRunner{name, spec, std::move(done)};
  }));
}

void Session::cancel(const Call& step) {
  if (!step.is_done()) tell(state_->actor, CancelRun{step.state_->id});
}

template <class Making>
Call Session::make(const Refs& feeds, const Refs& fetches, const RunOptions& options) {
  Call call;
  auto promise = state_->open(call);
  if (!graph_.status().ok()) promise->resolve(graph_.status());
  if (call.is_done()) return call;
  state_->send_graph(graph_.graph(), [promise](Status status) {
    if (!status.ok()) promise->resolve(std::move(status));
  });
  call.state_->id = state_->next_call++;
  tell(
      state_->actor, Making{
                         call.state_->id,
                         names_of(feeds),
                         names_of(fetches),
                         {},
                         options,
                         [promise](Status status) { promise->resolve(std::move(status)); }});
  return call;
}

Call Session::make_callable(const Refs& feeds, const Refs& fetches) {
  return make<MakeCallable>(feeds, fetches, {});
}

Call Session::set_up_partial_run(
    const Refs& feeds, const Refs& fetches, const RunOptions& options) {
  return make<SetUpPartialRun>(feeds, fetches, options);
}

Call Session::call(const Call& callable, const Tensors& feeds, const RunOptions& options) {
  return state_->start(RunCallable{
      .call = 0, .callable = callable.state_->id, .feeds = feeds, .options = options, .done = {}});
}

Call Session::run_partially(
    const Call& partial_run, const std::vector<Feed>& feeds, const Refs& fetches) {
  return state_->ask_for_values([&](Done<Tensors> done) {
    return RunPartially{partial_run.state_->id, named(feeds), names_of(fetches), std::move(done)};
  });
}

void Session::release(const Call& made) { tell(state_->actor, Release{made.state_->id}); }

bool Session::is_closed() const { return state_->end->is_closed(); }

bool Session::is_lost() const { return !state_->lost.ok(); }

Status Session::extend() { return graph_.status().ok() ? extend(graph_.graph()) : graph_.status(); }

Status Session::extend(const Graph& graph) { return state_->await(state_->extend(graph)); }

Status Session::close() { return state_->close(); }

}  // namespace troupe::sim
