#include "troupe/actors/task/task_actor.hpp"

#include <algorithm>

#include "troupe/actors/cluster/membership.hpp"
#include "troupe/actors/cluster/peer_monitor.hpp"
#include "troupe/actors/cluster/resource_directory_client.hpp"
#include "troupe/actors/container/task_containers.hpp"
#include "troupe/actors/device/device_actor.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/actors/runner/runner_set.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/actors/session/compiled_step.hpp"
#include "troupe/actors/task/cluster_calls.hpp"
#include "troupe/actors/task/session_set.hpp"
#include "troupe/devices/local_devices.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

struct TaskState {
  static constexpr const char* name = "task";

  TaskState() = default;

  TaskProtocol::pointer self = nullptr;
  TaskSettings settings;
  PeerMonitor peers;
  TaskContainers containers;
  ResourceDirectoryClient directory;
  Membership membership;
  ClusterCalls cluster_calls;
  std::vector<DeviceActor> devices;
  SessionSet sessions;
  RunnerSet runners;
  bool will_trim = false;

  ~TaskState() {
    for (auto& device : devices) caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
  }

  void set_up(TaskProtocol::pointer me, TaskSettings own_settings, uint64_t incarnation) {
    self = me;
    settings = std::move(own_settings);
    peers.me = {
        .job = settings.config.job,
        .task = settings.config.task,
        .incarnation = incarnation,
        .devices = {},
        .is_draining = false};
    peers.begin(
        self, settings,
        [this](const TaskActor& task, uint64_t membership_version) {
          membership.peer_contacted(task, membership_version);
        },
        [this](const PeerLost& lost) { peer_lost(lost); });
    containers.begin(self, settings);
    directory.begin(self, settings, peers, containers);
    auto changed = [this](const ClusterSpec& cluster) { cluster_changed(cluster); };
    membership.begin(self, settings, peers, directory, changed);
    cluster_calls.begin(self, settings, peers);
    start_devices();
    sessions.begin(self, settings, candidates_of({peers.me}));
    runners.begin(
        self, settings, default_device().to_string(),
        [this](const MakeRunner& call) {
          return open_session({.done = {}, .options = call.options}, &call);
        },
        [this](const Commit& call, const DoneStatus& then) { commit(call, then); },
        [this](const Withdraw& call, const std::function<void()>& then) { withdraw(call, then); });
  }

  std::string own_name() const { return task_name(peers.me.job, peers.me.task); }

  // -- devices

  void start_devices() {
    for (const auto& device : settings.devices) {
      const auto& attributes = device->attributes();
      DeviceName full{peers.me.job, peers.me.task, attributes.type, attributes.index};
      auto actor = spawn_device(
          self->system(), caf::actor_cast<TaskActor>(self),
          {.device = device,
           .catalog = settings.catalog,
           .name = full.to_string(),
           .task_name = task_name(peers.me.job, peers.me.task),
           .connect_timeout = settings.connect_timeout,
           .world = settings.world,
           .metrics = settings.metrics});
      devices.push_back(actor);
      auto ops = loaded_kernels::with_loaded(device->kernels());
      // Handles need no kernel: a plan binds them to their resources.
      for (const auto& [handle_op, kind] : device->resource_kinds().all()) ops.push_back(handle_op);
      peers.me.devices.push_back(
          {.type = attributes.type,
           .index = attributes.index,
           .memory_limit = attributes.memory_limit,
           .description = attributes.description,
           .ops = OpSet(std::move(ops), device->kernels().ops_on_request()),
           .actor = caf::actor_cast<caf::strong_actor_ptr>(actor)});
    }
  }

  DeviceName default_device() const {
    const auto& first = peers.me.devices.at(0);
    return {peers.me.job, peers.me.task, first.type, first.index};
  }

  void peer_lost(const PeerLost& lost) {
    for (auto& device : devices) self->send(device, lost);
    sessions.send_all(lost);
    membership.peer_lost(lost);
  }

  void cluster_changed(const ClusterSpec& cluster) { sessions.send_all(ClusterChanged{cluster}); }

  // -- sessions and containers

  /// `of`: the runner whose session it is, or null.
  Result<OwnedSessionActor> open_session(const CreateSession& call, const MakeRunner* of) {
    if (!peers.me.is_draining) return sessions.open(call, of);
    return unavailable(own_name() + " is draining, so it opens no sessions: ask another task")
        .at({.task = own_name()});
  }

