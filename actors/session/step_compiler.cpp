#include "troupe/actors/session/step_compiler.hpp"

#include "troupe/actors/cluster/resource_directory.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/actors/post.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/passes/inline_functions.hpp"

namespace troupe {

namespace {

constexpr auto placement = "the placement of its nodes";

}  // namespace

struct StepCompiler::Compilation {
  SharedGraph session_graph;
  const Graph* graph;                    // that of the session, or `inlined`
  std::unique_ptr<InlinedStep> inlined;  // null where the step calls no function
  std::shared_ptr<CompiledStep> step;
  Done done;
  std::shared_ptr<const PlacementView> view;
  PrunedStep pruned;  // of the session's graph
  std::optional<Placement> placement;
  Placement::ResourceDevices resource_devices;  // of the unpinned resources
  std::vector<TaskDescription> tasks;
  std::vector<PlacedPartition> partitions;
  Status status;

  /// That the next work may have to look at.
  size_t nodes() const {
    auto nodes = graph->nodes().size();
    if (!inlined)
      for (const auto& function : graph->library().all()) nodes += function->def.nodes.size();
    return nodes;
  }
  /// What is placed: the step without calls.
  const PrunedStep& placed() const { return inlined ? inlined->step : pruned; }
};

void StepCompiler::begin(
    SessionProtocol::pointer self, const TaskActor& task, const SessionSettings& settings,
    OnRegister on_register) {
  self_ = self;
  task_ = task;
  settings_ = &settings;
  on_register_ = std::move(on_register);
}

void StepCompiler::compile(
    const SharedGraph& graph, const std::shared_ptr<CompiledStep>& step, Done done) {
  step->partitions.clear();
  step->is_transient = false;
  auto compilation = std::make_shared<Compilation>(Compilation{
      .session_graph = graph,
      .graph = graph.get(),
      .inlined = nullptr,
      .step = step,
      .done = std::move(done),
      .view = settings_->view,
      .pruned = {},
      .placement = {},
      .resource_devices = {},
      .tasks = {},
      .partitions = {},
      .status = {}});
  run_aside(compilation, begin_placement, &StepCompiler::find_resources);
}

/// Runs work that reads the step's signature and the graph, and changes nothing but the
/// compilation. Beside the actor, where the graph is large.
void StepCompiler::run_aside(const Pointer& compilation, Status (*work)(Compilation&), Next next) {
  if (!settings_->world->takes_long(compilation->nodes()))
    return proceed(compilation, work(*compilation), next);
  compilation->step->awaited.insert(placement);
  auto then = post_to<Status>(self_, [this, compilation, next](const Status& status) {
    compilation->step->awaited.erase(placement);
    proceed(compilation, status, next);
  });
  settings_->world->run_aside(
      [compilation, work, then] { then(status_of([&] { return work(*compilation); })); });
}

void StepCompiler::proceed(const Pointer& compilation, const Status& status, Next next) {
  if (!status.ok()) return compilation->done(status);
  (this->*next)(compilation);
}

/// Prunes the step, replaces its calls of functions, and begins to place its nodes.
Status StepCompiler::begin_placement(Compilation& compilation) {
  const auto& signature = compilation.step->signature;
  auto pruned = prune(*compilation.graph, signature);
  if (!pruned) return pruned.status();
  compilation.pruned = *std::move(pruned);
  auto inlined = inline_functions(*compilation.graph, signature, compilation.pruned);
  if (!inlined) return inlined.status();
  compilation.inlined = *std::move(inlined);
  if (compilation.inlined) compilation.graph = compilation.inlined->graph.get();
  auto placement =
      Placement::begin(*compilation.graph, compilation.placed().nodes, compilation.view);
  if (!placement) return placement.status();
  compilation.placement = *std::move(placement);
  return {};
}

/// Asks the directory where the unpinned resources are placed, those without a device constraint.
/// One that is placed nowhere is compiled for its default device, and placed there when it is
/// committed.
void StepCompiler::find_resources(const Pointer& compilation) {
  auto& step = *compilation->step;
  step.pruned = compilation->pruned;
  for (auto id : compilation->placed().nodes)
    if (const auto& node = compilation->graph->node(id); resource_of(node))
      step.containers.insert(container_of(node));

  auto unpinned = compilation->placement->unpinned_resources();
  if (unpinned.empty()) return find_tasks(compilation);
  if (settings_->options.isolate_state) return assign_devices(compilation, unpinned);
  FindResources request;
  for (const auto& [name, device] : unpinned)
    if (!is_unshared(name)) request.names.push_back(name);
  if (request.names.empty()) return assign_devices(compilation, unpinned);
  constexpr auto directory = "the directory service";
  step.awaited.insert(directory);
  self_->request(task_, caf::infinite, request)
      .then(
          [this, compilation, unpinned, names = request.names](
              const Status& status, const ResourcePlaces& found) {
            compilation->step->awaited.erase(directory);
            if (!status.ok()) return compilation->done(status);
            if (found.devices.size() != names.size())
              return compilation->done(
                  internal("the directory service answered with a wrong number of devices"));
            auto resource_devices = unpinned;
            for (size_t i = 0; i < names.size(); ++i)
              if (auto device = DeviceName::parse(found.devices[i]); device && device->is_full())
                resource_devices[names[i]] = *device;
            assign_devices(compilation, resource_devices);
          },
          [compilation](const caf::error& error) { compilation->done(to_status(error)); });
}

void StepCompiler::assign_devices(
    const Pointer& compilation, const Placement::ResourceDevices& resource_devices) {
  if (auto status = compilation->placement->assign(resource_devices); !status.ok())
    return compilation->done(status);
  compilation->resource_devices = resource_devices;
  find_tasks(compilation);
}

void StepCompiler::find_tasks(const Pointer& compilation) {
  auto& step = *compilation->step;
  auto tasks = compilation->placement->tasks();
  if (!tasks) return compilation->done(tasks.status());
  for (const auto& [job, index] : *tasks) step.awaited.insert(task_name(job, index));
  for (const auto& [job, index] : *tasks) {
    auto name = task_name(job, index);
    self_->request(task_, caf::infinite, FindTask{job, index, settings_->connect_timeout})
        .then(
            [this, compilation, name](Status& status, TaskDescription& found) {
              compilation->tasks.push_back(std::move(found));
              arrived(compilation, name, status, &StepCompiler::place);
            },
            [this, compilation, name](caf::error& error) {
              arrived(compilation, name, to_status(error), &StepCompiler::place);
            });
  }
}

/// Takes one of the answers that a compilation waits for. After the last one the compilation
/// continues with `next`, or fails with the first error.
void StepCompiler::arrived(
    const Pointer& compilation, const std::string& from, const Status& status, Next next) {
  if (compilation->status.ok()) compilation->status = status;
  else if (!status.ok()) compilation->status = compilation->status.with_note(status.message());
  compilation->step->awaited.erase(from);
  if (!compilation->step->awaited.empty()) return;
  if (!compilation->status.ok()) return compilation->done(compilation->status);
  (this->*next)(compilation);
}

void StepCompiler::place(const Pointer& compilation) {
  run_aside(compilation, end_placement, &StepCompiler::register_partitions);
}

Status StepCompiler::end_placement(Compilation& compilation) {
  auto partitions = place_and_partition(
      *compilation.graph, compilation.placed(), compilation.tasks, *compilation.placement);
  if (partitions) compilation.partitions = *std::move(partitions);
  return partitions.status();
}

void StepCompiler::register_partitions(const Pointer& compilation) {
  auto& step = *compilation->step;
  const auto& here = settings_->view->master;
  for (auto& [partition, nodes] : compilation->partitions) {
    mark_handles(*compilation, nodes);
    step.partitions.push_back(partition);
  }
  if (step.partitions.empty()) return compilation->done({});
  // Each device may wait for its peers, and for the directory service, before it answers.
  auto timeout = 4 * settings_->connect_timeout;
  auto master = task_name(*here.job, *here.task);
  for (const auto& partition : step.partitions) step.awaited.insert(partition.device);
  for (auto& [partition, nodes] : std::exchange(compilation->partitions, {})) {
    on_register_(partition);
    if (settings_->options.log_device_placement && settings_->log) log_placement(nodes);
    auto functions = compilation->graph->library().defs_used_by(nodes);
    Register message{
        .session = settings_->id,
        .plan = step.plan,
        .nodes = std::move(nodes),
        .master = master,
        .functions = std::move(functions),
        .fuses = settings_->options.fuses_elementwise};
    self_->request(partition.actor, timeout, std::move(message))
        .then(
            [this, compilation, device = partition.device](
                const Status& status, const Registered& registered) {
              compilation->step->is_transient |= registered.is_transient;
              arrived(compilation, device, status, &StepCompiler::finish);
            },
            [this, compilation, device = partition.device,
             task_name = partition.task](caf::error& error) {
              auto status = to_status(error).at({.device = device, .task = task_name});
              arrived(compilation, device, status, &StepCompiler::finish);
            });
  }
}

/// Sets the attributes of handles that only the master knows: whether the resource is unpinned, and
/// the private container of an isolated session, or of a resource that has no shared name.
void StepCompiler::mark_handles(const Compilation& compilation, std::vector<NodeDef>& nodes) const {
  for (auto& node : nodes) {
    if (!compilation.graph->contains(node.name)) continue;  // a transfer
    auto resource = resource_of(compilation.graph->node(*compilation.graph->find(node.name)));
    if (!resource) continue;
    if (compilation.resource_devices.contains(*resource)) node.attrs[unpinned_attr] = true;
    if (!settings_->options.isolate_state && !is_unshared(*resource)) continue;
    node.attrs["container"] = private_container(settings_->id, resource->container);
    node.attrs["shared_name"] = resource->name;
  }
}

/// Logs each placement once, in TensorFlow's format, several lines at a time. Names that begin with
/// '_' are internal nodes.
void StepCompiler::log_placement(const std::vector<NodeDef>& nodes) {
  constexpr size_t bytes_at_once = 16'384;
  const std::string title = "placement";
  auto lines = title;
  for (const auto& node : nodes) {
    if (node.name.starts_with('_') || !logged_.emplace(node.name, node.device).second) continue;
    lines += "\n" + node.name + ": (" + node.op + "): " + node.device;
    if (lines.size() >= bytes_at_once) settings_->log(std::exchange(lines, title));
  }
  if (lines != title) settings_->log(lines);
}

void StepCompiler::finish(const Pointer& compilation) { compilation->done({}); }

}  // namespace troupe
