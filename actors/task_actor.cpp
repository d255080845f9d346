#include "troupe/actors/task_actor.hpp"

#include <map>
#include <set>

#include "troupe/actors/device_actor.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/actors/gather.hpp"
#include "troupe/actors/owed_answers.hpp"
#include "troupe/actors/self.hpp"
#include "troupe/actors/session_actor.hpp"
#include "troupe/graph/device_name.hpp"

namespace troupe {

/// The world's answer to a connect().
struct PeerConnected {
  std::string job;
  int task;
  std::chrono::milliseconds timeout;
  Result<caf::strong_actor_ptr> found;
};

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::PeerConnected)

namespace troupe {
namespace {

using TaskMailbox = TaskActor::extend<caf::reacts_to<PeerConnected>>;
using TaskKey = std::pair<std::string, int>;

/// What is known of another task.
struct Peer {
  TaskActor actor;              // empty until connected
  TaskDescription description;  // once it has answered Hello
  OwedAnswers<TaskDescription> waiting;
};

struct TaskState {
  static constexpr const char* name = "task";

  TaskState() = default;

  TaskMailbox::pointer self = nullptr;
  TaskSettings settings;
  TaskDescription me;
  std::vector<DeviceActor> devices;
  std::map<std::string, ContainerActor> containers;
  std::map<TaskKey, Peer> peers;
  std::map<caf::actor_addr, SessionActor> sessions;
  std::shared_ptr<std::atomic<uint64_t>> steps = std::make_shared<std::atomic<uint64_t>>();
  std::shared_ptr<std::atomic<uint64_t>> late_messages = std::make_shared<std::atomic<uint64_t>>();

  ~TaskState() {
    for (auto& device : devices) caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
    for (auto& [container_name, actor] : containers)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    for (auto& [address, session] : sessions)
      caf::anon_send_exit(session, caf::exit_reason::user_shutdown);
  }

  std::string my_name() const { return task_name(me.job, me.task); }

  // -- devices

  void start_devices() {
    me = {
        .job = settings.config.job,
        .task = settings.config.task,
        .incarnation = me.incarnation,
        .devices = {}};
    for (const auto& device : settings.devices) {
      const auto& attributes = device->attributes();
      DeviceName full{me.job, me.task, attributes.type, attributes.index};
      auto actor = spawn_device(
          self->system(), caf::actor_cast<TaskActor>(self),
          {.device = device,
           .catalog = settings.catalog,
           .name = full.to_string(),
           .task_name = my_name(),
           .connect_timeout = settings.connect_timeout,
           .late_messages = late_messages});
      devices.push_back(actor);
      me.devices.push_back(
          {.type = attributes.type,
           .index = attributes.index,
           .memory_limit = attributes.memory_limit,
           .description = attributes.description,
           .ops = device->kernels().ops(),
           .actor = caf::actor_cast<caf::strong_actor_ptr>(actor)});
      // Variables need no kernel: a plan binds their handles.
      me.devices.back().ops.push_back("VarHandleOp");
    }
  }

  // -- peers

  caf::result<Status, TaskDescription> greet(const Hello& hello) {
    auto taken_for = task_name(hello.to_job, hello.to_task);
    if (hello.version != protocol_version)
      return {
          failed_precondition(
              my_name() + " speaks version " + std::to_string(protocol_version) +
              " of the protocol between nodes, the caller " + std::to_string(hello.version)),
          TaskDescription()};
    if (taken_for != my_name())
      return {
          failed_precondition(
              task_name(hello.from_job, hello.from_task) + " expected " + taken_for +
              " here, but this is " + my_name() + ": check the addresses of the cluster"),
          TaskDescription()};
    return {Status(), me};
  }

  caf::result<Status, TaskDescription> find_task(const FindTask& call) {
    if (call.job == me.job && call.task == me.task) return {Status(), me};
    auto address = settings.config.cluster.address(call.job, call.task);
    if (!address) return {address.status(), TaskDescription()};
    auto& peer = peers[{call.job, call.task}];
    if (peer.actor) return {Status(), peer.description};
    auto promise = peer.waiting.owe(self->make_response_promise<Status, TaskDescription>());
    if (peer.waiting.size() == 1) connect(call, *address);
    return promise;
  }

  void connect(const FindTask& call, const Address& address) {
    // Others may join the wait who are more patient than the first.
    auto timeout = std::max(call.timeout, settings.connect_timeout);
    settings.world->connect(
        address, timeout,
        [call, timeout,
         me = caf::actor_cast<TaskMailbox>(self)](Result<caf::strong_actor_ptr> found) {
          caf::anon_send(me, PeerConnected{call.job, call.task, timeout, std::move(found)});
        });
  }