  void create_session(const CreateSession& call) {
    auto session = open_session(call, nullptr);
    if (session) call.done(SessionActor(*session));
    else call.done(session.status());
  }

  // The deadline of a registration bounds its requests.

  caf::result<Status, Bindings> bind(const Bind& call) {
    auto promise = self->make_response_promise<Status, Bindings>();
    containers.bind(call, [=, this](const Status& status, const Bindings& bound) mutable {
      if (!status.ok()) return void(promise.deliver(status, Bindings()));
      directory.check_pinned(call.device, bound.absent, [=](const Status& status) mutable {
        promise.deliver(status, status.ok() ? bound : Bindings());
      });
    });
    return promise;
  }

  caf::result<Status> commit(const Commit& call) {
    auto promise = self->make_response_promise<Status>();
    commit(call, [promise](const Status& status) mutable { promise.deliver(status); });
    return promise;
  }

  void commit(const Commit& call, DoneStatus then) {
    directory.claim(call.device, call.resources, [=, this](const Status& status) {
      if (!status.ok()) return then(status);
      containers.commit(call, [=, this](const Status& status) {
        // A single resource was refused for another one of its name, which has the place.
        if (!status.ok() && call.resources.size() > 1) directory.give_back(call.resources);
        then(status);
      });
    });
  }

  void withdraw(
      const Withdraw& call, std::function<void()> then = [] {}) {
    containers.withdraw(call, [=, this] { directory.give_back(call.resources, then); });
  }

  caf::result<Status> reset_containers(const ContainerChoice& chosen) {
    auto promise = self->make_response_promise<Status>();
    directory.drop(chosen, [promise]() mutable { promise.deliver(Status()); });
    sessions.send_all(CloseIfUsing{chosen});
    trim_soon();
    return promise;
  }

  /// Returns unused memory of the devices a second later: by then the dropped resources are freed,
  /// and a step that follows the reset at once can use the cached memory.
  void trim_soon() {
    if (std::exchange(will_trim, true)) return;
    auto trim = [this] {
      will_trim = false;
      for (auto& device : settings.devices) device->trim();
    };
    settings.world->after(
        std::chrono::seconds(1), caf::actor_cast<caf::strong_actor_ptr>(self),
        caf::make_message(Post{trim}));
  }

  void drop_private_containers(const DeviceSessionEnded& ended) {
    if (containers.end_private(ended.session)) trim_soon();
  }

  caf::result<TaskResources> list_task_resources() {
    auto promise = self->make_response_promise<TaskResources>();
    containers.list([promise](TaskResources list) mutable { promise.deliver(std::move(list)); });
    return promise;
  }

  /// Sessions that use what is reset say so; the others of this task are closed, too, but those of
  /// runners.
  void reset(const Reset& call) {
    if (call.only_task.empty()) {
      sessions.send_all(CloseIfUsing{call.containers});
      close_sessions("a reset of " + call.containers.to_string() + " through " + own_name(), false);
    }
    cluster_calls.reset(call);
  }

  void close_sessions(const std::string& why, bool with_runners) {
    sessions.close(why, [&](const caf::actor_addr& session) {
      return with_runners || !runners.has_session(session);
    });
  }

  NodeInfo info() const {
    return {
        .job = peers.me.job,
        .task = peers.me.task,
        .incarnation = peers.me.incarnation,
        .protocol_version = protocol_version,
        .cluster = settings.config.cluster,
        .sessions = sessions.size(),
        .steps = settings.metrics->steps,
        .late_messages = settings.metrics->late_messages,
        .state = peers.me.is_draining ? NodeState::draining : NodeState::serving};
  }

  void session_ended(const caf::actor_addr& session) {
    sessions.ended(session);
    runners.session_ended(session);
  }

  void actor_ended(const caf::down_msg& down) {
    session_ended(down.source);
    runners.actor_ended(down.source);
    peers.ended(down.source, down.reason);
  }

  // -- ends

