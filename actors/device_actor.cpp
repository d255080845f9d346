#include "troupe/actors/device_actor.hpp"

#include <algorithm>
#include <map>

#include "troupe/actors/device_mailbox.hpp"
#include "troupe/actors/outbox.hpp"
#include "troupe/actors/registered_session.hpp"
#include "troupe/actors/registrations.hpp"
#include "troupe/actors/self.hpp"

namespace troupe {
namespace {

// Tensors that nobody asked for yet may fill this much memory: those of one running step, and those
// of all steps of a session that were not started here yet.
constexpr size_t early_bytes_max = size_t{1} << 30;

struct DeviceState;
// The device whose handler this thread is in, if any: what its kernels do there needs no message.
thread_local DeviceState* current = nullptr;

struct DeviceState {
  static constexpr const char* name = "device";

  DeviceState() = default;

  DeviceMailbox::pointer self = nullptr;
  TaskActor task;
  DeviceSettings settings;
  std::map<SessionId, RegisteredSession> sessions;
  Registrations registrations;
  std::vector<StepEnded> ended_now;
  Outbox outbox;

  ~DeviceState() {
    task = nullptr;  // which ends, too
    while (!sessions.empty()) end_session(sessions.begin()->first);
  }

  Where where() const {
    return {.node = "", .op = "", .device = settings.name, .task = settings.task_name};
  }

  // -- plans

  caf::result<Status> register_plan(Register& message) {
    if (!self->current_sender())
      return invalid_argument("a registration needs a sender, who is told of the steps")
          .at(where());
    add_session(message);
    return registrations.add(message);
  }

  void add_session(const Register& message) {
    auto [session, is_new] = sessions.try_emplace(message.session);
    session->second.master = message.master;
    if (is_new) session->second.counted = Counted(settings.gauges, &Gauges::registered);
    // Always the latest: after a broken connection the handle of before leads nowhere.
    auto& actor = session->second.actor;
    if (actor && caf::actor_cast<caf::strong_actor_ptr>(actor) == self->current_sender()) return;
    actor = caf::actor_cast<StepReports>(self->current_sender());
    self->monitor(actor);
  }

  Status add_plan(const Register& message, std::shared_ptr<RegisteredPlan> plan) {
    auto session = sessions.find(message.session);
    if (session == sessions.end()) return cancelled("the session has ended");
    plan->counted = Counted(settings.gauges, &Gauges::plans);
    session->second.plans[message.plan] = std::move(plan);
    return {};
  }

  void drop_plan(const DropPlan& message) {
    registrations.end(message.session, message.plan, cancelled("the plan was dropped"));
    auto session = sessions.find(message.session);
    if (session != sessions.end()) session->second.plans.erase(message.plan);
  }

  // -- steps

  void start_step(StartStep& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return refuse(message);
    count_late(session->second.forget_early_before(message.step.number));
    auto* step = find_step(session->second, message.step);
    if (!step || step->plan) return count_late();  // it has ended, or this is its second start
    step->part = message.part;
    auto plan = session->second.plans.find(message.plan);
    if (plan == session->second.plans.end())
      return end_step({message.step, aborted("the device has no such plan any more")});
    if (auto status = plan->second->check_feeds(message.feeds); !status.ok())
      return end_step({message.step, status});
    session->second.early.erase(message.step.number);
    step->plan = plan->second;
    for (const auto& resource : step->plan->resources) resource->touch(step->began);
    step->sends_graph = message.send_graph;
    if (message.trace) step->trace = make_trace();
    step->rendezvous->start(
        std::move(message.feeds), step->plan->fetch_count, pusher(message.step, step->plan));
    step->execution =
        start(step->plan->plan, step->rendezvous, reporter(message.step), step->trace);
  }

  /// The session lives, but was given up here, as after a silence of its node.
  void refuse(const StartStep& message) {
    count_late();
    if (!self->current_sender()) return;
    self->send(
        caf::actor_cast<StepReports>(self->current_sender()),
        StepDone{
            .step = message.step,
            .part = message.part,
            .status = aborted("the device has nothing of the session any more").at(where()),
            .fetches = {}});
  }

  RunningStep* find_step(RegisteredSession& session, StepId id) {
    return session.find_or_add(id.number, *settings.world, settings.gauges);
  }

  std::shared_ptr<StepTrace> make_trace() const {
    return std::make_shared<StepTrace>([world = settings.world] { return world->now(); });
  }

