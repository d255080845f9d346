#include "troupe/actors/device_actor.hpp"

#include <map>
#include <set>
#include <unordered_map>

#include "troupe/actors/ended_steps.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/actors/step_rendezvous.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {

/// A step's part on this device has ended. Sent by the device's own threads.
struct StepEnded {
  StepId step;
  Status status;
};

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StepEnded)

namespace troupe {
namespace {

// Tensors of steps that were not started here yet may fill this much memory per session.
constexpr size_t early_bytes_max = size_t{1} << 30;

using DeviceMailbox = DeviceActor::extend<caf::reacts_to<StepEnded>>;

/// Where the edges that leave a partition go.
using Destinations = std::unordered_map<EdgeId, DeviceActor>;

struct RegisteredPlan {
  std::shared_ptr<const Plan> plan;
  Destinations destinations;
  size_t feed_count = 0;
  size_t fetch_count = 0;
};

struct RunningStep {
  std::shared_ptr<StepRendezvous> rendezvous = std::make_shared<StepRendezvous>();
  std::shared_ptr<const RegisteredPlan> plan;  // null until the step is started here
  std::shared_ptr<Execution> execution;        // null until it has not ended inside its start
};

struct RegisteredSession {
  StepReports actor;
  std::map<PlanId, std::shared_ptr<const RegisteredPlan>> plans;
  std::map<uint64_t, RunningStep> steps;
  EndedSteps ended;
};

/// A partition on its way to become a plan: waits for its resources and for its peers.
struct Registration {
  SessionId session;
  PlanId plan;
  std::shared_ptr<Graph> graph;
  Bindings bindings;
  std::map<std::string, DeviceActor> peers;  // by device name
  caf::typed_response_promise<Status> promise;
  size_t waits_for = 1;
  Status status;
};

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
  std::vector<StepEnded> ended_now;
  std::vector<std::pair<DeviceActor, Deliver>> outbox;

  ~DeviceState() {
    while (!sessions.empty()) end_session(sessions.begin()->first);
  }

  Where where() const {
    return {.node = "", .op = "", .device = settings.name, .task = settings.task_name};
  }

  // -- registration

  caf::result<Status> begin_registration(Register& message) {
    auto registration = std::make_shared<Registration>();
    registration->session = message.session;
    registration->plan = message.plan;
    registration->graph = std::make_shared<Graph>(settings.catalog);
    for (auto& def : message.nodes)
      if (auto id = registration->graph->add(std::move(def)); !id) return id.status().at(where());
    add_session(message.session);
    registration->promise = self->make_response_promise<Status>();
    bind_resources(registration);
    find_peers(registration);
    arrived(registration, {});
    return registration->promise;
  }

  void add_session(SessionId id) {
    auto& session = sessions[id];
    if (session.actor) return;
    session.actor = caf::actor_cast<StepReports>(self->current_sender());
    self->monitor(session.actor);
  }

  void bind_resources(const std::shared_ptr<Registration>& registration) {
    Bind bind{resources_of(*registration->graph)};
    if (bind.uses.empty()) return;
    ++registration->waits_for;
    self->request(task, caf::infinite, std::move(bind))
        .then(
            [this, registration](Status& status, Bindings& bindings) {
              registration->bindings = std::move(bindings);
              arrived(registration, status);
            },
            [this, registration](caf::error& error) { arrived(registration, to_status(error)); });
  }

  void find_peers(const std::shared_ptr<Registration>& registration) {
    std::set<std::string> tasks;
    for (const auto& node : registration->graph->nodes()) {
      if (node.op->name() != transfer::send) continue;
      auto device = DeviceName::parse(node.attr<std::string>("to_device"));
      if (!device || !device->is_full()) {
        registration->status = invalid_argument("a _Send has no full device name");
        return;
      }
      if (!tasks.insert(task_name(*device->job, *device->task)).second) continue;
      ++registration->waits_for;
      self->request(
              task, caf::infinite, FindTask{*device->job, *device->task, settings.connect_timeout})
          .then(
              [this, registration](Status& status, TaskDescription& peer) {
                for (auto& found : peer.devices)
                  registration->peers[device_name(peer, found)] =
                      caf::actor_cast<DeviceActor>(found.actor);
                arrived(registration, status);
              },
              [this, registration](caf::error& error) { arrived(registration, to_status(error)); });
    }
  }

  static std::string device_name(const TaskDescription& task, const DeviceDescription& device) {
    return DeviceName{task.job, task.task, device.type, device.index}.to_string();
  }

  /// Something that the registration waited for is there, or has failed.
  void arrived(const std::shared_ptr<Registration>& registration, const Status& status) {
    if (registration->status.ok()) registration->status = status;
    if (--registration->waits_for > 0) return;
    if (registration->status.ok()) registration->status = finish_registration(*registration);
    registration->promise.deliver(registration->status.at(where()));
  }

