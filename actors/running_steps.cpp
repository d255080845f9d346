#include "troupe/actors/running_steps.hpp"

#include <algorithm>

#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

void answer_fed_fetches(const PrunedStep& pruned, const Tensors& feeds, Tensors& answers) {
  for (size_t i = 0; i < pruned.fetches.size(); ++i) {
    auto feed = std::ranges::find(pruned.feeds, pruned.fetches[i]);
    if (feed != pruned.feeds.end()) answers[i] = feeds[feed - pruned.feeds.begin()];
  }
}

/// What a part, which took so long by its own clock, looks like from the master, which hears of its
/// end just now.
void align(DeviceRun& run, World::Time since_launch) {
  run.end = since_launch;
  run.begin = std::max(since_launch - run.duration, World::Time(0)) / 2;
}

}  // namespace

void RunningSteps::begin(
    SessionMailbox::pointer self, const SessionSettings& settings, Answer answer, Stale stale) {
  self_ = self;
  settings_ = &settings;
  answer_ = std::move(answer);
  stale_ = std::move(stale);
}

void RunningSteps::launch(const std::shared_ptr<CompiledStep>& compiled, AskedStep&& asked) {
  auto number = next_step_++;
  compiled->last_used = number;
  ++compiled->running;
  settings_->gauges->steps.fetch_add(1, std::memory_order_relaxed);
  auto& now = running_[number];
  now.asked = std::move(asked);
  now.compiled = compiled;
  now.part_done.resize(compiled->parts.size());
  now.waits_for = compiled->parts.size();
  now.answers.resize(compiled->pruned.fetches.size());
  now.began = settings_->world->now();
  step_of_call_[now.asked.call] = number;
  if (now.asked.options.wants_metadata() && now.asked.traced) {
    now.metadata = std::make_shared<RunMetadata>();
    now.metadata->devices.resize(now.part_done.size());
  }
  if (!now.asked.partial) answer_fed_fetches(compiled->pruned, now.asked.feeds, now.answers);
  start_parts(number, now);
  if (now.waits_for == 0) finish(number);
}

void RunningSteps::start_parts(uint64_t number, Running& now) {
  const auto& options = now.asked.options;
  for (uint32_t i = 0; i < now.part_done.size(); ++i) {
    const auto& part = now.compiled->parts[i];
    StartStep start{
        .step = id_of(number),
        .plan = now.compiled->plan,
        .part = i,
        .feeds = {},
        .trace = now.metadata && options.trace == Trace::full,
        .send_graph = now.metadata && options.output_partition_graphs};
    if (!now.asked.partial)
      for (auto feed : part.feeds) start.feeds.push_back(now.asked.feeds[feed]);
    self_->send(part.actor, std::move(start));
  }
}

void RunningSteps::feed(CallId call, Tensors feeds) {
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end() || feeds.empty()) return;
  for (const auto& part : running_.at(found->second).compiled->parts) {
    Deliver message{.step = id_of(found->second), .edges = {}, .tensors = {}};
    for (auto feed : part.feeds) {
      if (!feeds[feed].is_set()) continue;
      message.edges.push_back(transfer::client_edge(feed));
      message.tensors.push_back(feeds[feed]);
    }
    if (!message.edges.empty()) self_->send(part.actor, std::move(message));
  }
}

RunningSteps::Running* RunningSteps::find(StepId step) {
  auto found = running_.find(step.number);
  return step.session == settings_->id && found != running_.end() ? &found->second : nullptr;
}

void RunningSteps::fetched(Deliver& message) {
  auto* now = find(message.step);
  if (!now || !now->asked.partial || message.edges.size() != message.tensors.size()) return;
  auto partial = now->asked.partial;
  for (size_t i = 0; i < message.edges.size(); ++i) {
    auto fetch = transfer::client_index(message.edges[i]);
    if (fetch < 0 || !partial->arrived(static_cast<size_t>(fetch), std::move(message.tensors[i])))
      settings_->gauges->late_messages.fetch_add(1, std::memory_order_relaxed);
  }
}

void RunningSteps::part_traced(StepTraced& traced) {
  auto* now = find(traced.step);
  if (!now || !now->metadata || traced.part >= now->part_done.size()) return;
  auto& run = now->metadata->devices[traced.part] = std::move(traced.run);
  align(run, settings_->world->now() - now->began);
}

void RunningSteps::part_done(StepDone& done) {
  auto* now = find(done.step);
  if (!now || done.part >= now->part_done.size()) return;
  if (done.status.ok()) done.status = check_fetches(*now, done);
  if (done.status.ok()) keep_fetches(*now, done);
  end_part(done.step.number, done.part, done.status);
}

