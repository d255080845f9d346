#include "troupe/actors/session/session_actor.hpp"

#include <map>

#include "troupe/actors/self.hpp"
#include "troupe/actors/session/callable_set.hpp"
#include "troupe/actors/session/deadlines.hpp"
#include "troupe/actors/session/running_steps.hpp"
#include "troupe/actors/session/session_costs.hpp"
#include "troupe/actors/session/session_graph.hpp"
#include "troupe/actors/session/session_protocol.hpp"
#include "troupe/actors/session/step_cache.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

using Step = StepCache::Step;

struct SessionState {
  static constexpr const char* name = "session";

  SessionState() = default;

  SessionProtocol::pointer self = nullptr;
  TaskActor task;
  SessionSettings settings;
  SessionGraph graph;
  SessionCosts costs;
  StepCache cache;
  RunningSteps running;
  CallableSet callables;
  std::map<CallId, std::shared_ptr<PartialStep>> partial_steps;
  Deadlines deadlines;
  World::Time last_call{0};
  Counted counted;
  /// Shared by the open runs, and by the session until it drains; the last releases their pointers.
  using OpenRuns = std::vector<std::shared_ptr<void>>;
  std::shared_ptr<OpenRuns> open_runs = std::make_shared<OpenRuns>();  // null while draining
  std::weak_ptr<OpenRuns> draining_runs;

  ~SessionState() {
    running.end_all(cancelled("the session has ended"));
    cache.cancel_all_waits(cancelled("the session has ended"));
  }

  void start() {
    graph.begin(self, settings);
    cache.begin(self, task, settings, costs);
    running.begin(
        self, settings,
        [this](const StepRequest& request, Result<Tensors> values) {
          answer(request, std::move(values));
        },
        [this](const CompiledStep& stale) { cache.drop_all_on_devices_of(stale); },
        [this](const Step& step, const RunMetadata& metadata) {
          if (costs.learn(*step, metadata) && !step->is_dropped) cache.drop(step);
        });
    note_call();
    if (settings.idle_limit.count() > 0) send_after(settings.idle_limit, IdleLimit{});
  }

  template <class Message>
  void send_after(World::Time time, Message message) {
    settings.world->after(
        time, caf::actor_cast<caf::strong_actor_ptr>(self), caf::make_message(std::move(message)));
  }

  /// Restarts the idle time.
  void note_call() {
    if (settings.idle_limit.count() > 0) last_call = settings.world->now();
  }

  // -- graph

  void extend(Extend& call) {
    note_call();
    graph.extend(call);
  }

  /// Handles a call by that method, after the extension of the graph that is running, if any.
  template <class Call>
  void handle(CallId id, Call& call, void (SessionState::*method)(Call&)) {
    if (!graph.is_extending()) return (this->*method)(call);
    if constexpr (requires { call.options; }) limit(id, call.options);
    graph.hold(
        id, [this, method, held = std::make_shared<Call>(std::move(call))](const Status& why) {
          if (why.ok()) (this->*method)(*held);
          else held->done(why);
        });
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
    auto request = make_request(call, std::move(feeds));
    if (auto step = cache.find(signature)) return start_step(step, std::move(request));
    start_once_compiled(std::move(signature), std::move(request), [](const Step&) {});
  }

  void run_callable(RunCallable& call) {
    if (!open_runs) return call.done(draining());
    auto request = make_request(call, std::move(call.feeds));
    const auto* found = callables.find(call.callable);
    if (!found)
      return answer(request, invalid_argument("there is no such callable in the session"));
    auto step = found->step;
    if (step && !step->is_dropped) return start_step(step, std::move(request));
    start_once_compiled(
        found->signature, std::move(request),
        [this, callable = call.callable](const Step& fresh) { callables.attach(callable, fresh); });
  }

  /// Makes the request of a Run or RunCallable, and sets its deadline.
  template <class Call>
  StepRequest make_request(Call& call, Tensors feeds) {
    note_call();
    limit(call.call, call.options);
    return {
        .call = call.call,
        .feeds = std::move(feeds),
        .options = call.options,
        .done = std::move(call.done),
        .on_metadata = std::move(call.on_metadata),
        .counted = {settings.metrics, settings.use},
        .open_run = open_runs,
        .partial = nullptr};
  }

  template <class Compiled>
  void start_once_compiled(StepSignature signature, StepRequest run, Compiled once_compiled) {
    auto request = std::make_shared<StepRequest>(std::move(run));
    cache.compile(
        graph.shared(), std::move(signature), request->call,
        [this, request, once_compiled](const Step& step, const Status& status) {
          if (!status.ok()) return answer(*request, status);
          once_compiled(step);
          start_step(step, std::move(*request));
        });
  }