  Status finish_registration(Registration& registration) {
    auto session = sessions.find(registration.session);
    if (session == sessions.end()) return cancelled("the session has ended");
    auto plan = Plan::compile(registration.graph, *settings.device, registration.bindings);
    if (!plan) return plan.status();
    auto registered = std::make_shared<RegisteredPlan>();
    registered->plan = *plan;
    for (const auto& node : registration.graph->nodes()) {
      if (node.op->name() == transfer::arg) ++registered->feed_count;
      if (node.op->name() == transfer::retval) ++registered->fetch_count;
      if (node.op->name() != transfer::send) continue;
      auto peer = registration.peers.find(node.attr<std::string>("to_device"));
      if (peer == registration.peers.end())
        return not_found("there is no device " + node.attr<std::string>("to_device"));
      registered->destinations[node.attr<int64_t>("edge")] = peer->second;
    }
    session->second.plans[registration.plan] = std::move(registered);
    return {};
  }

  // -- steps

  void start_step(StartStep& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    if (session->second.ended.contains(message.step.number)) return count_late();
    auto plan = session->second.plans.find(message.plan);
    auto& step = session->second.steps[message.step.number];
    if (step.plan) return count_late();  // a second delivery of the same start
    if (plan == session->second.plans.end())
      return end_step({message.step, aborted("the device has no such plan any more")});
    if (message.feeds.size() != plan->second->feed_count)
      return end_step({message.step, invalid_argument("the step does not bring the plan's feeds")});
    step.plan = plan->second;
    step.rendezvous->start(
        std::move(message.feeds), step.plan->fetch_count, pusher(message.step, step.plan));
    step.execution = start(step.plan->plan, step.rendezvous, reporter(message.step));
  }

  /// Called by the step's kernels when they send, on whatever thread they run.
  StepRendezvous::Push pusher(StepId id, const std::shared_ptr<const RegisteredPlan>& plan) {
    return [this, id, plan](EdgeId edge, Tensor value) {
      const auto& destination = plan->destinations.at(edge);
      Deliver message{id, {edge}, {std::move(value)}};
      if (current != this) return caf::anon_send(destination, std::move(message));
      for (auto& [to, pending] : outbox) {
        if (to != destination || pending.step != id) continue;
        pending.edges.push_back(edge);
        pending.tensors.push_back(std::move(message.tensors[0]));
        return;
      }
      outbox.emplace_back(destination, std::move(message));
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
    if (session->second.ended.contains(message.step.number)) return count_late();
    if (message.edges.size() != message.tensors.size()) return count_late();
    auto& step = session->second.steps[message.step.number];
    auto rendezvous = step.rendezvous;
    for (size_t i = 0; i < message.edges.size(); ++i)
      if (!rendezvous->arrive(message.edges[i], std::move(message.tensors[i]))) count_late();
    if (rendezvous->waiting_bytes() > early_bytes_max)
      rendezvous->fail(resource_exhausted("tensors that nobody takes fill the device's memory"));
  }

  void cancel_step(const CancelStep& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    auto step = session->second.steps.find(message.step.number);
    if (step == session->second.steps.end()) return count_late();
    if (step->second.execution) step->second.execution->cancel(message.why);
  }

  void end_step(const StepEnded& ended) {
    auto session = sessions.find(ended.step.session);
    if (session == sessions.end()) return;  // its end came first
    auto step = session->second.steps.extract(ended.step.number);
    session->second.ended.add(ended.step.number);
    StepDone done{.step = ended.step, .device = settings.name, .status = ended.status.at(where()),
                  .fetches = {}};
    if (ended.status.ok()) done.fetches = step.mapped().rendezvous->take_fetches();
    self->send(session->second.actor, std::move(done));
  }

  // -- ends

  void end_session(SessionId id) {
    auto session = sessions.extract(id);
    if (!session) return;
    for (auto& [number, step] : session.mapped().steps)
      if (step.execution) step.execution->cancel(cancelled("the session has ended"));
  }

  void end_sessions_of(const caf::actor_addr& gone) {
    std::vector<SessionId> ids;
    for (const auto& [id, session] : sessions)
      if (session.actor.address() == gone) ids.push_back(id);
    for (auto id : ids) end_session(id);
  }

  void count_late() { settings.late_messages->fetch_add(1, std::memory_order_relaxed); }

  /// Sends what the handler's kernels produced, and reports the steps that ended in it.
  void flush() {
    while (!outbox.empty() || !ended_now.empty()) {
      for (auto& [to, message] : std::exchange(outbox, {})) self->send(to, std::move(message));
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
  self->set_down_handler([&state](const caf::down_msg& down) {
    Handling handling(state);
    state.end_sessions_of(down.source);
  });
  return {
      [&state](Register& message) { return state.begin_registration(message); },
      [&state](StartStep& message) {
        Handling handling(state);
        state.start_step(message);
      },
      [&state](const CancelStep& message) {
        Handling handling(state);
        state.cancel_step(message);
      },
      [&state](const DropPlan& message) {
        auto session = state.sessions.find(message.session);
        if (session != state.sessions.end()) session->second.plans.erase(message.plan);
      },
      [&state](const EndSession& message) {
        Handling handling(state);
        state.end_session(message.session);
      },
      [&state](Deliver& message) {
        Handling handling(state);
        state.deliver(message);
      },
      [&state](const StepEnded& message) { state.end_step(message); },
  };
}

}  // namespace

DeviceActor spawn_device(caf::actor_system& system, TaskActor task, DeviceSettings settings) {
  return system.spawn(device, std::move(task), std::move(settings));
}

}  // namespace troupe
