#include "troupe/actors/task_actor.hpp"

#include <map>
#include <set>

#include "troupe/actors/device_actor.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/actors/gather.hpp"
#include "troupe/actors/peers.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/actors/session_actor.hpp"
#include "troupe/graph/device_name.hpp"

namespace troupe {
namespace {

struct TaskState {
  static constexpr const char* name = "task";

  TaskState() = default;

  TaskMailbox::pointer self = nullptr;
  TaskSettings settings;
  Peers peers;
  std::vector<DeviceActor> devices;
  std::map<std::string, ContainerActor> containers;
  std::map<caf::actor_addr, TaskSession> sessions;

  ~TaskState() {
    for (auto& device : devices) caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
    for (auto& [container_name, actor] : containers)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    for (auto& [address, session] : sessions)
      caf::anon_send_exit(session, caf::exit_reason::user_shutdown);
  }

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
           .gauges = settings.gauges});
      devices.push_back(actor);
      peers.me.devices.push_back(
          {.type = attributes.type,
           .index = attributes.index,
           .memory_limit = attributes.memory_limit,
           .description = attributes.description,
           .ops = device->kernels().ops(),
           .actor = caf::actor_cast<caf::strong_actor_ptr>(actor)});
      // Variables need no kernel: a plan binds their handles.
      peers.me.devices.back().ops.push_back("VarHandleOp");
    }
  }

  void peer_lost(const PeerLost& lost) {
    for (auto& device : devices) self->send(device, lost);
    for (auto& [address, session] : sessions) self->send(session, lost);
  }

  // -- sessions and containers

  void create_session(const CreateSession& call) {
    DeviceName default_device{
        peers.me.job, peers.me.task, peers.me.devices[0].type, peers.me.devices[0].index};
    auto session = spawn_session(
        self->system(), caf::actor_cast<TaskActor>(self),
        {.id = settings.world->random(),
         .cluster = settings.config.cluster,
         .default_device = default_device,
         .catalog = settings.catalog,
         .connect_timeout = settings.connect_timeout,
         .world = settings.world,
         .gauges = settings.gauges});
    sessions.emplace(session.address(), session);
    self->monitor(session);
    call.done(SessionActor(session));
  }

  ContainerActor& container(const std::string& container_name) {
    auto& found = containers[container_name];
    if (!found) found = spawn_container(self->system(), container_name);
    return found;
  }

  caf::result<Status, Bindings> bind(const Bind& call) {
    auto gather =
        std::make_shared<Gather<Bindings>>(self->make_response_promise<Status, Bindings>());
    std::map<std::string, Bind> by_container;
    for (const auto& use : call.uses) by_container[use.container].uses.push_back(use);
    for (auto& [container_name, uses] : by_container) {
      gather->expect();
      self->request(container(container_name), caf::infinite, std::move(uses))
          .then(
              [gather](Status& status, Bindings& found) {
                gather->value.merge(found);
                gather->arrived(status);
              },
              [gather](caf::error& error) { gather->arrived(to_status(error)); });
    }
    gather->arrived({});
    return gather->promise;
  }

  void reset_own(const std::vector<std::string>& names) {
    for (const auto& container_name : names) {
      auto found = containers.find(container_name);
      if (found != containers.end()) self->send(found->second, ResetContainer{});
    }
  }

  void close_sessions() {
    for (auto& [address, session] : sessions) self->send(session, Close{[](const Status&) {}});
  }

  // -- calls over all tasks

  /// One task's part of a call over all: does its work and reports with the callback.
  using Each = std::function<void(const TaskKey&, const TaskActor&, DoneStatus)>;

  /// Calls `each` for every other task of the cluster that is reached in time, then `done` with the
  /// errors, each of which names its task.
  void for_all_peers(
      std::chrono::milliseconds timeout, Each each, std::function<void(std::vector<Status>)> done) {
    auto errors = std::make_shared<std::vector<Status>>();
    auto waits_for = std::make_shared<size_t>(1);
    auto arrived = [errors, waits_for, done](const Status& status) {
      if (!status.ok()) errors->push_back(status);
      if (--*waits_for == 0) done(*errors);
    };
    for (const auto& [job, tasks] : settings.config.cluster.jobs())
      for (const auto& [index, address] : tasks) {
        TaskKey key{job, index};
        if (key == TaskKey(peers.me.job, peers.me.task)) continue;
        ++*waits_for;
        self->request(caf::actor_cast<TaskActor>(self), timeout, FindTask{job, index, timeout})
            .then(
                [this, key, each, arrived](const Status& status, const TaskDescription&) {
                  auto peer = peers.actor_of(key);
                  if (!status.ok()) return arrived(status);
                  if (!peer) return arrived(Peers::unreachable(key, unavailable("lost")));
                  each(key, peer, arrived);
                },
                [key, arrived](const caf::error& error) {
                  arrived(Peers::unreachable(key, to_status(error)));
                });
      }
    arrived({});
  }

  static void list(DeviceList& list, const TaskDescription& task) {
    for (const auto& device : task.devices)
      list.devices.push_back(
          {.name = DeviceName{task.job, task.task, device.type, device.index}.to_string(),
           .attributes =
               {.type = device.type,
                .index = device.index,
                .memory_limit = device.memory_limit,
                .description = device.description},
           .incarnation = task.incarnation});
  }

  /// Asks each task anew: what is known of it may be of an earlier life.
  void list_devices(const ListDevices& call) {
    auto devices = std::make_shared<DeviceList>();
    list(*devices, peers.me);
    for_all_peers(
        call.timeout,
        [this, devices, timeout = call.timeout](
            const TaskKey& key, const TaskActor& peer, const DoneStatus& arrived) {
          self->request(peer, timeout, peers.hello_to(key))
              .then(
                  [devices, arrived](const Status& status, const TaskDescription& found) {
                    list(*devices, found);
                    arrived(status);
                  },
                  [key, arrived](const caf::error& error) {
                    arrived(Peers::unreachable(key, to_status(error)));
                  });
        },
        [devices, done = call.done](std::vector<Status> errors) {
          std::ranges::sort(devices->devices, {}, &ListedDevice::name);
          devices->missing = std::move(errors);
          done(*devices);
        });
  }

  void reset(const Reset& call) {
    close_sessions();
    reset_own(call.containers);
    for_all_peers(
        call.timeout,
        [this, call](const TaskKey& key, const TaskActor& peer, const DoneStatus& arrived) {
          self->request(peer, call.timeout, ResetContainers{call.containers})
              .then(
                  [arrived](const Status& status) { arrived(status); },
                  [key, arrived](const caf::error& error) {
                    arrived(Peers::unreachable(key, to_status(error)));
                  });
        },
        [done = call.done](const std::vector<Status>& errors) { done(combine(errors)); });
  }

  /// One error that names all that are missing.
  static Status combine(const std::vector<Status>& errors) {
    if (errors.empty()) return {};
    std::string message;
    for (const auto& error : errors) message += (message.empty() ? "" : "; ") + error.message();
    return unavailable("all other tasks were reset, but " + message).at(errors[0].where());
  }

  NodeInfo info() const {
    return {
        .job = peers.me.job,
        .task = peers.me.task,
        .incarnation = peers.me.incarnation,
        .protocol_version = protocol_version,
        .cluster = settings.config.cluster,
        .sessions = sessions.size(),
        .steps = settings.gauges->steps,
        .late_messages = settings.gauges->late_messages};
  }

  /// What the steps of all sessions wait for.
  void explain(const Explain& call) {
    auto steps = std::make_shared<std::vector<WaitingStep>>();
    // Held by each session's callback, also by one that ends without answering.
    std::shared_ptr<void> last(nullptr, [steps, done = call.done](void*) { done(*steps); });
    for (auto& [address, session] : sessions)
      self->send(session, Explain{call.timeout, [steps, last](auto found) {
                                    if (found)
                                      steps->insert(steps->end(), found->begin(), found->end());
                                  }});
  }

  void actor_gone(const caf::actor_addr& gone) {
    sessions.erase(gone);
    peers.ended(gone);
  }

  void stop(const Stop& call) {
    close_sessions();
    peers.forget_all();
    self->quit(caf::exit_reason::user_shutdown);
    call.done({});
  }
};

