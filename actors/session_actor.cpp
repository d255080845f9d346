#include "troupe/actors/session_actor.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "troupe/actors/explanation.hpp"
#include "troupe/actors/run_deadlines.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/actors/session_mailbox.hpp"
#include "troupe/actors/step_compiler.hpp"

namespace troupe {
namespace {

constexpr size_t compiled_steps_max = 256;

struct RunningStep {
  Run run;
  std::shared_ptr<CompiledStep> compiled;
  std::vector<bool> part_done;
  size_t waits_for = 0;
  Tensors answers;
  Status error;
  World::Time began;
};

struct SessionState {
  static constexpr const char* name = "session";

  SessionState() = default;

  SessionMailbox::pointer self = nullptr;
  SessionSettings settings;
  StepCompiler compiler;
  std::unique_ptr<Graph> graph;
  std::map<StepSignature, std::shared_ptr<CompiledStep>> compiled;
  std::unordered_map<uint64_t, RunningStep> running;
  std::unordered_map<CallId, uint64_t> step_of_call;
  RunDeadlines deadlines;
  std::map<std::string, CompiledStep::Part> devices;  // that hold its plans, by name
  uint64_t next_step = 1;
  uint64_t next_plan = 1;
  Counted counted;
  /// What the open runs hold, and so does the session until it takes no more. It goes with the last
  /// of them, and then lets go of what waits for that.
  using OpenRuns = std::vector<std::shared_ptr<void>>;
  std::shared_ptr<OpenRuns> open_runs = std::make_shared<OpenRuns>();
  std::weak_ptr<OpenRuns> last_runs;

  ~SessionState() { answer_all(cancelled("the session has ended")); }

  StepId id_of(uint64_t step) const { return {settings.id, step}; }

  // -- extend

  Status extend(Extend& call) {
    if (call.expected_size != static_cast<uint64_t>(graph->size()))
      return aborted(
          "the session's graph has " + std::to_string(graph->size()) +
          " nodes, but the caller expected " + std::to_string(call.expected_size));
    auto before = graph->size();
    for (auto& def : call.nodes) {
      auto status = is_reserved(def) ? invalid_argument("names that begin with '_' are reserved")
                                           .at({.node = def.name, .op = def.op})
                                     : graph->add(std::move(def)).status();
      if (status.ok()) continue;
      graph->shrink_to(before);
      return status;
    }
    return {};
  }

  static bool is_reserved(const NodeDef& def) {
    auto found = def.attrs.find("container");
    auto* container = found == def.attrs.end() ? nullptr : found->second.get<std::string>();
    return def.op.starts_with('_') || def.name.starts_with('_') ||
           (container && container->starts_with('_'));
  }

  // -- runs

  void run(Run& call) {
    if (!open_runs) return call.done(draining());
    call.counted = Counted(settings.gauges, &Gauges::runs);
    call.is_open = open_runs;
    StepSignature signature{.feeds = {}, .fetches = call.fetches, .targets = call.targets};
    for (const auto& [feed, value] : call.feeds) signature.feeds.push_back(feed);
    if (call.options.timeout.count() > 0) {
      deadlines.add(call.call, call.options.timeout, settings.world->now());
      set_timer();
    }
    if (auto found = compiled.find(signature); found != compiled.end()) {
      if (found->second->ready) return launch(found->second, std::move(call));
      return found->second->waiting.push_back(std::move(call));
    }
    auto step = std::make_shared<CompiledStep>();
    compiled[signature] = step;
    step->signature = std::move(signature);
    step->plan = next_plan++;
    step->began = settings.world->now();
    step->waiting.push_back(std::move(call));
    compiler.compile(*graph, step, [this, step](const Status& status) {
      if (status.ok()) become_ready(step);
      else fail(step, status);
    });
  }

  void set_timer() {
    if (auto time = deadlines.take_timer(settings.world->now()))
      settings.world->after(
          *time, caf::actor_cast<caf::strong_actor_ptr>(self), caf::make_message(RunDeadline{}));
  }

