#include "troupe/actors/device/device_actor.hpp"

#include <map>

#include "troupe/actors/device/arriving_tensors.hpp"
#include "troupe/actors/device/device_protocol.hpp"
#include "troupe/actors/device/device_session.hpp"
#include "troupe/actors/device/outbox.hpp"
#include "troupe/actors/device/pending_registrations.hpp"
#include "troupe/actors/device/step_waits.hpp"
#include "troupe/actors/device/uncommitted_steps.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/graph/passes/unfused_nodes.hpp"

namespace troupe {
namespace {

// The maximum memory of tensors that no kernel has received yet: of one running step, and of all
// unstarted steps of a session.
constexpr size_t waiting_bytes_max = size_t{1} << 30;

struct DeviceState;
// The device whose handler runs on this thread, if any. What its kernels send and report there is
// handled at the end of the handler, without messages to itself.
thread_local DeviceState* current = nullptr;

struct DeviceState {
  static constexpr const char* name = "device";

  DeviceState() = default;

  DeviceProtocol::pointer self = nullptr;
  TaskActor task;
  DeviceSettings settings;
  std::map<SessionId, DeviceSession> sessions;
  UncommittedSteps held;
  PendingRegistrations registrations;
  std::vector<StepEnded> ended_in_handler;
  std::vector<std::function<void()>> posted_in_handler;
  Outbox outbox;

  ~DeviceState() {
    task = nullptr;  // it ends, too: no message to it
    while (!sessions.empty()) end_session(sessions.begin()->first);
  }

  Where where() const {
    return {.node = "", .op = "", .device = settings.name, .task = settings.task_name};
  }

  // -- plans

  caf::result<Status, Registered> register_plan(Register& message) {
    if (!self->current_sender()) {
      auto why = invalid_argument("a registration needs a sender, which gets the results of steps");
      return {why.at(where()), Registered()};
    }
    return registrations.add(message, add_session(message).kernels);
  }

  DeviceSession& add_session(const Register& message) {
    auto session = sessions.try_emplace(message.session, settings.metrics, settings.name).first;
    session->second.master = message.master;
    // Always the latest sender: after a broken connection the earlier handle is dead.
    auto& actor = session->second.actor;
    if (!actor || caf::actor_cast<caf::strong_actor_ptr>(actor) != self->current_sender()) {
      actor = caf::actor_cast<StepListener>(self->current_sender());
      self->monitor(actor);
    }
    return session->second;
  }

  Status add_plan(const Register& message, std::shared_ptr<DevicePlan> plan, NewResources created) {
    auto session = sessions.find(message.session);
    if (session == sessions.end()) return cancelled("the session has ended");
    plan->counted = Counted(settings.metrics, &Metrics::plans);
    plan->origin = {message.master, settings.world, session->second.kept, self->ctrl()};
    session->second.add(message.plan, std::move(plan), std::move(created));
    return {};
  }

  void drop_plan(const DropPlan& message) {
    registrations.cancel(message.session, message.plan, cancelled("the plan was dropped"));
    auto session = sessions.find(message.session);
    if (session != sessions.end()) withdraw(session->second.drop(message.plan));
  }

  /// Takes back resources that were created for a plan that no step has run.
  void withdraw(NewResources created) {
    if (task && !created.empty()) self->send(task, Withdraw{std::move(created)});
  }

  // -- steps

