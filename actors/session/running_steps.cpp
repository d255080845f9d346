#include "troupe/actors/session/running_steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// Answers the fetches of outputs that are fed: no device computes them.
void answer_fed_fetches(const PrunedStep& pruned, const Tensors& feeds, Tensors& answers) {
  for (size_t i = 0; i < pruned.fetches.size(); ++i) {
    auto feed = std::ranges::find(pruned.feeds, pruned.fetches[i]);
    if (feed != pruned.feeds.end()) answers[i] = feeds[feed - pruned.feeds.begin()];
  }
}

/// Sets when a partition ran, by the master's clock. Its device reports only the duration, by its
/// own clock; the time that is left of `since_start` is divided between the way there and the way
/// back.
void align(DeviceRun& run, World::Time since_start) {
  run.end = since_start;
  run.begin = std::max(since_start - run.duration, World::Time(0)) / 2;
}

/// Says of each _Arg which feed it takes, by the name that the client gave it.
void name_feeds(DeviceRun& run, const CompiledStep& step, size_t partition) {
  const auto& feeds = step.partitions[partition].feeds;
  for (auto& node : run.nodes) {
    if (node.op != transfer::arg || !node.node.starts_with(transfer::arg_prefix)) continue;
    auto number = std::strtoul(
        node.node.c_str() + std::string_view(transfer::arg_prefix).size(), nullptr, 10);
    if (number >= feeds.size()) continue;
    node.tensor = step.signature.feeds[static_cast<size_t>(feeds[number])];
    node.peer = transfer::client;
  }
}

}  // namespace

void RunningSteps::begin(
    SessionProtocol::pointer self, const SessionSettings& settings, Answer answer, Stale stale,
    Traced traced) {
  self_ = self;
  settings_ = &settings;
  answer_ = std::move(answer);
  stale_ = std::move(stale);
  traced_ = std::move(traced);
}

void RunningSteps::start(const std::shared_ptr<CompiledStep>& compiled, StepRequest&& request) {
  auto number = next_step_++;
  compiled->last_used = number;
  ++compiled->running;
  settings_->metrics->steps.fetch_add(1, std::memory_order_relaxed);
  settings_->use->steps.fetch_add(1, std::memory_order_relaxed);
  auto& step = running_[number];
  step.request = std::move(request);
  step.compiled = compiled;
  step.partition_done.resize(compiled->partitions.size());
  step.pending = compiled->partitions.size();
  step.answers.resize(compiled->pruned.fetches.size());
  step.started = settings_->world->now();
  step_of_call_[step.request.call] = number;
  prepare_metadata(step);
  if (!step.request.partial) answer_fed_fetches(compiled->pruned, step.request.feeds, step.answers);
  start_partitions(number, step);
  if (step.pending == 0) finish(number);
}

/// Unites what the request, those who trace the next step, and the session want to know.
void RunningSteps::prepare_metadata(Running& step) {
  const auto& options = step.request.options;
  if (step.request.on_metadata) {
    step.is_traced = options.trace == Trace::full;
    step.sends_graphs = options.output_partition_graphs;
  }
  step.is_traced |= step.compiled->steps_to_measure > 0;
  step.traces = std::exchange(trace_requests_, {});
  for (const auto& request : step.traces) {
    step.is_traced |= request->options.trace == Trace::full;
    step.sends_graphs |= request->options.output_partition_graphs;
  }
  if (!step.is_traced && !step.sends_graphs) return;
  step.metadata = std::make_shared<RunMetadata>();
  step.metadata->devices.resize(step.partition_done.size());
  step.metadata->clock = settings_->world->clock_name();
  step.metadata->launched = step.started;
}

void RunningSteps::give_metadata(Running& step) {
  auto& metadata = *step.metadata;
  std::erase_if(metadata.devices, [](const DeviceRun& run) { return run.device.empty(); });
  if (step.is_traced && step.error.ok()) traced_(step.compiled, metadata);
  for (const auto& request : step.traces) request->done(metadata);
  if (step.request.on_metadata && step.request.options.wants_metadata())
    step.request.on_metadata(std::move(metadata));
}