  void send_trace(StepId id, const RegisteredSession& session, const RunningStep& step) {
    if (!step.plan || (!step.trace && !step.sends_graph)) return;
    const auto& plan = *step.plan->plan;
    StepTraced traced{
        .step = id, .part = step.part, .run = step.trace ? step.trace->take(plan) : DeviceRun{}};
    traced.run.device = settings.name;
    if (step.sends_graph)
      for (const auto& node : plan.graph().nodes())
        traced.run.graph.push_back(plan.graph().def_of(node.id));
    self->send(session.actor, std::move(traced));
  }

  /// Called by the step's kernels when they send, on whatever thread they run.
  StepRendezvous::Push pusher(StepId id, const std::shared_ptr<const RegisteredPlan>& plan) {
    return [this, id, plan](EdgeId edge, Tensor value) -> Status {
      const auto& destination = plan->destinations.at(edge);
      if (auto status = destination.check_size(value); !status.ok()) return status;
      if (current == this) outbox.post(id, edge, destination.actor, std::move(value));
      else caf::anon_send(destination.actor, Deliver{id, {edge}, {std::move(value)}});
      return {};
    };
  }

  /// Called once when nothing of the step runs any more, on whatever thread was last.
  std::function<void(Status)> reporter(StepId id) {
    return [this, id, me = caf::actor_cast<DeviceMailbox>(self)](Status status) {
      if (current == this) ended_now.push_back({id, std::move(status)});
      else caf::anon_send(me, StepEnded{id, std::move(status)});
    };
  }

  void deliver(Deliver& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    if (message.edges.size() != message.tensors.size()) return count_late();
    auto* step = find_step(session->second, message.step);
    if (!step) return count_late();
    auto rendezvous = step->rendezvous;
    for (size_t i = 0; i < message.edges.size(); ++i)
      if (!message.tensors[i].is_set() ||
          !rendezvous->arrive(message.edges[i], std::move(message.tensors[i])))
        count_late();
    auto bytes = step->plan ? rendezvous->waiting_bytes() : session->second.early_bytes();
    if (bytes <= early_bytes_max) return;
    auto full = resource_exhausted("tensors that nobody takes fill the device's memory");
    if (step->plan) rendezvous->fail(full);
    else end_step({message.step, full});
  }

  void cancel_step(const CancelStep& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    auto* step = find_step(session->second, message.step);
    if (!step) return count_late();
    auto why = message.why.ok() ? cancelled("the step was cancelled") : message.why;
    if (step->execution) step->execution->cancel(why);
    else end_step({message.step, why});  // its start is lost, or late
  }

  void end_step(const StepEnded& ended) {
    auto session = sessions.find(ended.step.session);
    if (session == sessions.end()) return;  // its end came first
    auto step = session->second.steps.extract(ended.step.number);
    if (!step) return;  // of an earlier registration of the session
    session->second.early.erase(ended.step.number);
    session->second.ended.add(ended.step.number);
    StepDone done{
        .step = ended.step,
        .part = step.mapped().part,
        .status = ended.status.at(where()),
        .fetches = {}};
    if (ended.status.ok()) done.fetches = step.mapped().rendezvous->take_fetches();
    send_trace(ended.step, session->second, step.mapped());
    if (session->second.actor.node() != self->node()) limit(done);
    self->send(session->second.actor, std::move(done));
  }

  /// Fetches that do not fit into one message become an error.
  void limit(StepDone& done) const {
    size_t bytes = 0;
    for (const auto& fetch : done.fetches) bytes += wire_bytes(fetch);
    if (bytes <= max_message_bytes) return;
    done.fetches.clear();
    done.status = resource_exhausted(
                      "the fetches have " + std::to_string(bytes) + " bytes, more than the " +
                      std::to_string(max_message_bytes) + " that can be sent to the master")
                      .at(where());
  }

  StepWaits explain(const ExplainStep& message) const {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return {{wait("the step's start: the session is unknown", {})}};
    auto found = session->second.steps.find(message.step.number);
    if (found == session->second.steps.end())
      return {{wait("the master, which should have heard that this part has ended", {})}};
    const auto& step = found->second;
    auto age = settings.world->now() - step.began;
    if (!step.plan) return {{wait("the step's start", age)}};
    StepWaits answer;
    for (auto edge : step.rendezvous->awaited()) {
      answer.waits.push_back(step.plan->wait_at(edge));
      answer.waits.back().device = settings.name;
      answer.waits.back().age = std::chrono::duration_cast<std::chrono::milliseconds>(age);
    }
    if (answer.waits.empty()) answer.waits.push_back(wait("its kernels, which run", age));
    return answer;
  }

  Wait wait(std::string what, World::Time age) const {
    return {
        .device = settings.name,
        .what = std::move(what),
        .age = std::chrono::duration_cast<std::chrono::milliseconds>(age)};
  }

