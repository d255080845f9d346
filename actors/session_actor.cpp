#include "troupe/actors/session_actor.hpp"

#include <map>

#include "troupe/actors/compiled_steps.hpp"
#include "troupe/actors/run_deadlines.hpp"
#include "troupe/actors/running_steps.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/actors/session_mailbox.hpp"

namespace troupe {
namespace {

using Step = CompiledSteps::Step;

/// What the caller of MakeCallable has until it releases it.
struct HeldCallable {
  StepSignature signature;
  Step step;  // null while it is not compiled
  Counted counted;
};

struct SessionState {
  static constexpr const char* name = "session";

  SessionState() = default;

  SessionMailbox::pointer self = nullptr;
  TaskActor task;
  SessionSettings settings;
  std::shared_ptr<PlacementView> next_view;  // from the next extension on
  std::unique_ptr<Graph> graph;
  CompiledSteps compiled;
  RunningSteps running;
  std::map<CallId, HeldCallable> callables;
  std::map<CallId, std::shared_ptr<PartialStep>> partial_steps;
  RunDeadlines deadlines;
  World::Time last_call{0};
  Counted counted;
  /// What the open runs hold, and so does the session until it takes no more. It goes with the last
  /// of them, and then lets go of what waits for that.
  using OpenRuns = std::vector<std::shared_ptr<void>>;
  std::shared_ptr<OpenRuns> open_runs = std::make_shared<OpenRuns>();
  std::weak_ptr<OpenRuns> last_runs;

  ~SessionState() {
    running.end_all(cancelled("the session has ended"));
    compiled.end_all_waits(cancelled("the session has ended"));
  }

  void start() {
    compiled.begin(self, task, settings, *graph);
    running.begin(
        self, settings,
        [this](const AskedStep& asked, Result<Tensors> values) {
          answer(asked, std::move(values));
        },
        [this](const CompiledStep& stale) { compiled.drop_all_on_devices_of(stale); });
    called();
    if (settings.idle_limit.count() > 0) wake_after(settings.idle_limit, IdleLimit{});
  }

  template <class Message>
  void wake_after(World::Time time, Message message) {
    settings.world->after(
        time, caf::actor_cast<caf::strong_actor_ptr>(self), caf::make_message(std::move(message)));
  }

  /// A client has called.
  void called() {
    if (settings.idle_limit.count() > 0) last_call = settings.world->now();
  }

  // -- extend

  Status extend(Extend& call) {
    called();
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
    if (next_view) settings.view = std::exchange(next_view, nullptr);
    return {};
  }

  void see(const ClusterChanged& change) {
    next_view = std::make_shared<PlacementView>(*settings.view);
    next_view->cluster = change.cluster;
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
    StepSignature signature{
        .feeds = {}, .fetches = std::move(call.fetches), .targets = std::move(call.targets)};
    Tensors feeds;
    for (auto& [feed, value] : call.feeds) {
      signature.feeds.push_back(std::move(feed));
      feeds.push_back(std::move(value));
    }
    auto asked = asked_by(call, std::move(feeds));
    if (auto step = compiled.find(signature)) return launch(step, std::move(asked));
    launch_once_compiled(std::move(signature), std::move(asked), [](const Step&) {});
  }

  void run(RunCallable& call) {
    if (!open_runs) return call.done(draining());
    auto asked = asked_by(call, std::move(call.feeds));
    auto found = callables.find(call.callable);
    if (found == callables.end())
      return answer(asked, invalid_argument("there is no such callable in the session"));
    const auto& step = found->second.step;
    if (step && !step->is_dropped) return launch(step, std::move(asked));
    launch_once_compiled(
        found->second.signature, std::move(asked),
        [this, callable = call.callable](const Step& fresh) { hold(callable, fresh); });
  }

  /// Takes over a call that has a call id, options and callbacks.
  template <class Call>
  AskedStep asked_by(Call& call, Tensors feeds) {
    called();
    limit(call.call, call.options);
    return {
        .call = call.call,
        .feeds = std::move(feeds),
        .options = call.options,
        .done = std::move(call.done),
        .traced = std::move(call.traced),
        .counted = Counted(settings.gauges, &Gauges::runs),
        .is_open = open_runs,
        .partial = nullptr};
  }