  void end_late_runs() {
    deadlines.timer_ended();
    for (auto call : deadlines.take_due(settings.world->now())) cancel_run(call, late(call));
    set_timer();
  }

  /// Names those whose answers the run still needs.
  Status late(CallId call) const {
    std::set<std::string> awaited;
    if (auto found = step_of_call.find(call); found != step_of_call.end()) {
      const auto& now = running.at(found->second);
      for (size_t i = 0; i < now.part_done.size(); ++i)
        if (!now.part_done[i]) awaited.insert(now.compiled->parts[i].device);
    }
    for (const auto& [signature, step] : compiled)
      if (std::ranges::find(step->waiting, call, &Run::call) != step->waiting.end())
        awaited = step->awaited;
    std::string message = "the step was not done within its timeout";
    for (const auto& name : awaited)
      message += (name == *awaited.begin() ? "; it waits for " : ", ") + name;
    return deadline_exceeded(message);
  }

  void answer(const Run& call, Result<Tensors> values) {
    deadlines.remove(call.call);
    call.done(std::move(values));
  }

  void launch(const std::shared_ptr<CompiledStep>& step, Run call) {
    if (auto status = check_feeds(*graph, *step, call.feeds); !status.ok())
      return answer(call, status);
    auto number = next_step++;
    step->last_used = number;
    settings.gauges->steps.fetch_add(1, std::memory_order_relaxed);
    auto& now = running[number];
    now = {
        .run = std::move(call),
        .compiled = step,
        .part_done = std::vector<bool>(step->parts.size()),
        .waits_for = step->parts.size(),
        .answers = Tensors(step->pruned.fetches.size()),
        .error = {},
        .began = settings.world->now()};
    ++step->running;
    step_of_call[now.run.call] = number;
    answer_fed_fetches(now);
    for (uint32_t i = 0; i < step->parts.size(); ++i) {
      Tensors feeds;
      for (auto feed : step->parts[i].feeds) feeds.push_back(now.run.feeds[feed].second);
      self->send(step->parts[i].actor, StartStep{id_of(number), step->plan, i, std::move(feeds)});
    }
    if (now.waits_for == 0) finish(number);
  }

  static void answer_fed_fetches(RunningStep& now) {
    const auto& pruned = now.compiled->pruned;
    for (size_t i = 0; i < pruned.fetches.size(); ++i) {
      auto feed = std::ranges::find(pruned.feeds, pruned.fetches[i]);
      if (feed != pruned.feeds.end())
        now.answers[i] = now.run.feeds[feed - pruned.feeds.begin()].second;
    }
  }

  void part_done(StepDone& done) {
    auto found = running.find(done.step.number);
    if (done.step.session != settings.id || found == running.end()) return;
    const auto& parts = found->second.compiled->parts;
    if (done.part >= parts.size()) return;
    const auto& part = parts[done.part];
    auto brings_all = done.fetches.size() == part.fetches.size() &&
                      std::ranges::all_of(done.fetches, &Tensor::is_set);
    if (done.status.ok() && !brings_all)
      done.status = internal("the device did not bring the step's fetches");
    if (done.status.ok())
      for (size_t i = 0; i < part.fetches.size(); ++i)
        found->second.answers[part.fetches[i]] = std::move(done.fetches[i]);
    end_part(done.step.number, done.part, done.status);
  }

  /// A part of a running step has ended; the first error cancels the others.
  void end_part(uint64_t number, size_t index, const Status& status) {
    auto& now = running.at(number);
    if (now.part_done[index]) return;
    now.part_done[index] = true;
    --now.waits_for;
    if (!status.ok() && now.error.ok()) {
      now.error = status;
      cancel_parts(number, cancelled("another part of the step failed: " + status.message()));
    } else if (
        !status.ok() && status.code() != Code::cancelled &&
        status.message() != now.error.message()) {
      now.error = now.error.with_note(status.to_string());
    }
    if (now.waits_for == 0) finish(number);
  }