void RunningSteps::trace_next(const TraceNextStep& call) {
  if (call.session != 0 && call.session != settings_->id) return;
  if (trace_requests_.size() >= trace_requests_max)
    return call.done(resource_exhausted("too many calls wait for the next step of the session"));
  auto request = std::make_shared<TraceNextStep>(call);
  trace_requests_.push_back(request);
  auto give_up = [this, late = std::weak_ptr(request)] {
    auto request = late.lock();
    if (!request) return;
    std::erase(trace_requests_, request);
    request->done(deadline_exceeded("no step of the session began and ended within the timeout"));
  };
  settings_->world->after(
      call.options.timeout, caf::actor_cast<caf::strong_actor_ptr>(self_),
      caf::make_message(Post{give_up}));
}

void RunningSteps::start_partitions(uint64_t number, Running& step) {
  for (uint32_t i = 0; i < step.partition_done.size(); ++i) {
    const auto& partition = step.compiled->partitions[i];
    StartStep start{
        .step = id_of(number),
        .plan = step.compiled->plan,
        .partition = i,
        .feeds = {},
        .trace = step.is_traced,
        .send_graph = step.sends_graphs,
        .oldest_step = running_.begin()->first};
    if (!step.request.partial)
      for (auto feed : partition.feeds) start.feeds.push_back(step.request.feeds[feed]);
    self_->send(partition.actor, std::move(start));
  }
}

void RunningSteps::feed(CallId call, Tensors feeds) {
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end() || feeds.empty()) return;
  for (const auto& partition : running_.at(found->second).compiled->partitions) {
    Deliver message{.step = id_of(found->second), .edges = {}, .tensors = {}};
    for (auto feed : partition.feeds) {
      if (!feeds[feed].is_set()) continue;
      message.edges.emplace_back(transfer::client_edge(feed));
      message.tensors.push_back(feeds[feed]);
    }
    if (!message.edges.empty()) self_->send(partition.actor, std::move(message));
  }
}

RunningSteps::Running* RunningSteps::find(StepId id) {
  auto found = running_.find(id.number);
  return id.session == settings_->id && found != running_.end() ? &found->second : nullptr;
}

void RunningSteps::fetches_arrived(Deliver& message) {
  auto* step = find(message.step);
  if (!step || !step->request.partial || message.edges.size() != message.tensors.size()) return;
  if (std::ranges::any_of(message.tensors, accelerator::FillingMemory::is_filling)) return;
  auto partial = step->request.partial;
  for (size_t i = 0; i < message.edges.size(); ++i) {
    auto fetch = transfer::client_index(message.edges[i].edge);
    if (fetch < 0 || !partial->arrived(static_cast<size_t>(fetch), std::move(message.tensors[i])))
      settings_->metrics->late_messages.fetch_add(1, std::memory_order_relaxed);
  }
}

void RunningSteps::partition_traced(StepTraced& traced) {
  auto* step = find(traced.step);
  if (!step || !step->metadata || traced.partition >= step->partition_done.size()) return;
  auto& run = step->metadata->devices[traced.partition] = std::move(traced.run);
  align(run, settings_->world->now() - step->started);
  name_feeds(run, *step->compiled, traced.partition);
}

void RunningSteps::partition_done(StepDone& done) {
  auto* step = find(done.step);
  if (!step || done.partition >= step->partition_done.size()) return;
  step->is_stale |= done.plan_is_stale;
  if (done.is_held && !step->partition_done[done.partition]) step->held.push_back(done.partition);
  if (done.status.ok()) done.status = check_fetches(*step, done);
  if (done.status.ok()) keep_fetches(*step, done);
  end_partition(done.step.number, done.partition, done.status);
}

Status RunningSteps::check_fetches(const Running& step, const StepDone& done) {
  const auto& partition = step.compiled->partitions[done.partition];
  auto has_all =
      step.request.partial
          ? std::ranges::all_of(
                partition.fetches, [&step](int fetch) { return step.request.partial->has(fetch); })
          : done.fetches.size() == partition.fetches.size() &&
                std::ranges::all_of(done.fetches, &Tensor::is_set);
  return has_all ? Status() : internal("the device did not send all fetches of its partition");
}

void RunningSteps::keep_fetches(Running& step, StepDone& done) {
  if (step.request.partial) return;
  const auto& partition = step.compiled->partitions[done.partition];
  for (size_t i = 0; i < partition.fetches.size(); ++i)
    step.answers[partition.fetches[i]] = std::move(done.fetches[i]);
}