  void connected(const PeerConnected& answer) {
    TaskKey key{answer.job, answer.task};
    if (!answer.found) return lose_peer(key, answer.found.status());
    auto actor = caf::actor_cast<TaskActor>(*answer.found);
    self->request(actor, answer.timeout, hello_to(key))
        .then(
            [this, key, actor](Status& status, TaskDescription& description) {
              if (!status.ok()) return lose_peer(key, status);
              auto& peer = peers[key];
              peer.actor = actor;
              peer.description = std::move(description);
              self->monitor(actor);
              peer.waiting.answer_all(Status(), peer.description);
            },
            [this, key](caf::error& error) { lose_peer(key, to_status(error)); });
  }

  Hello hello_to(const TaskKey& key) const {
    return {
        .from_job = me.job,
        .from_task = me.task,
        .from_incarnation = me.incarnation,
        .version = protocol_version,
        .to_job = key.first,
        .to_task = key.second};
  }

  static Status unreachable(const TaskKey& key, const Status& why) {
    auto name = task_name(key.first, key.second);
    return Status(
        why.code(), "cannot reach " + name + ": " + why.message(),
        {.node = "", .op = "", .device = "", .task = name});
  }

  /// The peer cannot be reached, or not any more; the next who asks tries again (TK-1).
  void lose_peer(const TaskKey& key, const Status& why) {
    auto peer = peers.extract(key);
    if (peer) peer.mapped().waiting.answer_all(unreachable(key, why), TaskDescription());
  }

  // -- sessions and containers

  void create_session(const CreateSession& call) {
    DeviceName default_device{me.job, me.task, me.devices[0].type, me.devices[0].index};
    auto session = spawn_session(
        self->system(), caf::actor_cast<TaskActor>(self),
        {.id = settings.world->random(),
         .cluster = settings.config.cluster,
         .default_device = default_device,
         .catalog = settings.catalog,
         .connect_timeout = settings.connect_timeout,
         .steps = steps});
    sessions.emplace(session.address(), session);
    self->monitor(session);
    call.done(session);
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
        if (key == TaskKey(me.job, me.task)) continue;
        ++*waits_for;
        self->request(caf::actor_cast<TaskActor>(self), timeout, FindTask{job, index, timeout})
            .then(
                [this, key, each, arrived](const Status& status, const TaskDescription&) {
                  auto peer = peers.find(key);
                  if (!status.ok()) return arrived(status);
                  if (peer == peers.end()) return arrived(unreachable(key, unavailable("lost")));
                  each(key, peer->second.actor, arrived);
                },
                [key, arrived](const caf::error& error) {
                  arrived(unreachable(key, to_status(error)));
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
    list(*devices, me);
    for_all_peers(
        call.timeout,
        [this, devices, timeout = call.timeout](
            const TaskKey& key, const TaskActor& peer, const DoneStatus& arrived) {
          self->request(peer, timeout, hello_to(key))
              .then(
                  [devices, arrived](const Status& status, const TaskDescription& found) {
                    list(*devices, found);
                    arrived(status);
                  },
                  [key, arrived](const caf::error& error) {
                    arrived(unreachable(key, to_status(error)));
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
                    arrived(unreachable(key, to_status(error)));
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
        .job = me.job,
        .task = me.task,
        .incarnation = me.incarnation,
        .protocol_version = protocol_version,
        .cluster = settings.config.cluster,
        .sessions = sessions.size(),
        .steps = steps->load(),
        .late_messages = late_messages->load()};
  }

  void actor_gone(const caf::actor_addr& gone) {
    sessions.erase(gone);
    for (const auto& [key, peer] : peers)
      if (peer.actor && peer.actor.address() == gone)
        return lose_peer(key, unavailable("the connection broke"));
  }

  void stop(const Stop& call) {
    close_sessions();
    peers.clear();
    self->quit(caf::exit_reason::user_shutdown);
    call.done({});
  }
};

TaskMailbox::behavior_type task(
    Self<TaskMailbox, TaskState> self, TaskSettings settings, uint64_t incarnation) {
  auto& state = self->state;
  state.self = self;
  state.settings = std::move(settings);
  state.me.incarnation = incarnation;
  state.start_devices();
  self->set_down_handler([&state](const caf::down_msg& down) { state.actor_gone(down.source); });
  return {
      [&state](const CreateSession& call) { state.create_session(call); },
      [&state](const ListDevices& call) { state.list_devices(call); },
      [&state](const Reset& call) { state.reset(call); },
      [&state](const GetNodeInfo& call) { call.done(state.info()); },
      [&state](const Hello& hello) { return state.greet(hello); },
      [&state](const ResetContainers& call) {
        state.reset_own(call.containers);
        return Status();
      },
      [&state](const FindTask& call) { return state.find_task(call); },
      [&state](const Bind& call) { return state.bind(call); },
      [&state](const Stop& call) { state.stop(call); },
      [&state](const PeerConnected& answer) { state.connected(answer); },
  };
}

}  // namespace

SpawnedTask spawn_task(TaskSettings settings) {
  auto& system = settings.world->system();
  auto incarnation = settings.world->random();
  return {system.spawn(task, std::move(settings), incarnation), incarnation};
}

}  // namespace troupe
