#include "troupe/actors/device/pending_registrations.hpp"

#include <set>

#include "troupe/actors/error.hpp"
#include "troupe/actors/post.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/graph/passes/fuse_rows.hpp"

namespace troupe {
namespace {

std::string device_name(const TaskDescription& task, const DeviceDescription& device) {
  return DeviceName{task.job, task.task, device.type, device.index}.to_string();
}

}  // namespace

struct PendingRegistrations::Registration {
  Register message;  // without nodes, once there is a graph
  bool is_large = false;
  bool has_fused_kernel = false, has_rows_kernel = false;  // graph/ops/fusion.hpp
  std::shared_ptr<Graph> graph;
  std::shared_ptr<SessionKernels> kernels;
  Bindings bindings;
  DeviceActors peers;
  std::shared_ptr<DevicePlan> plan;  // once it is compiled
  caf::typed_response_promise<Status, Registered> promise;
  size_t pending = 1;
  Status status;
  bool answered = false;
  std::set<std::string> tasks;  // that it sends to and receives from
  Counted counted;
};

void PendingRegistrations::begin(
    DeviceProtocol::pointer self, const TaskActor& task, const DeviceSettings& settings,
    AddPlan add_plan) {
  self_ = self;
  task_ = task;
  settings_ = settings;
  add_plan_ = std::move(add_plan);
}

Where PendingRegistrations::where() const {
  return {.node = "", .op = "", .device = settings_.name, .task = settings_.task_name};
}

caf::result<Status, Registered> PendingRegistrations::add(
    Register& message, const std::shared_ptr<SessionKernels>& session_kernels) {
  auto registration = std::make_shared<Registration>();
  registration->counted = Counted(settings_.metrics, &Metrics::pending_registrations);
  registration->is_large = settings_.world->takes_long(message.node_count());
  const auto& kernels = settings_.device->kernels();
  registration->has_fused_kernel = kernels.contains(fusion::op);
  registration->has_rows_kernel = kernels.contains(fusion::rows_op);
  registration->graph = std::make_shared<Graph>(settings_.catalog);
  registration->kernels = session_kernels;
  registration->message = std::move(message);
  // A partial step exchanges feeds and fetches with the session actor, in place of the client. Set
  // before the promise is made, which takes the sender away.
  registration->peers[transfer::client] = caf::actor_cast<DeviceActor>(self_->current_sender());
  registration->promise = self_->make_response_promise<Status, Registered>();
  pending_.push_back(registration);
  run_in_background(
      registration, [registration] { return make_graph(*registration); },
      &PendingRegistrations::find_dependencies);
  return registration->promise;
}

/// Runs work that changes nothing but the registration; beside the actor, where it takes long.
void PendingRegistrations::run_in_background(
    const Pointer& registration, std::function<Status()> work, Next next) {
  if (!registration->is_large) return proceed(registration, work(), next);
  auto then = post_to<Status>(self_, [this, registration, next](const Status& status) {
    if (!registration->answered) proceed(registration, status, next);
  });
  settings_.world->run_in_background([work = std::move(work), then] { then(status_of(work)); });
}

void PendingRegistrations::proceed(const Pointer& registration, const Status& status, Next next) {
  if (status.ok()) (this->*next)(registration);
  else finish(registration, status);
}

Status PendingRegistrations::make_graph(Registration& registration) {
  auto& message = registration.message;
  if (auto status = registration.graph->add_functions(std::move(message.functions)); !status.ok())
    return status;
  if (message.fuses && registration.has_fused_kernel) fuse_elementwise(message.nodes);
  if (message.fuses && registration.has_rows_kernel) fuse_rows(message.nodes);
  registration.graph->reserve(message.nodes.size());
  for (auto& def : std::exchange(message.nodes, {}))
    if (auto id = registration.graph->add(std::move(def)); !id) return id.status();
  return registration.graph->check_loops();
}

void PendingRegistrations::find_dependencies(const Pointer& registration) {
  if (auto status = bind_resources(registration); !status.ok()) registration->status = status;
  find_peers(registration);
  arrived(registration, {});
}

Status PendingRegistrations::bind_resources(const Pointer& registration) {
  auto uses = resources_of(registration->graph, settings_.device->resource_kinds());
  if (!uses) return uses.status();
  if (uses->empty()) return {};
  Bind bind{settings_.name, *std::move(uses)};
  ++registration->pending;
  self_->request(task_, caf::infinite, std::move(bind))
      .then(
          [this, registration](Status& status, Bindings& bindings) {
            registration->bindings = std::move(bindings);
            arrived(registration, status);
          },
          [this, registration](caf::error& error) { arrived(registration, to_status(error)); });
  return {};
}

void PendingRegistrations::find_peers(const Pointer& registration) {
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
    ++registration->pending;
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

/// Takes one of the answers that the registration waits for. After the last one the plan is
/// compiled.
void PendingRegistrations::arrived(const Pointer& registration, const Status& status) {
  if (registration->status.ok()) registration->status = status;
  if (--registration->pending > 0 || registration->answered) return;
  if (registration->status.ok()) compile(registration);
  else finish(registration, registration->status);
}

void PendingRegistrations::compile(const Pointer& registration) {
  auto make_plan = [registration, device = settings_.device] {
    auto plan = make_device_plan(
        registration->graph, *device, registration->bindings.resources, registration->peers,
        *registration->kernels);
    if (plan) registration->plan = *std::move(plan);
    return plan.status();
  };
  run_in_background(registration, make_plan, &PendingRegistrations::compiled);
}

void PendingRegistrations::compiled(const Pointer& registration) {
  if (registration->bindings.created.empty()) committed(registration, {});
  else commit(registration);
}

void PendingRegistrations::commit(const Pointer& registration) {
  Commit commit{settings_.name, registration->bindings.created};
  self_->request(task_, caf::infinite, std::move(commit))
      .then(
          [this, registration](const Status& status) { committed(registration, status); },
          [this, registration](caf::error& error) { committed(registration, to_status(error)); });
}

/// The resources are in their containers, or none of them is.
void PendingRegistrations::committed(const Pointer& registration, const Status& status) {
  auto& created = registration->bindings.created;
  auto result = status;
  if (status.ok() && !registration->answered)
    result = add_plan_(registration->message, std::move(registration->plan), created);
  auto is_in_vain = status.ok() && (registration->answered || !result.ok());
  if (is_in_vain && !created.empty()) self_->send(task_, Withdraw{std::move(created)});
  if (!registration->answered) finish(registration, result);
}

void PendingRegistrations::finish(const Pointer& registration, const Status& status) {
  answer(*registration, status);
  pending_.remove(registration);
}

void PendingRegistrations::answer(Registration& registration, const Status& status) {
  registration.answered = true;
  registration.promise.deliver(
      status.at(where()), Registered{.is_transient = !registration.bindings.absent.empty()});
}

void PendingRegistrations::cancel(
    SessionId session, std::optional<PlanId> plan, const Status& why) {
  auto is_cancelled = [&](const Registration& registration) {
    const auto& message = registration.message;
    return message.session == session && (!plan || message.plan == *plan);
  };
  cancel_where(is_cancelled, why);
}

void PendingRegistrations::peer_lost(const std::string& task, const Status& why) {
  cancel_where([&](const Registration& pending) { return pending.tasks.contains(task); }, why);
}

void PendingRegistrations::cancel_where(
    const std::function<bool(const Registration&)>& is_cancelled, const Status& why) {
  for (auto next = pending_.begin(); next != pending_.end();) {
    auto registration = next++;
    if (!is_cancelled(**registration)) continue;
    answer(**registration, why);
    pending_.erase(registration);
  }
}

}  // namespace troupe