TaskMailbox::behavior_type task(
    Self<TaskMailbox, TaskState> self, TaskSettings settings, uint64_t incarnation) {
  auto& state = self->state;
  state.self = self;
  state.settings = std::move(settings);
  state.peers.me = {
      .job = state.settings.config.job,
      .task = state.settings.config.task,
      .incarnation = incarnation,
      .devices = {}};
  state.peers.begin(
      self, state.settings, [&state](const PeerLost& lost) { state.peer_lost(lost); });
  state.start_devices();
  self->set_down_handler([&state](const caf::down_msg& down) { state.actor_gone(down.source); });
  return {
      [&state](const CreateSession& call) { state.create_session(call); },
      [&state](const ListDevices& call) { state.list_devices(call); },
      [&state](const Reset& call) { state.reset(call); },
      [&state](const GetNodeInfo& call) { call.done(state.info()); },
      [&state](const Explain& call) { state.explain(call); },
      [&state](const Hello& hello) { return state.peers.greet(hello); },
      [&state](const ResetContainers& call) {
        state.reset_own(call.containers);
        return Status();
      },
      [&state](const Ping& ping) { state.peers.answer(ping); },
      [&state](const Pong&) { state.peers.heard(); },
      [&state](const FindTask& call) { return state.peers.find(call); },
      [&state](const Bind& call) { return state.bind(call); },
      [&state](const Stop& call) { state.stop(call); },
      [&state](const PeerConnected& answer) { state.peers.connected(answer); },
      [&state](const Beat&) { state.peers.beat(); },
      [&state](const PeerAnswered& answer) { state.peers.answered(answer); },
  };
}

}  // namespace

SpawnedTask spawn_task(TaskSettings settings) {
  auto& system = settings.world->system();
  auto incarnation = settings.world->random();
  return {system.spawn(task, std::move(settings), incarnation), incarnation};
}

}  // namespace troupe
