#include "troupe/actors/session/step_compiler.hpp"

#include <algorithm>
#include <utility>

#include "troupe/actors/cluster/resource_directory_client.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/actors/post.hpp"
#include "troupe/actors/session/session_view.hpp"
#include "troupe/actors/session/value_evaluator.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/optimize/graph_dump.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/graph/passes/inline_functions.hpp"
#include "troupe/graph/place/explain_step.hpp"

namespace troupe {
namespace {

constexpr auto placement = "the placement of its nodes";

/// Of a session: its plans are numbered from 0.
std::filesystem::path dump_folder(const SessionSettings& settings) {
  if (settings.dump_graphs.empty()) return {};
  return settings.dump_graphs / ("session-" + std::to_string(settings.id));
}

OptimizeOptions optimization_of(const SessionSettings& settings) {
  const auto& options = settings.options;
  auto precision = precision_of(options);
  if (!options.optimizes) return {.disabled = optimization_passes(), .precision = precision};
  auto evaluate = settings.device ? make_value_evaluator(settings.device) : EvaluateNode();
  return {options.disabled_passes, evaluate, precision};
}

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
  OptimizeOptions optimization;
  GraphDump dump;
  bool fuses;
  Status status;
  std::shared_ptr<const StepCosts> costs;
  bool is_by_cost = false;         // nodes that nothing pins are placed by cost
  bool is_only_explained = false;  // nothing is registered
  bool is_logged = false;
  StepExplanation explanation;  // where one of the last two is set