  void drain(const Drain& call) {
    peers.me.is_draining = true;
    auto is_late = std::make_shared<std::atomic<bool>>(false);
    auto why = own_name() + " was told to drain, and gave its steps " + seconds_text(call.timeout);
    // Each session owns a share until its last run has ended.
    std::shared_ptr<void> drained(nullptr, [is_late, why, done = call.done](void*) {
      done(
          *is_late ? deadline_exceeded(why + "; those that had not ended were cancelled")
                   : Status());
    });
    runners.end_all(unavailable(own_name() + " was told to drain").at({.task = own_name()}));
    sessions.send_all(DrainRuns{drained});
    auto cancel_late_runs = [this, weak = std::weak_ptr(is_late), why] {
      auto is_late = weak.lock();
      if (!is_late) return;  // the drain has been answered
      *is_late = true;
      sessions.send_all(CancelRuns{cancelled(why).at({.task = own_name()})});
    };
    settings.world->after(
        call.timeout, caf::actor_cast<caf::strong_actor_ptr>(self),
        caf::make_message(Post{cancel_late_runs}));
  }

  void stop(const Stop& call) {
    close_sessions("its node, which stopped", /*with_runners=*/true);
    peers.clear();
    self->quit(caf::exit_reason::user_shutdown);
    call.done({});
  }
};

TaskProtocol::behavior_type task(
    Self<TaskProtocol, TaskState> self, TaskSettings settings, uint64_t incarnation) {
  auto& state = self->state;
  state.set_up(self, std::move(settings), incarnation);
  self->set_down_handler([&state](const caf::down_msg& down) { state.actor_ended(down); });
  return {
      [&state](const CreateSession& call) { state.create_session(call); },
      [&state](const ListDevices& call) { state.cluster_calls.list_devices(call); },
      [&state](const ListResources& call) { state.cluster_calls.list_resources(call); },
      [&state](const ListRunners& call) { state.cluster_calls.list_runners(call); },
      [&state](const ListSessions& call) { state.cluster_calls.list_sessions(call); },
      [&state](const ControlRunner& call) { state.cluster_calls.control_runner(call); },
      [&state](const Reset& call) { state.reset(call); },
      [&state](const GetNodeInfo& call) { call.done(state.info()); },
      [&state](const ListWaitingSteps& call) { state.sessions.list_waiting_steps(call); },
      [&state](const TraceNextStep& call) { state.sessions.trace_next_step(call); },
      [&state](const Drain& call) { state.drain(call); },
      [&state](const AdmitTask& call) { state.membership.admit(call); },
      [&state](const ForgetTask& call) { state.membership.forget(call); },
      [&state](const Hello& hello) { return state.peers.answer_hello(hello); },
      [&state](const ResetContainers& call) { return state.reset_containers(call.containers); },
      [&state](const ListTaskResources&) { return state.list_task_resources(); },
      [&state](const ListTaskRunners&) { return state.runners.list(); },
      [&state](const ListTaskSessions&) { return state.sessions.list(); },
      [&state](const ControlTaskRunner& call) { return state.runners.control(call); },
      [&state](const Ping& ping) { state.peers.answer_ping(ping); },
      [&state](const Pong& pong) { state.peers.pong_received(pong); },
      [&state](const FindTask& call) { return state.peers.find(call); },
      [&state](const FindResources& call) { return state.directory.find(call); },
      [&state](const PlaceResources& call) { return state.directory.place(call); },
      [&state](const ListHeldResources&) { return state.directory.list_held(); },
      [&state](const Reconcile& message) { return state.directory.reconcile(message); },
      [&state](const Join& request) { return state.membership.join(request); },
      [&state](const Leave& request) { return state.membership.leave(request); },
      [&state](const MembershipUpdate& update) { return state.membership.update(update); },
      [&state](const Bind& call) { return state.bind(call); },
      [&state](const Commit& call) { return state.commit(call); },
      [&state](const Withdraw& call) { state.withdraw(call); },
      [&state](const DeviceSessionEnded& ended) { state.drop_private_containers(ended); },
      [&state, self](const SessionClosed&) {
        state.session_ended(caf::actor_cast<caf::actor_addr>(self->current_sender()));
      },
      [&state](const MakeRunner& call) { state.runners.make(call); },
      [&state](const LeaveCluster& call) { state.membership.leave_cluster(call.done); },
      [&state](const Stop& call) { state.stop(call); },
      [](const Post& next) { next.work(); },
      [&state](const HeartbeatTick&) { state.peers.heartbeat_tick(); },
  };
}

}  // namespace

SpawnedTask spawn_task(TaskSettings settings) {
  auto& system = settings.world->system();
  auto incarnation = settings.world->random();
  return {system.spawn(task, std::move(settings), incarnation), incarnation};
}

}  // namespace troupe
