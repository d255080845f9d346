#include "troupe/actors/device_actor.hpp"

#include <list>
#include <map>
#include <optional>
#include <set>

#include "troupe/actors/error.hpp"
#include "troupe/actors/outbox.hpp"
#include "troupe/actors/registered_plan.hpp"
#include "troupe/actors/registered_session.hpp"
#include "troupe/actors/self.hpp"
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

// Tensors that nobody asked for yet may fill this much memory: those of one running step, and those
// of all steps of a session that were not started here yet.
constexpr size_t early_bytes_max = size_t{1} << 30;

using DeviceMailbox = DeviceActor::extend<caf::reacts_to<StepEnded>>;

/// A partition on its way to become a plan: waits for its resources and for its peers.
struct Registration {
  SessionId session;
  PlanId plan;
  std::shared_ptr<Graph> graph;
  Bindings bindings;
  DeviceActors peers;
  caf::typed_response_promise<Status> promise;
  size_t waits_for = 1;
  Status status;
  bool over = false;  // answered
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
  std::list<std::shared_ptr<Registration>> registrations;  // that are not over
  std::set<caf::actor_addr> peers;  // that plans send to, and that are watched
  std::vector<StepEnded> ended_now;
  Outbox outbox;

  ~DeviceState() {
    while (!sessions.empty()) end_session(sessions.begin()->first);
  }

  Where where() const {
    return {.node = "", .op = "", .device = settings.name, .task = settings.task_name};
  }

  // -- registration

  caf::result<Status> begin_registration(Register& message) {
    if (!self->current_sender())
      return invalid_argument("a registration needs a sender, who is told of the steps")
          .at(where());
    auto registration = std::make_shared<Registration>();
    registration->session = message.session;
    registration->plan = message.plan;
    registration->graph = std::make_shared<Graph>(settings.catalog);
    for (auto& def : message.nodes)
      if (auto id = registration->graph->add(std::move(def)); !id) return id.status().at(where());
    add_session(message.session);
    registration->promise = self->make_response_promise<Status>();
    registrations.push_back(registration);
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
    if (--registration->waits_for > 0 || registration->over) return;
    if (registration->status.ok()) registration->status = finish_registration(*registration);
    answer(*registration, registration->status);
    registrations.remove(registration);
  }

  void answer(Registration& registration, const Status& status) {
    registration.over = true;
    registration.promise.deliver(status.at(where()));
  }

  /// Those of one plan, or of the whole session: what they waited for is not wanted any more.
  void end_registrations(SessionId session, std::optional<PlanId> plan, const Status& why) {
    for (auto next = registrations.begin(); next != registrations.end();) {
      auto registration = next++;
      if ((*registration)->session != session || (plan && (*registration)->plan != *plan)) continue;
      answer(**registration, why);
      registrations.erase(registration);
    }
  }

  Status finish_registration(Registration& registration) {
    auto session = sessions.find(registration.session);
    if (session == sessions.end()) return cancelled("the session has ended");
    auto plan = make_registered_plan(
        registration.graph, *settings.device, registration.bindings, registration.peers,
        self->node());
    if (!plan) return plan.status();
    for (const auto& [edge, destination] : (*plan)->destinations) watch(destination.actor);
    session->second.plans[registration.plan] = *std::move(plan);
    return {};
  }

  void drop_plan(const DropPlan& message) {
    end_registrations(message.session, message.plan, cancelled("the plan was dropped"));
    auto session = sessions.find(message.session);
    if (session != sessions.end()) session->second.plans.erase(message.plan);
  }

  // -- steps

  void start_step(StartStep& message) {
    auto session = sessions.find(message.step.session);
    if (session == sessions.end()) return count_late();
    count_late(session->second.forget_early_before(message.step.number));
    auto* step = session->second.find_or_add(message.step.number);
    if (!step || step->plan) return count_late();  // it has ended, or this is its second start
    auto plan = session->second.plans.find(message.plan);
    if (plan == session->second.plans.end())
      return end_step({message.step, aborted("the device has no such plan any more")});
    if (auto status = plan->second->check_feeds(message.feeds); !status.ok())
      return end_step({message.step, status});
    session->second.early.erase(message.step.number);
    step->plan = plan->second;
    step->rendezvous->start(
        std::move(message.feeds), step->plan->fetch_count, pusher(message.step, step->plan));
    step->execution = start(step->plan->plan, step->rendezvous, reporter(message.step));
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
    auto* step = session->second.find_or_add(message.step.number);
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
    auto* step = session->second.find_or_add(message.step.number);
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
        .device = settings.name,
        .status = ended.status.at(where()),
        .fetches = {}};
    if (ended.status.ok()) done.fetches = step.mapped().rendezvous->take_fetches();
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

  // -- ends

  void end_session(SessionId id) {
    end_registrations(id, {}, cancelled("the session has ended"));
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

  void watch(const DeviceActor& peer) {
    if (peer.address() != self->address() && peers.insert(peer.address()).second)
      self->monitor(peer);
  }

  /// What is sent to the peer from now on is lost: steps that send there would leave others
  /// waiting.
  void lose_peer(const caf::actor_addr& gone) {
    if (peers.erase(gone) == 0) return;
    for (auto& [id, session] : sessions) {
      for (auto& [number, step] : session.steps) {
        auto* lost = step.plan ? step.plan->destination_at(gone) : nullptr;
        if (lost && step.execution) step.execution->cancel(lost->lost());
      }
      std::erase_if(session.plans, [&gone](const auto& entry) {
        return entry.second->destination_at(gone) != nullptr;
      });
    }
  }

  void count_late(uint64_t count = 1) {
    settings.late_messages->fetch_add(count, std::memory_order_relaxed);
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
  self->set_down_handler([&state](const caf::down_msg& down) {
    Handling handling(state);
    state.end_sessions_of(down.source);
    state.lose_peer(down.source);
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
      [&state](const DropPlan& message) { state.drop_plan(message); },
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