  /// How many nodes the next stage may process.
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
    const SessionCosts& costs, OnRegister on_register) {
  self_ = self;
  task_ = task;
  settings_ = &settings;
  costs_ = &costs;
  on_register_ = std::move(on_register);
}

void StepCompiler::compile(
    const SharedGraph& graph, const std::shared_ptr<CompiledStep>& step, Done done) {
  step->partitions.clear();
  step->is_transient = false;
  if (settings_->options.placement == placement_by_cost) costs_->prepare(*step);
  auto compilation = make_compilation(graph, step, std::move(done));
  run_in_background(compilation, begin_placement, &StepCompiler::find_resources);
}

void StepCompiler::explain(
    const SharedGraph& graph, StepSignature signature, troupe::Done<StepExplanation> done) {
  auto step = std::make_shared<CompiledStep>();
  step->signature = std::move(signature);
  auto compilation = make_compilation(graph, step, {});
  compilation->is_only_explained = true;
  compilation->done = [compilation = compilation.get(), done](const Status& status) {
    if (!status.ok()) return done(status);
    done(std::move(compilation->explanation));
  };
  run_in_background(compilation, begin_placement, &StepCompiler::find_resources);
}

StepCompiler::Pointer StepCompiler::make_compilation(
    const SharedGraph& graph, const std::shared_ptr<CompiledStep>& step, Done done) const {
  return std::make_shared<Compilation>(Compilation{
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
      .optimization = optimization_of(*settings_),
      .dump = GraphDump(dump_folder(*settings_), step->plan),
      .fuses = settings_->options.fuses_elementwise,
      .status = {},
      .costs = costs_->shared(),
      .is_by_cost = settings_->options.placement == placement_by_cost,
      .is_logged = settings_->options.log_device_placement,
      .explanation = {}});
}

/// Runs work that reads the step's signature and the graph, and changes nothing but the
/// compilation. Beside the actor, where the graph is large, is placed by many simulations, or is
/// written into files.
void StepCompiler::run_in_background(
    const Pointer& compilation, Status (*work)(Compilation&), Next next) {
  auto is_long = compilation->is_by_cost || compilation->dump.is_on() ||
                 settings_->world->takes_long(compilation->nodes());
  if (!is_long) return proceed(compilation, work(*compilation), next);
  compilation->step->awaited.insert(placement);
  auto then = post_to<Status>(self_, [this, compilation, next](const Status& status) {
    compilation->step->awaited.erase(placement);
    proceed(compilation, status, next);
  });
  settings_->world->run_in_background(
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
  if (auto status = compilation.dump.write("prune", *compilation.graph, compilation.pruned.nodes);
      !status.ok())
    return status;
  auto inlined = inline_functions(*compilation.graph, signature, compilation.pruned);
  if (!inlined) return inlined.status();
  compilation.inlined = *std::move(inlined);
  if (compilation.inlined) {
    compilation.graph = compilation.inlined->graph.get();
    auto status = compilation.dump.write(
        "inline_functions", *compilation.graph, compilation.inlined->step.nodes);
    if (!status.ok()) return status;
  }
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
  for (auto& [name, device] : unpinned)
    if (settings_->options.isolate_state || is_unshared(name))
      device = own_devices_.try_emplace(name, device).first->second;
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
  // Where a node may be anywhere, a task that does not answer is none of the places.
  auto asked = *tasks;
  if (compilation->is_by_cost || compilation->is_only_explained)
    asked.merge(compilation->placement->visible_tasks());
  for (const auto& [job, index] : asked) step.awaited.insert(task_name(job, index));
  for (const auto& [job, index] : asked) {
    auto name = task_name(job, index);
    auto is_needed = tasks->contains({job, index});
    self_->request(task_, caf::infinite, FindTask{job, index, settings_->connect_timeout})
        .then(
            [this, compilation, name, is_needed](Status& status, TaskDescription& found) {
              if (is_needed || (status.ok() && !found.is_draining))
                compilation->tasks.push_back(std::move(found));
              arrived(compilation, name, is_needed ? status : Status(), &StepCompiler::place);
            },
            [this, compilation, name, is_needed](caf::error& error) {
              auto status = is_needed ? to_status(error) : Status();
              arrived(compilation, name, status, &StepCompiler::place);
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
  auto next =
      compilation->is_only_explained ? &StepCompiler::finish : &StepCompiler::register_partitions;
  run_in_background(compilation, end_placement, next);
}

/// Explains the step as it is placed.
void StepCompiler::note_plan(Compilation& compilation, const std::vector<Candidate>& candidates) {
  auto devices = compilation.placement->devices(candidates);
  if (!devices) return;  // partitioning reports it
  compilation.explanation = explain_step(
      *compilation.placement, *compilation.graph, compilation.placed(), candidates, *devices,
      *compilation.costs);
  compilation.explanation.placement = compilation.is_by_cost ? placement_by_cost : "";
}

Status StepCompiler::end_placement(Compilation& compilation) {
  // Answers come in any order, and the same step is placed in the same way.
  std::ranges::sort(compilation.tasks, {}, [](const TaskDescription& task) {
    return std::pair(task.job, task.task);
  });
  if (compilation.is_by_cost || compilation.is_only_explained) {
    auto candidates = candidates_of(compilation.tasks);
    if (compilation.is_by_cost) {
      auto status = place_by_cost(
          *compilation.placement, *compilation.graph, compilation.placed(), candidates,
          *compilation.costs);
      if (!status.ok()) return status;
    }
    if (compilation.is_only_explained || compilation.is_logged) note_plan(compilation, candidates);
  }
  const auto& graph = *compilation.graph;
  auto& dump = compilation.dump;
  Status dumped;
  auto note = [&](const Status& status) {
    if (dumped.ok()) dumped = status;
  };
  if (dump.is_on())
    compilation.optimization.observe = [&](std::string_view pass, const PlacedStep& step) {
      note(dump.write(pass, *step.graph, step.step.nodes, step.devices));
    };
  auto on_placed = [&](const std::map<NodeId, DeviceName>& devices) {
    note(dump.write("place", graph, compilation.placed().nodes, devices));
  };
  auto partitions = place_and_partition(
      graph, compilation.placed(), compilation.tasks, *compilation.placement,
      compilation.optimization, on_placed);
  compilation.optimization.observe = {};
  if (!partitions) return partitions.status();
  compilation.partitions = *std::move(partitions);
  for (const auto& [partition, nodes] : compilation.partitions) {
    note(dump.write("partition" + partition.device, graph, nodes));
    if (!dump.is_on() || !compilation.fuses) continue;
    auto fused = nodes;
    fuse_elementwise(fused);
    note(dump.write("fuse_elementwise" + partition.device, graph, fused));
  }
  return dumped;
}

void StepCompiler::register_partitions(const Pointer& compilation) {
  auto& step = *compilation->step;
  const auto& here = settings_->view->master;
  for (auto& [partition, nodes] : compilation->partitions) {
    mark_handles(*compilation, nodes);
    step.partitions.push_back(partition);
  }
  if (step.partitions.empty()) return compilation->done({});
  if (compilation->is_by_cost && compilation->is_logged && settings_->log)
    log_prediction(compilation->explanation);
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

/// Logs how a step is placed by cost, before it runs.
void StepCompiler::log_prediction(const StepExplanation& plan) {
  uint64_t bytes = 0;
  for (const auto& transfer : plan.transfers) bytes += transfer.bytes;
  settings_->log(
      "placement by cost: " + std::to_string(plan.nodes.size()) + " nodes on " +
      std::to_string(plan.devices.size()) + " devices, " + std::to_string(bytes) +
      " bytes between them; predicted: " + std::to_string(plan.predicted.count() / 1000) + " us");
}

void StepCompiler::finish(const Pointer& compilation) { compilation->done({}); }

}  // namespace troupe