Status RunningSteps::check_fetches(const Running& now, const StepDone& done) {
  const auto& part = now.compiled->parts[done.part];
  auto brings_all =
      now.asked.partial
          ? std::ranges::all_of(
                part.fetches, [&now](int fetch) { return now.asked.partial->has(fetch); })
          : done.fetches.size() == part.fetches.size() &&
                std::ranges::all_of(done.fetches, &Tensor::is_set);
  return brings_all ? Status() : internal("the device did not bring the step's fetches");
}

void RunningSteps::keep_fetches(Running& now, StepDone& done) {
  if (now.asked.partial) return;
  const auto& part = now.compiled->parts[done.part];
  for (size_t i = 0; i < part.fetches.size(); ++i)
    now.answers[part.fetches[i]] = std::move(done.fetches[i]);
}

/// A part of a running step has ended; the first error cancels the others.
void RunningSteps::end_part(uint64_t number, size_t index, const Status& status) {
  auto& now = running_.at(number);
  if (now.part_done[index]) return;
  now.part_done[index] = true;
  --now.waits_for;
  if (!status.ok() && now.error.ok()) {
    now.error = status;
    cancel_parts(number, cancelled("another part of the step failed: " + status.message()));
  } else if (
      !status.ok() && status.code() != Code::cancelled && status.message() != now.error.message()) {
    now.error = now.error.with_note(status.to_string());
  }
  if (now.waits_for == 0) finish(number);
}

void RunningSteps::cancel_parts(uint64_t number, const Status& why) {
  const auto& now = running_.at(number);
  for (size_t i = 0; i < now.part_done.size(); ++i)
    if (!now.part_done[i])
      self_->send(now.compiled->parts[i].actor, CancelStep{id_of(number), why});
}

void RunningSteps::finish(uint64_t number) {
  auto ended = running_.extract(number);
  auto& now = ended.mapped();
  step_of_call_.erase(now.asked.call);
  --now.compiled->running;
  if (now.error.code() == Code::aborted) stale_(*now.compiled);
  if (now.metadata) {
    std::erase_if(now.metadata->devices, [](const DeviceRun& run) { return run.device.empty(); });
    now.asked.traced(std::move(*now.metadata));
  }
  if (now.error.ok()) answer_(now.asked, std::move(now.answers));
  else answer_(now.asked, now.error);
}

bool RunningSteps::cancel(CallId call, const Status& why) {
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end()) return false;
  auto number = found->second;
  cancel_parts(number, why);
  auto& now = running_.at(number);
  if (now.error.ok()) now.error = why;
  finish(number);  // at once: nobody waits for a peer that may be silent
  return true;
}

void RunningSteps::lose(const PeerLost& lost, const Status& why) {
  std::vector<std::pair<uint64_t, size_t>> ended;
  for (const auto& [number, now] : running_)
    for (size_t i = 0; i < now.part_done.size(); ++i)
      if (now.compiled->parts[i].task == lost.task) ended.emplace_back(number, i);
  for (auto [number, index] : ended)
    if (auto now = running_.find(number); now != running_.end())
      end_part(number, index, why.at({.device = now->second.compiled->parts[index].device}));
}

void RunningSteps::cancel_all(const Status& why) {
  std::vector<CallId> calls;
  for (const auto& [call, number] : step_of_call_) calls.push_back(call);
  for (auto call : calls) cancel(call, why);
}

void RunningSteps::close(const Status& why) {
  for (const auto& [number, now] : running_) cancel_parts(number, why);
  end_all(why);
}

void RunningSteps::end_all(const Status& why) {
  step_of_call_.clear();
  for (auto& [number, now] : std::exchange(running_, {})) answer_(now.asked, why);
}

std::set<std::string> RunningSteps::awaited_by(CallId call) const {
  std::set<std::string> awaited;
  auto found = step_of_call_.find(call);
  if (found == step_of_call_.end()) return awaited;
  const auto& now = running_.at(found->second);
  for (size_t i = 0; i < now.part_done.size(); ++i)
    if (!now.part_done[i]) awaited.insert(now.compiled->parts[i].device);
  return awaited;
}

void RunningSteps::explain(const std::shared_ptr<Explanation>& explanation) const {
  for (const auto& [number, now] : running_) {
    explanation->add(id_of(number), settings_->world->now() - now.began);
    for (size_t i = 0; i < now.part_done.size(); ++i)
      if (!now.part_done[i]) ask(explanation, self_, id_of(number), now.compiled->parts[i]);
  }
}

}  // namespace troupe