  void start_step(StartStep& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return reject_start(message);
    count_late(session->second.drop_unstarted_before(message.oldest_step));
    session->second.ended.set_oldest(message.oldest_step);
    auto* step = find_step(session->second, message.step);
    if (!step || step->plan) return count_late();  // it has ended, or this is its second start
    step->partition = message.partition;
    if (!step->given_up.ok()) return end_step({message.step, step->given_up});
    auto plan = session->second.plans.find(message.plan);
    if (plan == session->second.plans.end())
      return end_step(
          {message.step, aborted("the device has no such plan any more"), /*plan_is_stale=*/true});
    if (auto status = plan->second->check_feeds(message.feeds); !status.ok())
      return end_step({message.step, status});
    session->second.unstarted.erase(message.step.number);
    session->second.created.erase(message.plan);
    step->plan = plan->second;
    for (const auto& resource : step->plan->resources) resource->touch(step->created);
    step->sends_graph = message.send_graph;
    if (message.trace)
      step->trace = std::make_shared<StepTrace>([world = settings.world] { return world->now(); });
    step->rendezvous->start(
        std::move(message.feeds), step->plan->fetch_count, make_push(message.step, step->plan),
        make_post(), [plan = step->plan](auto&... sent) { return plan->lends(sent...); });
    step->rendezvous->set_origin(message.step, step->plan->origin);
    step->execution = start(
        step->plan->plan, step->rendezvous, make_on_ended(message.step, step->rendezvous),
        step->trace);
  }

  /// Answers a session that this device has ended, as after a silence of the session's node.
  void reject_start(const StartStep& message) {
    count_late();
    if (!self->current_sender()) return;
    self->send(
        caf::actor_cast<StepListener>(self->current_sender()),
        stale(message.step, message.partition, "the device has no plans of the session any more"));
  }

  StepDone stale(StepId step, uint32_t partition, const char* why) const {
    return {
        .step = step,
        .partition = partition,
        .status = aborted(why).at(where()),
        .fetches = {},
        .plan_is_stale = true};
  }

  DeviceStep* find_step(DeviceSession& session, StepId id) {
    return session.find_or_add(id.number, *settings.world, settings.metrics);
  }

  void send_trace(StepId id, const DeviceSession& session, const DeviceStep& step) {
    if (!step.plan || (!step.trace && !step.sends_graph)) return;
    const auto& plan = *step.plan->plan;
    StepTraced traced{
        .step = id,
        .partition = step.partition,
        .run = step.trace ? step.trace->take(plan) : DeviceRun{}};
    traced.run.device = settings.name;
    traced.run.clock = settings.world->clock_name();
    if (step.sends_graph) traced.run.graph = unfused_nodes(plan.graph());
    self->send(session.actor, std::move(traced));
  }

  /// Makes the function that the step's kernels call to send a tensor, on any thread.
  StepRendezvous::Push make_push(StepId id, const std::shared_ptr<const DevicePlan>& plan) {
    return [this, id, plan](const EdgeKey& key, Tensor value) -> Status {
      const auto& destination = plan->destinations.at(key.edge);
      if (current == this) outbox.post(id, key, destination, std::move(value));
      else Outbox::post_on_thread(id, key, destination, std::move(value));
      return {};
    };
  }

  /// Makes the function that runs what follows a kernel that waited: at the end of the device's
  /// present handler, if the kernel was woken there, which saves a change of threads; else on a
  /// thread of the device.
  StepRendezvous::PostWork make_post() {
    return [this, device = settings.device](std::function<void()> work) {
      if (current == this) posted_in_handler.push_back(std::move(work));
      else device->enqueue(std::move(work));
    };
  }

  /// Makes the function that is called once when no kernel of the step runs any more, on the thread
  /// of the last one.
  std::function<void(Status)> make_on_ended(
      StepId id, const std::shared_ptr<StepRendezvous>& rendezvous) {
    return [this, id, rendezvous, me = caf::actor_cast<DeviceProtocol>(self)](Status status) {
      StepEnded ended{id, std::move(status), /*plan_is_stale=*/false, rendezvous->take_end_hooks()};
      if (current == this) ended_in_handler.push_back(std::move(ended));
      else caf::anon_send(me, std::move(ended));
    };
  }

