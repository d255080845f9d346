#include "troupe/actors/runner/runner_actor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "troupe/actors/self.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;

// Waits before a step that failed for want of a task is tried again; each twice as long as the one
// before.
constexpr milliseconds retry_delay_min{100};
constexpr milliseconds retry_delay_max{10'000};
/// Of the close op and the cancel op.
constexpr milliseconds last_step_timeout{2'000};

/// Whether the step may succeed later: a task that it needs is gone, and may come back.
/// Whether the step may succeed later: a task that it needs is gone, and may come back.
bool is_transient(Code code) { return code == Code::unavailable || code == Code::aborted; }

struct RunnerActorState {
  static constexpr const char* name = "runner";
  using StopPromise = caf::typed_response_promise<Status>;

  RunnerActorState() = default;

  enum class Phase : uint8_t { starting, running, paused, closing, ended };

  /// The steps of one enqueue op.
  struct Enqueue {
    CallId call = 0;  // of the step that runs; 0: none
    uint64_t timer = 0;
    int failures = 0;  // since a step ended well
    bool has_ended = false;
  };

  RunnerActor::pointer self = nullptr;
  RunnerSettings settings;
  Counted counted;
  Phase phase = Phase::starting;
  World::Time since{0};
  std::vector<Enqueue> enqueues;
  CallId last_call = 0;
  uint64_t last_timer = 0;
  uint64_t steps = 0;
  uint64_t failures = 0;
  Status last_error;
  Status input_ended;  // the error by which the last enqueue has ended in order
  Status status;
  std::vector<StopPromise> stops;

  ~RunnerActorState() {
    close_session();
    for (auto& stop : stops) stop.deliver(Status());
  }

  void enter(Phase next) {
    phase = next;
    since = settings.world->now();
  }

  // -- steps of enqueue ops

  void resume_steps() {
    enter(Phase::running);
    start_idle();
  }

  /// Starts a step of each enqueue op that has none, without waiting for its timer.
  void start_idle() {
    for (size_t i = 0; i < enqueues.size(); ++i)
      if (enqueues[i].call == 0 && !enqueues[i].has_ended) start_step(i);
  }

  void start_step(size_t index) {
    enqueues[index].timer = 0;
    enqueues[index].call = run(settings.spec.enqueue_ops[index], {}, [this, index](Status ended) {
      step_ended(index, ended);
    });
  }

  /// Starts a step, unless the session is gone: then `ended` is not called, and session_ended() is.
  template <class Ended>
  CallId run(const std::string& op, const RunOptions& options, Ended ended) {
    auto call = ++last_call;
    auto done = post_to<Result<Tensors>>(
        self, [ended](const Result<Tensors>& values) { ended(values.status()); });
    self->send(
        settings.session, Run{.call = call,
                              .feeds = {},
                              .fetches = {},
                              .targets = {op},
                              .options = options,
                              .done = std::move(done)});
    return call;
  }

  void step_ended(size_t index, const Status& ended) {
    auto& enqueue = enqueues[index];
    enqueue.call = 0;
    if (ended.ok()) {
      ++steps;
      enqueue.failures = 0;
      if (phase == Phase::running) start_step(index);
      return;
    }
    if (phase != Phase::running && phase != Phase::paused) return;  // it was cancelled
    if (std::ranges::count(settings.spec.end_codes, ended.code()) > 0)
      return input_has_ended(index, ended);
    ++failures;
    last_error = ended;
    if (is_transient(ended.code())) return try_later(index);
    close(settings.spec.cancel_op, ended);
  }

  void input_has_ended(size_t index, const Status& ended) {
    enqueues[index].has_ended = true;
    input_ended = ended;
    if (std::ranges::all_of(enqueues, &Enqueue::has_ended)) close(settings.spec.close_op, {});
  }

  void try_later(size_t index) {
    auto& enqueue = enqueues[index];
    auto wait = retry_delay_min * (int64_t{1} << std::min(enqueue.failures++, 10));
    enqueue.timer = ++last_timer;
    auto start = [this, index, timer = enqueue.timer] {
      if (phase == Phase::running && enqueues[index].timer == timer) start_step(index);
    };
    settings.world->after(
        std::min(wait, retry_delay_max), caf::actor_cast<caf::strong_actor_ptr>(self),
        caf::make_message(Post{start}));
  }

  // -- ends

  /// Cancels the steps that run, runs that op, if any, and ends with that status.
  void close(const std::string& op, const Status& why) {
    enter(Phase::closing);
    status = why;
    for (const auto& enqueue : enqueues)
      if (enqueue.call != 0) self->send(settings.session, CancelRun{enqueue.call});
    if (op.empty()) return finish();
    // Closing is all that is left to do: an error leaves the queue as it is.
    run(op, {.timeout = last_step_timeout}, [this](const Status&) {
      if (phase == Phase::closing) finish();
    });
  }

  void finish() {
    enter(Phase::ended);
    close_session();
    for (auto& stop : std::exchange(stops, {})) stop.deliver(Status());
    if (!settings.log) return;
    settings.log(
        "runner '" + settings.name.name + "' has ended after " + std::to_string(steps) + " steps" +
        (status.ok() ? "" : ": " + status.to_string()));
  }

  void finish(const Status& why) {
    if (phase == Phase::ended) return;
    status = why;
    finish();
  }

  /// The session has ended by itself: its steps were cancelled, which looks like the end of input.
  void session_ended() {
    if (phase == Phase::ended) return;
    auto why = input_ended.ok() ? aborted("its session was closed") : input_ended;
    finish(status.ok() ? why : status);
  }

  void close_session() {
    if (auto session = std::exchange(settings.session, nullptr))
      caf::anon_send(session, Close{[](const Status&) {}});
  }

  void drop() {
    finish(cancelled("its container was reset"));
    self->quit();
  }

  // -- control

  caf::result<Status> control(RunnerAction action) {
    if (action == RunnerAction::stop) return stop();
    if (phase == Phase::closing || phase == Phase::ended)
      return failed_precondition(
          "runner '" + settings.name.name + "' has ended" +
          (status.ok() ? "" : ": " + status.message()));
    if (action == RunnerAction::pause && phase == Phase::running) enter(Phase::paused);
    if (action == RunnerAction::resume && phase == Phase::paused) resume_steps();
    return Status();
  }

  caf::result<Status> stop() {
    if (phase == Phase::ended) return Status();
    auto promise = self->make_response_promise<Status>();
    stops.push_back(promise);
    if (phase != Phase::closing) close(settings.spec.cancel_op, cancelled("it was stopped"));
    return promise;
  }

  ListedRunner describe() const {
    auto state = RunnerState::running;
    if (phase == Phase::paused) state = RunnerState::paused;
    if (phase == Phase::ended) state = RunnerState::ended;
    return {
        .name = settings.name,
        .task = settings.task,
        .state = state,
        .age = std::chrono::duration_cast<milliseconds>(settings.world->now() - since),
        .steps = steps,
        .failures = failures,
        .last_error = last_error,
        .status = status};
  }
};

RunnerActor::behavior_type runner(
    Self<RunnerActor, RunnerActorState> self, RunnerSettings settings) {
  auto& state = self->state;
  state.self = self;
  state.settings = std::move(settings);
  state.counted = Counted(state.settings.metrics, &Metrics::runners);
  state.enqueues.resize(state.settings.spec.enqueue_ops.size());
  state.enter(RunnerActorState::Phase::starting);
  self->monitor(state.settings.session);
  self->set_down_handler([&state](const caf::down_msg&) { state.session_ended(); });
  return {
      [&state](const BeginRunner&) {
        if (state.phase == RunnerActorState::Phase::starting) state.resume_steps();
      },
      [&state](const EndRunner& message) { state.finish(message.why); },
      [&state](const DropRunner&) { state.drop(); },
      [&state](const ControlTaskRunner& call) { return state.control(call.action); },
      [&state](const DescribeRunner&) { return state.describe(); },
      [](const Post& message) { message.work(); },
  };
}

}  // namespace

RunnerActor spawn_runner(caf::actor_system& system, RunnerSettings settings) {
  return system.spawn(runner, std::move(settings));
}

void RunnerResource::drop() {
  is_dropped_ = true;
  caf::anon_send(actor_, DropRunner{});
}

}  // namespace troupe
