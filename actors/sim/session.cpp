#include <algorithm>

#include "troupe/actors/local_session.hpp"
#include "troupe/actors/sim/session_parts.hpp"

namespace troupe::sim {

std::shared_ptr<OpenCalls::Answerer> Session::Parts::open(const Call& call) {
  auto answerer = cluster.open(*master, call);
  if (!actor) answerer->end(master->lost());
  return answerer;
}

void Session::Parts::send_graph(const Graph& graph, DoneStatus done) {
  auto before = sent;
  Extend extend{.nodes = {}, .expected_size = static_cast<uint64_t>(before), .done = {}};
  for (auto id = before; id < graph.size(); ++id) extend.nodes.push_back(graph.def_of(id));
  sent = std::max(before, graph.size());
  extend.done = [self = shared_from_this(), before, done = std::move(done)](Status status) {
    if (!status.ok()) self->sent = std::min(self->sent, before);
    done(std::move(status));
  };
  tell(actor, std::move(extend));
}

Session::Session(std::shared_ptr<Parts> parts)
    : graph_(parts->cluster.options.catalogs.ops), parts_(std::move(parts)) {}

const std::string& Session::master() const { return parts_->master->task; }

Call Session::start(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  Call call;
  auto answerer = parts_->open(call);
  if (!graph_.status().ok()) answerer->end(graph_.status());
  if (call.is_done()) return call;
  parts_->send_graph(graph_.graph(), [answerer](Status status) {
    if (!status.ok()) answerer->end(std::move(status));
  });
  auto run = make_run(feeds, fetches, targets, options);
  run.call = call.answer_->id = parts_->next_call++;
  run.done = [answerer](Result<Tensors> values) {
    answerer->end(values.status(), values ? *std::move(values) : Tensors());
  };
  tell(parts_->actor, std::move(run));
  if (options.timeout.count() > 0)
    parts_->cluster.expect_answer(
        parts_->master, answerer, parts_->cluster.simulation.now(), options.timeout);
  return call;
}

Result<Tensors> Session::run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  auto call = start(feeds, fetches, targets, options);
  auto status = parts_->cluster.await(call);
  if (!status.ok()) return status;
  return call.values();
}

void Session::cancel(const Call& step) {
  if (!step.is_done()) tell(parts_->actor, CancelRun{step.answer_->id});
}

template <class Making>
Call Session::make(const Refs& feeds, const Refs& fetches, const RunOptions& options) {
  Call call;
  auto answerer = parts_->open(call);
  if (!graph_.status().ok()) answerer->end(graph_.status());
  if (call.is_done()) return call;
  parts_->send_graph(graph_.graph(), [answerer](Status status) {
    if (!status.ok()) answerer->end(std::move(status));
  });
  call.answer_->id = parts_->next_call++;
  tell(
      parts_->actor, Making{
                         call.answer_->id,
                         names_of(feeds),
                         names_of(fetches),
                         {},
                         options,
                         [answerer](Status status) { answerer->end(std::move(status)); }});
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
  Call call;
  auto answerer = parts_->open(call);
  if (call.is_done()) return call;
  call.answer_->id = parts_->next_call++;
  auto done = [answerer](Result<Tensors> values) {
    answerer->end(values.status(), values ? *std::move(values) : Tensors());
  };
  tell(parts_->actor, RunCallable{call.answer_->id, callable.answer_->id, feeds, options, done});
  return call;
}

Call Session::run_partially(
    const Call& partial_run, const std::vector<Feed>& feeds, const Refs& fetches) {
  Call call;
  auto answerer = parts_->open(call);
  if (call.is_done()) return call;
  auto done = [answerer](Result<Tensors> values) {
    answerer->end(values.status(), values ? *std::move(values) : Tensors());
  };
  tell(parts_->actor, RunPartially{partial_run.answer_->id, named(feeds), names_of(fetches), done});
  return call;
}

void Session::release(const Call& made) { tell(parts_->actor, Release{made.answer_->id}); }

Status Session::extend() { return graph_.status().ok() ? extend(graph_.graph()) : graph_.status(); }

Status Session::extend(const Graph& graph) {
  Call call;
  auto answerer = parts_->open(call);
  if (!call.is_done())
    parts_->send_graph(graph, [answerer](Status status) { answerer->end(std::move(status)); });
  answerer.reset();
  return parts_->cluster.await(call);
}

Status Session::close() {
  if (std::exchange(parts_->is_closed, true)) return {};
  Call call;
  auto answerer = parts_->open(call);
  if (!call.is_done())
    tell(parts_->actor, Close{[answerer](Status status) { answerer->end(std::move(status)); }});
  answerer.reset();
  return parts_->cluster.await(call);
}

}  // namespace troupe::sim