  void deliver(Deliver& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    if (message.edges.size() != message.tensors.size()) return count_late();
    auto* step = find_step(session->second, message.step);
    if (!step || !step->given_up.ok()) return count_late();
    count_late(copy_arriving(message, *settings.device, caf::actor_cast<DeviceActor>(self)));
    auto rendezvous = step->rendezvous;
    // A message of any size is received, and the bound holds for what has waited before it.
    auto bytes = step->plan ? rendezvous->waiting_bytes() : session->second.unstarted_bytes();
    for (size_t i = 0; i < message.edges.size(); ++i)
      if (!rendezvous->arrive(message.edges[i], std::move(message.tensors[i]))) count_late();
    if (bytes <= waiting_bytes_max) return;
    auto full =
        resource_exhausted("the tensors that wait for their receivers take more than 1 GiB");
    if (step->plan) rendezvous->fail(full);
    else give_up(*step, full);
  }

  /// Frees the memory of a step whose StartStep has not arrived, which is then answered at once.
  static void give_up(DeviceStep& step, Status why) {
    step.given_up = std::move(why);
    step.rendezvous = std::make_shared<StepRendezvous>();
  }

  void cancel_step(const CancelStep& message) {
    auto why = message.why.ok() ? cancelled("the step was cancelled") : message.why;
    if (held.end(message.step, why)) return;
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    auto* step = find_step(session->second, message.step);
    if (!step) return count_late();
    if (!step->plan) return give_up(*step, why);
    if (step->given_up.ok()) step->given_up = why;  // it may just have ended
    if (step->execution) step->execution->cancel(why);
  }

  void end_step(StepEnded ended) {
    auto session = sessions.find(ended.step.session);
    std::map<uint64_t, DeviceStep>::node_type step;
    if (session != sessions.end()) step = session->second.steps.extract(ended.step.number);
    if (!step) return ended.hooks.call(cancelled("the session has ended"));  // or has begun anew
    if (!step.mapped().given_up.ok()) ended.hooks.call(step.mapped().given_up);
    session->second.unstarted.erase(ended.step.number);
    session->second.ended.add(ended.step.number);
    StepDone done{
        .step = ended.step,
        .partition = step.mapped().partition,
        .status = ended.status.at(where()),
        .fetches = {},
        .plan_is_stale = ended.plan_is_stale,
        .is_held = held.add(ended.step, std::move(ended.hooks), std::move(step.mapped().counted))};
    const auto& plan = step.mapped().plan;
    if (ended.status.ok()) {
      done.fetches = step.mapped().rendezvous->take_fetches();
    } else if (plan) {
      done.plan_is_stale |= plan->is_stale();
      discard(ended.step, *plan);
    }
    send_trace(ended.step, session->second, step.mapped());
    self->send(session->second.actor, std::move(done));
  }

  /// Tells the links that tensors which the step has sent need not arrive.
  void discard(StepId step, const DevicePlan& plan) {
    for (const auto& receiver : plan.receivers)
      if (receiver.node() != self->node()) self->send(receiver, DiscardStep{step});
  }

  StepWaits list_step_waits(const ListStepWaits& message) const {
    auto session = sessions.find(message.step.session);
    return waits_of(
        session == sessions.end() ? nullptr : &session->second, message.step.number, settings.name,
        settings.world->now());
  }

  // -- ends

  void end_session(SessionId id) {
    registrations.cancel(id, {}, cancelled("the session has ended"));
    auto session = sessions.extract(id);
    if (!session) return;
    for (auto& [plan, created] : session.mapped().created) withdraw(std::move(created));
    if (task) self->send(task, DeviceSessionEnded{id});
    for (auto& [number, step] : session.mapped().steps) {
      if (step.execution) step.execution->cancel(cancelled("the session has ended"));
      if (step.plan) discard({id, number}, *step.plan);
    }
    held.end_session(id);
  }

  /// Ends sessions whose masters are out of reach, or seem to be. Their steps are answered: a
  /// master that is only cut off from this device must not wait for them.
  template <class Predicate>
  void end_sessions_where(Predicate is_lost) {
    std::vector<SessionId> ids;
    for (const auto& [id, session] : sessions)
      if (is_lost(session)) ids.push_back(id);
    for (auto id : ids) {
      const auto* why = "the device has ended the session: its master was out of reach";
      for (const auto& [number, step] : sessions.at(id).steps)
        if (step.plan) self->send(sessions.at(id).actor, stale({id, number}, step.partition, why));
      end_session(id);
    }
  }

