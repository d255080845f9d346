#include "troupe/actors/step_compiler.hpp"

#include "troupe/actors/error.hpp"
#include "troupe/graph/place/placement.hpp"

namespace troupe {

struct StepCompiler::Compilation {
  const Graph& graph;
  std::shared_ptr<CompiledStep> step;
  Done done;
  std::vector<TaskDescription> tasks;
  Status status;
};

void StepCompiler::begin(
    SessionMailbox::pointer self, const TaskActor& task, const SessionSettings& settings,
    Registering registering) {
  self_ = self;
  task_ = task;
  settings_ = settings;
  registering_ = std::move(registering);
}

void StepCompiler::compile(
    const Graph& graph, const std::shared_ptr<CompiledStep>& step, Done done) {
  find_tasks(std::make_shared<Compilation>(Compilation{
      .graph = graph, .step = step, .done = std::move(done), .tasks = {}, .status = {}}));
}

void StepCompiler::find_tasks(const Pointer& compilation) {
  auto& step = *compilation->step;
  auto pruned = prune(compilation->graph, step.signature);
  if (!pruned) return compilation->done(pruned.status());
  step.pruned = *std::move(pruned);
  auto tasks =
      tasks_of(compilation->graph, step.pruned.nodes, settings_.cluster, settings_.default_device);
  if (!tasks) return compilation->done(tasks.status());
  for (const auto& [job, index] : *tasks) step.awaited.insert(task_name(job, index));
  for (const auto& [job, index] : *tasks) {
    auto name = task_name(job, index);
    self_->request(task_, caf::infinite, FindTask{job, index, settings_.connect_timeout})
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
  auto nodes = lay_out(
      compilation->graph, compilation->tasks, settings_.cluster, settings_.default_device, step);
  if (!nodes) return compilation->done(nodes.status());
  if (step.parts.empty()) return compilation->done({});
  // Each device may wait for its peers once more before it answers.
  auto timeout = 2 * settings_.connect_timeout;
  const auto& here = settings_.default_device;
  auto master = task_name(*here.job, *here.task);
  for (const auto& part : step.parts) step.awaited.insert(part.device);
  for (size_t i = 0; i < step.parts.size(); ++i) {
    const auto& part = step.parts[i];
    registering_(part);
    Register message{settings_.id, step.plan, std::move((*nodes)[i]), master};
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

void StepCompiler::finish(const Pointer& compilation) { compilation->done({}); }

}  // namespace troupe