  void cancel_parts(uint64_t number, const Status& why) {
    const auto& now = running.at(number);
    for (size_t i = 0; i < now.part_done.size(); ++i)
      if (!now.part_done[i])
        self->send(now.compiled->parts[i].actor, CancelStep{id_of(number), why});
  }

  void finish(uint64_t number) {
    auto now = std::move(running.extract(number).mapped());
    step_of_call.erase(now.run.call);
    --now.compiled->running;
    if (now.error.code() == Code::aborted) forget_all_on_devices_of(*now.compiled);
    if (now.error.ok()) answer(now.run, std::move(now.answers));
    else answer(now.run, now.error);
  }

  /// Ends a run early, whether it runs, or waits to be compiled.
  void cancel_run(CallId call, const Status& why) {
    if (auto found = step_of_call.find(call); found != step_of_call.end()) {
      auto number = found->second;
      cancel_parts(number, why);
      auto& now = running.at(number);
      if (now.error.ok()) now.error = why;
      return finish(number);  // at once: nobody waits for a peer that may be silent
    }
    for (auto& [signature, step] : compiled) {
      auto waiting = std::ranges::find(step->waiting, call, &Run::call);
      if (waiting == step->waiting.end()) continue;
      answer(*waiting, why);
      step->waiting.erase(waiting);
      return;
    }
  }

  // -- compiled steps

  void become_ready(const std::shared_ptr<CompiledStep>& step) {
    if (!is_current(step)) return fail(step, unavailable("a device of the step was lost"));
    step->ready = true;
    for (auto& call : std::exchange(step->waiting, {})) launch(step, std::move(call));
    drop_least_used();
  }

  bool is_current(const std::shared_ptr<CompiledStep>& step) const {
    auto found = compiled.find(step->signature);
    return found != compiled.end() && found->second == step;
  }

  void fail(const std::shared_ptr<CompiledStep>& step, const Status& status) {
    forget(step);
    for (auto& call : std::exchange(step->waiting, {})) answer(call, status);
  }

  void forget(const std::shared_ptr<CompiledStep>& step) {
    for (const auto& part : step->parts) self->send(part.actor, DropPlan{settings.id, step->plan});
    if (is_current(step)) compiled.erase(step->signature);
  }

  /// What the step was compiled for is gone (a container was reset): so it is for all steps there.
  void forget_all_on_devices_of(const CompiledStep& stale) {
    std::vector<std::shared_ptr<CompiledStep>> others;
    for (const auto& [signature, step] : compiled)
      for (const auto& part : stale.parts)
        if (step->ready && step->uses_device(part.device)) {
          others.push_back(step);
          break;
        }
    for (const auto& step : others) forget(step);
  }

  void drop_least_used() {
    if (compiled.size() <= compiled_steps_max) return;
    std::shared_ptr<CompiledStep> oldest;
    for (const auto& [signature, step] : compiled)
      if (step->ready && step->running == 0 && (!oldest || step->last_used < oldest->last_used))
        oldest = step;
    if (oldest) forget(oldest);
  }

  // -- explain

  void explain(const Explain& call) {
    auto explanation = std::make_shared<Explanation>(call);
    auto now = settings.world->now();
    for (const auto& [signature, step] : compiled)
      if (!step->waiting.empty()) explanation->add(settings.id, *step, now);
    for (const auto& [number, step] : running) {
      explanation->add(id_of(number), now - step.began);
      for (size_t i = 0; i < step.part_done.size(); ++i)
        if (!step.part_done[i]) ask(explanation, self, id_of(number), step.compiled->parts[i]);
    }
  }

  // -- ends

  Status draining() const {
    auto name = task_name(*settings.view->master.job, *settings.view->master.task);
    return unavailable(
               name + " is draining, so it runs no new steps: open a session on another task")
        .at({.task = name});
  }

  void drain(const DrainRuns& call) {
    if (open_runs) last_runs = std::exchange(open_runs, nullptr);
    if (auto runs = last_runs.lock()) runs->push_back(call.last);
  }