  template <class Compiled>
  void launch_once_compiled(StepSignature signature, AskedStep step, Compiled once_compiled) {
    auto asked = std::make_shared<AskedStep>(std::move(step));
    compiled.compile(
        std::move(signature), asked->call,
        [this, asked, once_compiled](const Step& step, const Status& status) {
          if (!status.ok()) return answer(*asked, status);
          once_compiled(step);
          launch(step, std::move(*asked));
        });
  }

  void launch(const Step& step, AskedStep&& asked) {
    if (auto status = check_feeds(*graph, *step, asked.feeds); !status.ok())
      return answer(asked, status);
    running.launch(step, std::move(asked));
  }

  void answer(const AskedStep& asked, Result<Tensors> values) {
    deadlines.remove(asked.call);
    asked.done(std::move(values));
  }

  /// Ends a run early, whether it runs, or waits to be compiled.
  void cancel(CallId call, const Status& why) {
    if (!running.cancel(call, why)) compiled.end_wait(call, why);
  }

  // -- deadlines

  void limit(CallId call, const RunOptions& options) {
    auto timeout =
        options.timeout.count() == 0 ? settings.options.operation_timeout : options.timeout;
    if (timeout.count() <= 0) return;
    deadlines.add(call, timeout, settings.world->now());
    set_timer();
  }

  void set_timer() {
    if (auto time = deadlines.take_timer(settings.world->now())) wake_after(*time, RunDeadline{});
  }

  void end_late_runs() {
    deadlines.timer_ended();
    for (auto call : deadlines.take_due(settings.world->now())) cancel(call, late(call));
    set_timer();
  }

  /// Names those whose answers the run still needs.
  Status late(CallId call) const {
    auto awaited = running.awaited_by(call);
    awaited.merge(compiled.awaited_by(call));
    std::string message = "the step was not done within its timeout";
    for (const auto& name : awaited)
      message += (name == *awaited.begin() ? "; it waits for " : ", ") + name;
    return deadline_exceeded(message);
  }

  void end_if_idle() {
    auto idle = settings.world->now() - last_call;
    auto in_use = !running.empty() || !compiled.waited_for().empty();
    if (!in_use && idle >= settings.idle_limit) return close("its node, as nobody used it");
    wake_after(in_use ? World::Time(settings.idle_limit) : settings.idle_limit - idle, IdleLimit{});
  }

  // -- callables

  void make(MakeCallable& call) {
    called();
    limit(call.call, call.options);
    auto& callable = callables[call.call];
    callable.counted = Counted(settings.gauges, &Gauges::callables);
    callable.signature = {
        .feeds = std::move(call.feeds),
        .fetches = std::move(call.fetches),
        .targets = std::move(call.targets)};
    compiled.compile(
        callable.signature, call.call,
        [this, id = call.call, done = std::move(call.done)](
            const Step& step, const Status& status) {
          deadlines.remove(id);
          if (status.ok()) hold(id, step);
          else callables.erase(id);
          done(status);
        });
  }

  /// The callable may be released by now.
  void hold(CallId id, const Step& step) {
    auto found = callables.find(id);
    if (found == callables.end() || found->second.step == step) return;
    let_go(found->second);
    found->second.step = step;
    ++step->callables;
  }

  static void let_go(HeldCallable& callable) {
    if (callable.step) --callable.step->callables;
    callable.step = nullptr;
  }

  void release(const Release& call) {
    cancel(call.made, cancelled("what it was to make is not wanted any more"));
    partial_steps.erase(call.made);
    if (auto callable = callables.extract(call.made)) let_go(callable.mapped());
  }

  // -- partial runs