  // -- ends

  void end_session(SessionId id) {
    registrations.end(id, {}, cancelled("the session has ended"));
    auto session = sessions.extract(id);
    if (!session) return;
    if (task) self->send(task, SessionEnded{id});
    for (auto& [number, step] : session.mapped().steps)
      if (step.execution) step.execution->cancel(cancelled("the session has ended"));
  }

  /// The masters of those sessions are out of reach, or seem to be: one that is only cut off from
  /// here must not wait for its steps.
  template <class Predicate>
  void end_sessions_where(Predicate is_lost) {
    std::vector<SessionId> ids;
    for (const auto& [id, session] : sessions)
      if (is_lost(session)) ids.push_back(id);
    for (auto id : ids) {
      auto status = aborted("the device gave the session up: its master was out of reach");
      for (const auto& [number, step] : sessions.at(id).steps)
        if (step.plan)
          self->send(
              sessions.at(id).actor,
              StepDone{{id, number}, step.part, status.at(where()), /*fetches=*/{}});
      end_session(id);
    }
  }

  /// What is sent to the task from now on is lost, and what it sends does not come: steps would
  /// wait, here or there.
  void lose_peer(const PeerLost& lost) {
    end_sessions_where(
        [&](const RegisteredSession& session) { return session.master == lost.task; });
    auto why = unavailable("lost " + lost.task + ": " + lost.why).at({.task = lost.task});
    registrations.lose(lost.task, why);
    for (auto& [id, session] : sessions) {
      for (auto& [number, step] : session.steps)
        if (step.execution && needs(step, lost.task)) step.execution->cancel(why);
      std::erase_if(session.plans, [&lost](const auto& entry) {
        return entry.second->peers.contains(lost.task);
      });
    }
  }

  /// Whether the step may still send to that task, or waits for it.
  static bool needs(const RunningStep& step, const std::string& task) {
    return step.plan->sends_to(task) ||
           std::ranges::any_of(step.rendezvous->awaited(), [&](EdgeId edge) {
             return step.plan->wait_at(edge).peer == task;
           });
  }

  void count_late(uint64_t count = 1) {
    settings.gauges->late_messages.fetch_add(count, std::memory_order_relaxed);
  }

  /// Sends what the handler's kernels produced, and reports the steps that ended in it.
  void flush() {
    while (!outbox.empty() || !ended_now.empty()) {
      for (auto& parcel : outbox.take()) self->send(parcel.to, std::move(parcel.message));
      for (auto& ended : std::exchange(ended_now, {})) end_step(ended);
    }
  }
};

/// Marks the thread as being in a handler of the device; at its end, its messages go out.
class Handling {
 public:
  explicit Handling(DeviceState& state) : state_(state), outer_(std::exchange(current, &state)) {}
  ~Handling() {
    state_.flush();
    current = outer_;
  }

 private:
  DeviceState& state_;
  DeviceState* outer_;
};

DeviceMailbox::behavior_type device(
    Self<DeviceMailbox, DeviceState> self, const TaskActor& task, const DeviceSettings& settings) {
  auto& state = self->state;
  state.self = self;
  state.task = task;
  state.settings = settings;
  state.registrations.begin(
      self, task, settings,
      [&state](const Register& message, std::shared_ptr<RegisteredPlan> plan) {
        return state.add_plan(message, std::move(plan));
      });
  // A session's actor may end without a word while its node goes on.
  self->set_down_handler([&state](const caf::down_msg& down) {
    Handling handling(state);
    state.end_sessions_where([&down](const RegisteredSession& session) {
      return session.actor.address() == down.source;
    });
  });
  return {
      [&state](Register& message) { return state.register_plan(message); },
      [&state](StartStep& message) {
        Handling handling(state);
        state.start_step(message);
      },
      [&state](const CancelStep& message) {
        Handling handling(state);
        state.cancel_step(message);
      },
      [&state](const DropPlan& message) { state.drop_plan(message); },
      [&state](const EndSession& message) {
        Handling handling(state);
        state.end_session(message.session);
      },
      [&state](Deliver& message) {
        Handling handling(state);
        state.deliver(message);
      },
      [&state](const ExplainStep& message) { return state.explain(message); },
      [&state](const PeerLost& lost) {
        Handling handling(state);
        state.lose_peer(lost);
      },
      [&state](const StepEnded& message) { state.end_step(message); },
  };
}

}  // namespace

DeviceActor spawn_device(caf::actor_system& system, TaskActor task, DeviceSettings settings) {
  return system.spawn(device, std::move(task), std::move(settings));
}

}  // namespace troupe
