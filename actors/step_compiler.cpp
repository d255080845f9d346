#include "troupe/actors/step_compiler.hpp"

#include "troupe/actors/directory.hpp"
#include "troupe/actors/error.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {

struct StepCompiler::Compilation {
  const Graph& graph;
  std::shared_ptr<CompiledStep> step;
  Done done;
  std::optional<Placement> placement;
  Placement::Homes homes;  // of what no node pins
  std::vector<TaskDescription> tasks;
  Status status;
};

void StepCompiler::begin(
    SessionMailbox::pointer self, const TaskActor& task, const SessionSettings& settings,
    Registering registering) {
  self_ = self;
  task_ = task;
  settings_ = &settings;
  registering_ = std::move(registering);
}

void StepCompiler::compile(
    const Graph& graph, const std::shared_ptr<CompiledStep>& step, Done done) {
  find_homes(std::make_shared<Compilation>(Compilation{
      .graph = graph,
      .step = step,
      .done = std::move(done),
      .placement = {},
      .homes = {},
      .tasks = {},
      .status = {}}));
}

/// Asks where the things live that no node pins to a task.
void StepCompiler::find_homes(const Pointer& compilation) {
  auto& step = *compilation->step;
  auto pruned = prune(compilation->graph, step.signature);
  if (!pruned) return compilation->done(pruned.status());
  step.pruned = *std::move(pruned);
  auto placement = Placement::begin(compilation->graph, step.pruned.nodes, settings_->view);
  if (!placement) return compilation->done(placement.status());
  compilation->placement = *std::move(placement);
  for (auto id : step.pruned.nodes)
    if (auto thing = handled_by(compilation->graph.node(id)))
      step.containers.insert(thing->container);

  auto unpinned = compilation->placement->unpinned();
  if (unpinned.empty()) return find_tasks(compilation);
  if (settings_->options.isolate_state) return settle(compilation, unpinned);
  Claim claim;
  for (const auto& [name, device] : unpinned) {
    claim.names.push_back(name);
    claim.devices.push_back(device.to_string());
  }
  constexpr auto directory = "the cluster's directory of what lives where";
  step.awaited.insert(directory);
  self_->request(task_, caf::infinite, claim)
      .then(
          [this, compilation, names = claim.names](const Status& status, const Homes& found) {
            compilation->step->awaited.erase(directory);
            if (!status.ok()) return compilation->done(status);
            if (found.devices.size() != names.size())
              return compilation->done(internal("the directory told another number of homes"));
            Placement::Homes homes;
            for (size_t i = 0; i < names.size(); ++i)
              if (auto device = DeviceName::parse(found.devices[i]))
                homes.emplace(names[i], *device);
            settle(compilation, homes);
          },
          [compilation](const caf::error& error) { compilation->done(to_status(error)); });
}

void StepCompiler::settle(const Pointer& compilation, const Placement::Homes& homes) {
  if (auto status = compilation->placement->settle(homes); !status.ok())
    return compilation->done(status);
  compilation->homes = homes;
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
              arrived(compilation, name, status, &StepCompiler::register_parts);
            },
            [this, compilation, name](caf::error& error) {
              arrived(compilation, name, to_status(error), &StepCompiler::register_parts);
            });
  }
}

/// One of the answers that a compilation waits for; after the last one it goes on, or has failed.
void StepCompiler::arrived(
    const Pointer& compilation, const std::string& from, const Status& status, Next next) {
  if (compilation->status.ok()) compilation->status = status;
  else if (!status.ok()) compilation->status = compilation->status.with_note(status.message());
  compilation->step->awaited.erase(from);
  if (!compilation->step->awaited.empty()) return;
  if (!compilation->status.ok()) return compilation->done(compilation->status);
  (this->*next)(compilation);
}

void StepCompiler::register_parts(const Pointer& compilation) {
  auto& step = *compilation->step;
  const auto& here = settings_->view->master;
  auto nodes = lay_out(compilation->graph, compilation->tasks, *compilation->placement, here, step);
  if (!nodes) return compilation->done(nodes.status());
  for (auto& part : *nodes) mark_handles(*compilation, part);
  if (step.parts.empty()) return compilation->done({});
  // Each device may wait for its peers, and for the directory, before it answers.
  auto timeout = 4 * settings_->connect_timeout;
  auto master = task_name(*here.job, *here.task);
  for (const auto& part : step.parts) step.awaited.insert(part.device);
  for (size_t i = 0; i < step.parts.size(); ++i) {
    const auto& part = step.parts[i];
    registering_(part);
    if (settings_->options.log_device_placement && settings_->log) log_placement((*nodes)[i]);
    Register message{settings_->id, step.plan, std::move((*nodes)[i]), master};
    self_->request(part.actor, timeout, std::move(message))
        .then(
            [this, compilation, device = part.device](Status& status) {
              arrived(compilation, device, status, &StepCompiler::finish);
            },
            [this, compilation, device = part.device, task_name = part.task](caf::error& error) {
              auto status = to_status(error).at({.device = device, .task = task_name});
              arrived(compilation, device, status, &StepCompiler::finish);
            });
  }
}

/// Says of the handles what only the master knows: that no node pins the thing, or that it is the
/// session's own.
void StepCompiler::mark_handles(const Compilation& compilation, std::vector<NodeDef>& nodes) const {
  for (auto& node : nodes) {
    auto id = compilation.graph.find(node.name);
    auto thing = id ? handled_by(compilation.graph.node(*id)) : std::nullopt;
    if (!thing) continue;
    if (compilation.homes.contains(*thing)) node.attrs[unpinned_attr] = true;
    if (settings_->options.isolate_state)
      node.attrs["container"] = private_container(settings_->id, thing->container);
  }
}

/// Each once, in TensorFlow's form. Names that begin with '_' are not the user's.
void StepCompiler::log_placement(const std::vector<NodeDef>& nodes) {
  for (const auto& node : nodes)
    if (!node.name.starts_with('_') && logged_.emplace(node.name, node.device).second)
      settings_->log(node.name + ": (" + node.op + "): " + node.device);
}

void StepCompiler::finish(const Pointer& compilation) { compilation->done({}); }

}  // namespace troupe