  void start_step(const Step& step, StepRequest&& request) {
    if (auto status = check_feeds(*graph, *step, request.feeds); !status.ok())
      return answer(request, status);
    running.start(step, std::move(request));
  }

  void answer(const StepRequest& request, Result<Tensors> values) {
    deadlines.remove(request.call);
    request.done(std::move(values));
  }

  /// Cancels a run, whether its step runs or is being compiled.
  void cancel(CallId call, const Status& why) {
    if (graph.cancel(call, why) || running.cancel(call, why)) return;
    cache.cancel_wait(call, why);
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
    if (auto time = deadlines.take_timer(settings.world->now())) send_after(*time, RunDeadline{});
  }

  void cancel_expired_runs() {
    deadlines.timer_expired();
    for (auto call : deadlines.take_due(settings.world->now()))
      running.expire(
          call, expired_error(running.awaited_by(call), cache.awaited_by(call)),
          [this, call](const Status& why) { cancel(call, why); });
    set_timer();
  }

  void end_if_idle() {
    auto idle = settings.world->now() - last_call;
    auto in_use = graph.is_extending() || !running.empty() || !cache.compiling().empty();
    if (!in_use && idle >= settings.idle_limit) return close("its node, as it was idle");
    send_after(in_use ? World::Time(settings.idle_limit) : settings.idle_limit - idle, IdleLimit{});
  }

  // -- callables

  void make_callable(MakeCallable& call) {
    note_call();
    limit(call.call, call.options);
    auto& callable = callables.add(
        call.call,
        {.feeds = std::move(call.feeds),
         .fetches = std::move(call.fetches),
         .targets = std::move(call.targets)},
        Counted(settings.metrics, &Metrics::callables));
    cache.compile(
        graph.shared(), callable.signature, call.call,
        [this, id = call.call, done = std::move(call.done)](
            const Step& step, const Status& status) {
          deadlines.remove(id);
          if (status.ok()) callables.attach(id, step);
          else callables.release(id);
          done(status);
        });
  }

  void release(const Release& call) {
    auto why = cancelled("the session object was released before it was made");
    if (graph.cancel(call.object, why)) return;
    if (graph.is_extending())  // after calls of the object that wait
      return graph.hold(0, [this, call](const Status& status) {
        if (status.ok()) release(call);
      });
    cancel(call.object, why);
    partial_steps.erase(call.object);
    callables.release(call.object);
  }

  // -- partial runs

  void set_up(SetUpPartialRun& call) {
    if (!open_runs) return call.done(draining());
    note_call();
    limit(call.call, call.options);
    auto partial = std::make_shared<PartialStep>(
        [this]() -> const Graph& { return *graph; }, settings.metrics);
    partial_steps[call.call] = partial;
    StepSignature signature{
        .feeds = std::move(call.feeds),
        .fetches = std::move(call.fetches),
        .targets = std::move(call.targets),
        .is_partial = true};
    cache.compile(
        graph.shared(), std::move(signature), call.call,
        [this, partial, id = call.call, done = std::move(call.done)](
            const Step& step, const Status& status) {
          auto begun = status.ok() ? partial->begin(step) : status;
          if (begun.ok()) start_partial(id, step, partial);
          else drop_partial(id);
          done(begun);
        });
  }

  void drop_partial(CallId id) {
    deadlines.remove(id);
    partial_steps.erase(id);
  }

  void start_partial(CallId id, const Step& step, const std::shared_ptr<PartialStep>& partial) {
    running.start(
        step, {.call = id,
               .feeds = {},
               .options = {},
               .done = [partial](const Result<Tensors>& ended) { partial->end(ended.status()); },
               .on_metadata = {},
               .counted = {settings.metrics, settings.use},
               .open_run = open_runs,
               .partial = partial});
  }

  void run_partially(RunPartially& call) {
    note_call();
    auto found = partial_steps.find(call.partial_run);
    if (found == partial_steps.end())
      return call.done(invalid_argument("there is no such partial run: it must be set up first"));
    running.feed(call.partial_run, found->second->accept(call));
  }

  // -- waiting steps and explanations

  void list_waiting_steps(const ListWaitingSteps& call) {
    auto answer = std::make_shared<WaitingStepsAnswer>(call, settings.runner);
    for (const auto& step : cache.compiling())
      answer->add(settings.id, *step, settings.world->now());
    running.list_waiting_steps(answer);
  }