  /// Cancels steps that exchange tensors with the lost task and drops their plans: messages to and
  /// from it are lost, so they would wait for ever.
  void peer_lost(const PeerLost& lost) {
    end_sessions_where([&](const DeviceSession& session) { return session.master == lost.task; });
    auto why = unavailable("lost " + lost.task + ": " + lost.why).at({.task = lost.task});
    registrations.peer_lost(lost.task, why);
    for (auto& [id, session] : sessions) {
      for (auto& [number, step] : session.steps)
        if (step.execution && needs(step, lost.task)) step.execution->cancel(why);
      withdraw(session.drop_plans_with(lost.task));
    }
  }

  void count_late(uint64_t count = 1) {
    settings.metrics->late_messages.fetch_add(count, std::memory_order_relaxed);
  }

  /// Runs what follows the kernels that were woken in the handler, sends the tensors that kernels
  /// sent in it, and reports the steps that ended in it.
  void flush() {
    while (!posted_in_handler.empty() || !outbox.empty() || !ended_in_handler.empty()) {
      for (auto& work : std::exchange(posted_in_handler, {})) work();
      for (auto& batch : outbox.take()) self->send(batch.to, std::move(batch.message));
      for (auto& ended : std::exchange(ended_in_handler, {})) end_step(std::move(ended));
    }
  }
};

/// Sets `current` for the duration of a handler of the device, and flushes at its end.
class HandlerScope {
 public:
  explicit HandlerScope(DeviceState& state)
      : state_(state), outer_(std::exchange(current, &state)) {}
  ~HandlerScope() {
    state_.flush();
    current = outer_;
  }

 private:
  DeviceState& state_;
  DeviceState* outer_;
};

DeviceProtocol::behavior_type device(
    Self<DeviceProtocol, DeviceState> self, const TaskActor& task, const DeviceSettings& settings) {
  auto& state = self->state;
  state.self = self;
  state.task = task;
  state.settings = settings;
  state.registrations.begin(
      self, task, settings,
      [&state](const Register& message, std::shared_ptr<DevicePlan> plan, NewResources created) {
        return state.add_plan(message, std::move(plan), std::move(created));
      });
  // A session actor may end without EndSession while its node goes on.
  self->set_down_handler([&state](const caf::down_msg& down) {
    HandlerScope scope(state);
    state.end_sessions_where(
        [&down](const DeviceSession& session) { return session.actor.address() == down.source; });
  });
  return {
      [&state](Register& message) { return state.register_plan(message); },
      [&state](StartStep& message) {
        HandlerScope scope(state);
        state.start_step(message);
      },
      [&state](const CancelStep& message) {
        HandlerScope scope(state);
        state.cancel_step(message);
      },
      [&state](const DropPlan& message) { state.drop_plan(message); },
      [&state](const EndSession& message) {
        HandlerScope scope(state);
        state.end_session(message.session);
      },
      [&state](Deliver& message) {
        HandlerScope scope(state);
        state.deliver(message);
      },
      [](const DiscardStep&) {},  // a tensor that arrives all the same is late
      [&state](const ListStepWaits& message) { return state.list_step_waits(message); },
      [&state](const PeerLost& lost) {
        HandlerScope scope(state);
        state.peer_lost(lost);
      },
      [&state](const CommitStep& message) {
        if (!state.held.end(message.step, {})) state.count_late();
      },
      [&state](StepEnded& message) {
        HandlerScope scope(state);
        state.end_step(std::move(message));
      },
      [](const Post& message) { message.work(); },
  };
}

}  // namespace

DeviceActor spawn_device(caf::actor_system& system, TaskActor task, DeviceSettings settings) {
  return system.spawn(device, std::move(task), std::move(settings));
}

}  // namespace troupe
