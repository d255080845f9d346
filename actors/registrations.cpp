#include "troupe/actors/registrations.hpp"

#include <set>

#include "troupe/actors/error.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

std::string device_name(const TaskDescription& task, const DeviceDescription& device) {
  return DeviceName{task.job, task.task, device.type, device.index}.to_string();
}

}  // namespace

struct Registrations::Registration {
  Register message;
  std::shared_ptr<Graph> graph;
  Bindings bindings;
  DeviceActors peers;
  caf::typed_response_promise<Status> promise;
  size_t waits_for = 1;
  Status status;
  bool over = false;            // answered
  std::set<std::string> tasks;  // that it talks to
  Counted counted;
};

void Registrations::begin(
    DeviceMailbox::pointer self, const TaskActor& task, const DeviceSettings& settings, Made made) {
  self_ = self;
  task_ = task;
  settings_ = settings;
  made_ = std::move(made);
}

Where Registrations::where() const {
  return {.node = "", .op = "", .device = settings_.name, .task = settings_.task_name};
}

caf::result<Status> Registrations::add(Register& message) {
  auto registration = std::make_shared<Registration>();
  registration->counted = Counted(settings_.gauges, &Gauges::registrations);
  registration->graph = std::make_shared<Graph>(settings_.catalog);
  for (auto& def : message.nodes)
    if (auto id = registration->graph->add(std::move(def)); !id) return id.status().at(where());
  registration->message = {.session = message.session, .plan = message.plan, .nodes = {}};
  // The session speaks for the client of its steps. (The promise takes the sender away.)
  registration->peers[transfer::client] = caf::actor_cast<DeviceActor>(self_->current_sender());
  registration->promise = self_->make_response_promise<Status>();
  open_.push_back(registration);
  bind_resources(registration);
  find_peers(registration);
  arrived(registration, {});
  return registration->promise;
}

void Registrations::bind_resources(const Pointer& registration) {
  Bind bind{settings_.name, resources_of(*registration->graph)};
  if (bind.uses.empty()) return;
  ++registration->waits_for;
  self_->request(task_, caf::infinite, std::move(bind))
      .then(
          [this, registration](Status& status, Bindings& bindings) {
            registration->bindings = std::move(bindings);
            arrived(registration, status);
          },
          [this, registration](caf::error& error) { arrived(registration, to_status(error)); });
}

void Registrations::find_peers(const Pointer& registration) {
  auto& tasks = registration->tasks;
  for (const auto& node : registration->graph->nodes()) {
    auto is_send = node.op->name() == transfer::send;
    if (!is_send && node.op->name() != transfer::recv) continue;
    const auto& peer = node.attr<std::string>(is_send ? "to_device" : "from_device");
    if (peer == transfer::client) continue;
    auto device = DeviceName::parse(peer);
    if (!device || !device->is_full()) {
      registration->status = invalid_argument(node.op->name() + " has no full device name");
      return;
    }
    if (!tasks.insert(task_name(*device->job, *device->task)).second) continue;
    ++registration->waits_for;
    FindTask find{*device->job, *device->task, settings_.connect_timeout};
    self_->request(task_, caf::infinite, find)
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

/// Something that the registration waited for is there, or has failed.
void Registrations::arrived(const Pointer& registration, const Status& status) {
  if (registration->status.ok()) registration->status = status;
  if (--registration->waits_for > 0 || registration->over) return;
  if (registration->status.ok()) registration->status = finish(*registration);
  answer(*registration, registration->status);
  open_.remove(registration);
}

Status Registrations::finish(Registration& registration) {
  auto plan = make_registered_plan(
      registration.graph, *settings_.device, registration.bindings, registration.peers,
      self_->node());
  if (!plan) return plan.status();
  return made_(registration.message, *std::move(plan));
}

void Registrations::answer(Registration& registration, const Status& status) {
  registration.over = true;
  registration.promise.deliver(status.at(where()));
}

void Registrations::end(SessionId session, std::optional<PlanId> plan, const Status& why) {
  auto is_over = [&](const Registration& registration) {
    const auto& message = registration.message;
    return message.session == session && (!plan || message.plan == *plan);
  };
  end_where(is_over, why);
}

void Registrations::lose(const std::string& task, const Status& why) {
  end_where([&](const Registration& open) { return open.tasks.contains(task); }, why);
}

void Registrations::end_where(
    const std::function<bool(const Registration&)>& is_over, const Status& why) {
  for (auto next = open_.begin(); next != open_.end();) {
    auto registration = next++;
    if (!is_over(**registration)) continue;
    answer(**registration, why);
    open_.erase(registration);
  }
}

}  // namespace troupe