  void explain_signature(ExplainSignature& call) {
    note_call();
    cache.explain(
        graph.shared(),
        {.feeds = std::move(call.feeds),
         .fetches = std::move(call.fetches),
         .targets = std::move(call.targets)},
        std::move(call.done));
  }

  void start_runner(StartRunner& call) {
    note_call();
    if (open_runs) self->send(task, MakeRunner{std::move(call), graph.shared(), settings.options});
    else call.done(draining());
  }

  // -- draining, losses and close

  Status draining() const {
    auto name = task_name(*settings.view->master.job, *settings.view->master.task);
    return unavailable(
               name + " is draining, so it runs no new steps: open a session on another task")
        .at({.task = name});
  }

  void drain(const DrainRuns& call) {
    if (open_runs) draining_runs = std::exchange(open_runs, nullptr);
    if (auto runs = draining_runs.lock()) runs->push_back(call.drained);
  }

  void cancel_runs(const CancelRuns& call) {
    graph.cancel_all(call.why);
    running.cancel_all(call.why);
    cache.cancel_all_waits(call.why);
  }

  void peer_lost(const PeerLost& lost) {
    auto why = unavailable("lost " + lost.task + ": " + lost.why).at({.task = lost.task});
    cache.peer_lost(lost, why);
    running.peer_lost(lost, why);
  }

  void close_if_using(const CloseIfUsing& reset) {
    if (auto used = cache.used_of(reset.containers))
      close("a reset of its container " + quote(*used));
  }

  void close(const std::string& by) {
    settings.end->set(by);
    auto why = settings.end->status_of_steps();
    graph.cancel_all(why);
    running.close(why);
    cache.close(why);
    self->send(task, SessionClosed{});
    self->quit();
  }
};

SessionProtocol::behavior_type session(
    Self<SessionProtocol, SessionState> self, const TaskActor& task, SessionSettings settings) {
  auto& state = self->state;
  state.self = self;
  state.task = task;
  state.counted = Counted(settings.metrics, &Metrics::sessions);
  state.settings = std::move(settings);
  state.start();
  return {
      [&state](Extend& call) { state.handle(0, call, &SessionState::extend); },
      [&state](Run& call) { state.handle(call.call, call, &SessionState::run); },
      [&state](const CancelRun& call) {
        state.cancel(call.call, cancelled("the caller cancelled the step"));
      },
      [&state](MakeCallable& call) { state.handle(call.call, call, &SessionState::make_callable); },
      [&state](RunCallable& call) { state.handle(call.call, call, &SessionState::run_callable); },
      [&state](SetUpPartialRun& call) { state.handle(call.call, call, &SessionState::set_up); },
      [&state](RunPartially& call) { state.handle(0, call, &SessionState::run_partially); },
      [&state](const Release& call) { state.release(call); },
      [&state](const Close& call) {
        state.close(SessionEnd::its_client);
        call.done({});
      },
      [&state](ExplainSignature& call) { state.handle(0, call, &SessionState::explain_signature); },
      [&state](StartRunner& call) { state.handle(0, call, &SessionState::start_runner); },
      [&state](const ListWaitingSteps& call) { state.list_waiting_steps(call); },
      [&state](const TraceNextStep& call) { state.running.trace_next(call); },
      [&state](const ClusterChanged& change) { state.graph.update_view(change); },
      [&state](const CloseIfUsing& reset) { state.close_if_using(reset); },
      [&state](const CloseByTask& message) { state.close(message.closed_by); },
      [&state](const PeerLost& message) { state.peer_lost(message); },
      [&state](const DrainRuns& call) { state.drain(call); },
      [&state](const CancelRuns& call) { state.cancel_runs(call); },
      [&state](StepDone& done) { state.running.partition_done(done); },
      [&state](StepTraced& traced) { state.running.partition_traced(traced); },
      [&state](Deliver& message) { state.running.fetches_arrived(message); },
      [](const DiscardStep&) {},  // fetches of a partial step that failed
      [&state](const RunDeadline&) { state.cancel_expired_runs(); },
      [&state](const IdleLimit&) { state.end_if_idle(); },
      [](const Post& message) { message.work(); },
  };
}

}  // namespace

OwnedSessionActor spawn_session(
    caf::actor_system& system, TaskActor task, SessionSettings settings) {
  return system.spawn(session, std::move(task), std::move(settings));
}

}  // namespace troupe