  void cancel_runs(const CancelRuns& call) {
    std::vector<CallId> open;
    for (const auto& [id, number] : step_of_call) open.push_back(id);
    for (const auto& [signature, step] : compiled)
      for (const auto& waiting : step->waiting) open.push_back(waiting.call);
    for (auto id : open) cancel_run(id, call.why);
  }

  void peer_lost(const PeerLost& lost) {
    // A device that was only silent still has what the session left there.
    for (const auto& [name, part] : devices)
      if (part.task == lost.task) self->send(part.actor, EndSession{settings.id});
    std::erase_if(devices, [&lost](const auto& entry) { return entry.second.task == lost.task; });
    auto why = unavailable("lost " + lost.task + ": " + lost.why).at({.task = lost.task});
    std::vector<std::shared_ptr<CompiledStep>> stale;
    for (const auto& [signature, step] : compiled)
      if (step->uses_task(lost.task)) stale.push_back(step);
    for (const auto& step : stale) {
      if (step->ready) forget(step);
      else fail(step, why);
    }
    std::vector<std::pair<uint64_t, size_t>> ended;
    for (const auto& [number, now] : running)
      for (size_t i = 0; i < now.part_done.size(); ++i)
        if (now.compiled->parts[i].task == lost.task) ended.emplace_back(number, i);
    for (auto [number, index] : ended)
      if (auto now = running.find(number); now != running.end())
        end_part(number, index, why.at({.device = now->second.compiled->parts[index].device}));
  }

  void answer_all(const Status& status) {
    for (auto& [number, now] : std::exchange(running, {})) now.run.done(status);
    for (auto& [signature, step] : std::exchange(compiled, {}))
      for (auto& call : std::exchange(step->waiting, {})) call.done(status);
  }

  void close_if_using(const CloseIfUsing& reset) {
    auto uses = [&](const auto& entry) {
      return std::ranges::any_of(entry.second->containers, [&](const std::string& container) {
        return reset.containers.contains(container);
      });
    };
    if (std::ranges::any_of(compiled, uses)) close("a reset of a container that it used");
  }

  void close(const std::string& by) {
    auto why = cancelled("the session was closed by " + by + " while the step ran");
    for (const auto& [number, now] : running) cancel_parts(number, why);
    for (const auto& [name, part] : devices) self->send(part.actor, EndSession{settings.id});
    answer_all(why);
    self->quit();
  }
};

SessionMailbox::behavior_type session(
    Self<SessionMailbox, SessionState> self, const TaskActor& task, SessionSettings settings) {
  auto& state = self->state;
  state.self = self;
  state.counted = Counted(settings.gauges, &Gauges::sessions);
  state.graph = std::make_unique<Graph>(settings.catalog);
  state.settings = std::move(settings);
  state.compiler.begin(self, task, state.settings, [&state](const CompiledStep::Part& part) {
    state.devices[part.device] = part;
  });
  return {
      [&state](Extend& call) { call.done(state.extend(call)); },
      [&state](Run& call) { state.run(call); },
      [&state](const CancelRun& call) {
        state.cancel_run(call.call, cancelled("the caller cancelled the step"));
      },
      [&state](const Close& call) {
        state.close("its client");
        call.done({});
      },
      [&state](const Explain& call) { state.explain(call); },
      [&state](const CloseIfUsing& reset) { state.close_if_using(reset); },
      [&state](const PeerLost& message) { state.peer_lost(message); },
      [&state](const DrainRuns& call) { state.drain(call); },
      [&state](const CancelRuns& call) { state.cancel_runs(call); },
      [&state](StepDone& done) { state.part_done(done); },
      [&state](const RunDeadline&) { state.end_late_runs(); },
  };
}

}  // namespace

TaskSession spawn_session(caf::actor_system& system, TaskActor task, SessionSettings settings) {
  return system.spawn(session, std::move(task), std::move(settings));
}

}  // namespace troupe