/// Records that a partition has ended. The first error cancels the other partitions, which then end
/// with the same.
void RunningSteps::end_partition(uint64_t number, size_t index, const Status& status) {
  auto& step = running_.at(number);
  if (step.partition_done[index]) return;
  step.partition_done[index] = true;
  --step.pending;
  if (!status.ok() && step.error.ok()) {
    step.error = status;
    cancel_partitions(number, status);
  } else if (
      !status.ok() && status.code() != Code::cancelled &&
      status.message() != step.error.message()) {
    step.error = step.error.with_note(status.to_string());
  }
  if (step.pending == 0) finish(number);
}

void RunningSteps::cancel_partitions(uint64_t number, const Status& why) {
  const auto& step = running_.at(number);
  for (size_t i = 0; i < step.partition_done.size(); ++i)
    if (!step.partition_done[i] || std::ranges::count(step.held, i) > 0)
      self_->send(step.compiled->partitions[i].actor, CancelStep{id_of(number), why});
}

void RunningSteps::commit_partitions(uint64_t number, const Running& step) {
  for (auto held : step.held)
    self_->send(step.compiled->partitions[held].actor, CommitStep{id_of(number)});
}

void RunningSteps::finish(uint64_t number) {
  auto ended = running_.extract(number);
  auto& step = ended.mapped();
  step_of_call_.erase(step.request.call);
  --step.compiled->running;
  if (step.error.ok()) commit_partitions(number, step);
  if (step.is_stale) stale_(*step.compiled);
  if (step.metadata) give_metadata(step);
  if (step.error.ok()) answer_(step.request, std::move(step.answers));
  else answer_(step.request, step.error);
}

bool RunningSteps::cancel(CallId call, const Status& why) {
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end()) return false;
  auto number = found->second;
  cancel_partitions(number, why);
  auto& step = running_.at(number);
  if (step.error.ok()) step.error = why;
  finish(number);  // without waiting for the devices, which may be silent
  return true;
}

void RunningSteps::expire(CallId call, Status error, std::function<void(const Status& why)> end) {
  auto expired = std::make_shared<ExpiredRun>(std::move(error), alive_, std::move(end));
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end()) return;
  const auto& step = running_.at(found->second);
  for (size_t i = 0; i < step.partition_done.size(); ++i)
    if (!step.partition_done[i])
      self_
          ->request(
              step.compiled->partitions[i].actor, ExpiredRun::answer_time,
              ListStepWaits{id_of(found->second)})
          .then(
              [expired](StepWaits& found) { expired->add(found.waits); },
              [expired](const caf::error&) {});
}

void RunningSteps::peer_lost(const PeerLost& lost, const Status& why) {
  std::vector<std::pair<uint64_t, size_t>> ended;
  for (const auto& [number, step] : running_)
    for (size_t i = 0; i < step.partition_done.size(); ++i)
      if (step.compiled->partitions[i].task == lost.task) ended.emplace_back(number, i);
  for (auto [number, index] : ended)
    if (auto step = running_.find(number); step != running_.end())
      end_partition(
          number, index, why.at({.device = step->second.compiled->partitions[index].device}));
}

void RunningSteps::cancel_all(const Status& why) {
  std::vector<CallId> calls;
  for (const auto& [call, number] : step_of_call_) calls.push_back(call);
  for (auto call : calls) cancel(call, why);
}

void RunningSteps::close(const Status& why) {
  for (const auto& [number, step] : running_) cancel_partitions(number, why);
  end_all(why);
}

void RunningSteps::end_all(const Status& why) {
  step_of_call_.clear();
  for (auto& [number, step] : std::exchange(running_, {})) answer_(step.request, why);
}

std::set<std::string> RunningSteps::awaited_by(CallId call) const {
  std::set<std::string> awaited;
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end()) return awaited;
  const auto& step = running_.at(found->second);
  for (size_t i = 0; i < step.partition_done.size(); ++i)
    if (!step.partition_done[i]) awaited.insert(step.compiled->partitions[i].device);
  return awaited;
}

void RunningSteps::list_waiting_steps(const std::shared_ptr<WaitingStepsAnswer>& answer) const {
  for (const auto& [number, step] : running_) {
    answer->add(id_of(number), settings_->world->now() - step.started);
    for (size_t i = 0; i < step.partition_done.size(); ++i)
      if (!step.partition_done[i])
        ask_device_for_waits(answer, self_, id_of(number), step.compiled->partitions[i]);
  }
}

}  // namespace troupe