  void set_up(SetUpPartialRun& call) {
    if (!open_runs) return call.done(draining());
    called();
    limit(call.call, call.options);
    auto partial = std::make_shared<PartialStep>(*graph, settings.gauges);
    partial_steps[call.call] = partial;
    StepSignature signature{
        .feeds = std::move(call.feeds),
        .fetches = std::move(call.fetches),
        .targets = std::move(call.targets),
        .is_partial = true};
    compiled.compile(
        std::move(signature), call.call,
        [this, partial, id = call.call, done = std::move(call.done)](
            const Step& step, const Status& status) {
          auto begun = status.ok() ? partial->begin(step) : status;
          if (begun.ok()) launch_partial(id, step, partial);
          else drop_partial(id);
          done(begun);
        });
  }

  void drop_partial(CallId id) {
    deadlines.remove(id);
    partial_steps.erase(id);
  }

  void launch_partial(CallId id, const Step& step, const std::shared_ptr<PartialStep>& partial) {
    running.launch(
        step, {.call = id,
               .feeds = {},
               .options = {},
               .done = [partial](const Result<Tensors>& ended) { partial->end(ended.status()); },
               .traced = {},
               .counted = Counted(settings.gauges, &Gauges::runs),
               .is_open = open_runs,
               .partial = partial});
  }

  void run_partially(const RunPartially& call) {
    called();
    auto found = partial_steps.find(call.partial_run);
    if (found == partial_steps.end())
      return call.done(invalid_argument("there is no such partial run: it must be set up first"));
    running.feed(call.partial_run, found->second->take(call));
  }

  // -- explain

  void explain(const Explain& call) {
    auto explanation = std::make_shared<Explanation>(call);
    for (const auto& step : compiled.waited_for())
      explanation->add(settings.id, *step, settings.world->now());
    running.explain(explanation);
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
    running.cancel_all(call.why);
    compiled.end_all_waits(call.why);
  }

  void peer_lost(const PeerLost& lost) {
    auto why = unavailable("lost " + lost.task + ": " + lost.why).at({.task = lost.task});
    compiled.lose(lost, why);
    running.lose(lost, why);
  }

  void close_if_using(const CloseIfUsing& reset) {
    if (compiled.use(reset.containers)) close("a reset of a container that it used");
  }

  void close(const std::string& by) {
    auto why = cancelled("the session was closed by " + by + " while the step ran");
    running.close(why);
    compiled.close(why);
    self->send(task, SessionClosed{});
    self->quit();
  }
};

SessionMailbox::behavior_type session(
    Self<SessionMailbox, SessionState> self, const TaskActor& task, SessionSettings settings) {
  auto& state = self->state;
  state.self = self;
  state.task = task;
  state.counted = Counted(settings.gauges, &Gauges::sessions);
  state.graph = std::make_unique<Graph>(settings.catalog);
  state.settings = std::move(settings);
  state.start();
  return {
      [&state](Extend& call) { call.done(state.extend(call)); },
      [&state](Run& call) { state.run(call); },
      [&state](const CancelRun& call) {
        state.cancel(call.call, cancelled("the caller cancelled the step"));
      },
      [&state](MakeCallable& call) { state.make(call); },
      [&state](RunCallable& call) { state.run(call); },
      [&state](SetUpPartialRun& call) { state.set_up(call); },
      [&state](const RunPartially& call) { state.run_partially(call); },
      [&state](const Release& call) { state.release(call); },
      [&state](const Close& call) {
        state.close("its client");
        call.done({});
      },
      [&state](const Explain& call) { state.explain(call); },
      [&state](const ClusterChanged& change) { state.see(change); },
      [&state](const CloseIfUsing& reset) { state.close_if_using(reset); },
      [&state](const PeerLost& message) { state.peer_lost(message); },
      [&state](const DrainRuns& call) { state.drain(call); },
      [&state](const CancelRuns& call) { state.cancel_runs(call); },
      [&state](StepDone& done) { state.running.part_done(done); },
      [&state](StepTraced& traced) { state.running.part_traced(traced); },
      [&state](Deliver& message) { state.running.fetched(message); },
      [&state](const RunDeadline&) { state.end_late_runs(); },
      [&state](const IdleLimit&) { state.end_if_idle(); },
  };
}

}  // namespace

TaskSession spawn_session(caf::actor_system& system, TaskActor task, SessionSettings settings) {
  return system.spawn(session, std::move(task), std::move(settings));
}

}  // namespace troupe
