#include "troupe/actors/sim/program/programs.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include "troupe/actors/sim/cluster_state.hpp"

namespace troupe::sim {
namespace {

constexpr int calls_max = 100'000;  // without time between them
/// A program goes on up to so much later than it could, as threads of a busy machine do.
constexpr int64_t delay_max_us = 20;

Role role_of(const ClusterSpec& spec, const std::string& task) {
  auto name = *DeviceName::parse(task);
  ServerDef server{.cluster = spec, .job = *name.job, .task = *name.task, .protocol = {}};
  auto role = Role::of({.server = server, .environment = {}});
  if (role) return *std::move(role);
  Role plain;  // of a cluster without the jobs of a training
  plain.task = {spec, *name.job, *name.task};
  return plain;
}

}  // namespace

Programs::~Programs() {
  kill_all();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void Programs::set(const std::string& task, ProgramFunction function) {
  functions_[task] = std::move(function);
  const auto& process = cluster_.process_of(task);
  if (!process->is_dead()) process_started(process);
}

void Programs::process_started(const std::shared_ptr<TaskProcess>& process) {
  auto function = functions_.find(process->task);
  if (function == functions_.end()) return;
  if (auto& before = runs_[process->task]) kill(*before->process);
  auto stream = "program of " + process->task + " " + std::to_string(process->number);
  auto run = std::make_shared<ProgramRun>(ProgramRun{
      .cluster = cluster_,
      .process = process,
      .role = role_of(cluster_.spec, process->task),
      .random = Random(cluster_.seed, stream)});
  run->coroutine = std::make_unique<Coroutine>(
      [this, run = run.get(), body = function->second] { run_body(*run, body); });
  runs_[process->task] = std::move(run);
}

void Programs::run_body(ProgramRun& run, const ProgramFunction& function) {
  const auto& task = run.process->task;
  Program program(run);
  try {
    auto status = function(program);
    if (!run.is_killed) run.status = std::move(status);
  } catch (const Killed&) {
  } catch (const std::exception& error) {
    cluster_.invariants.violate(
        "an exception", task + ": " + error.what(), cluster_.simulation.now());
  } catch (...) {
    cluster_.invariants.violate(
        "an exception", task + ": of an unknown type", cluster_.simulation.now());
  }
  // The process ends with its program.
  if (!run.is_killed) cluster_.end_server(*run.process);
}

// -- taking turns

void Programs::schedule_ready() {
  for (auto& [task, run] : runs_) {
    if (!run || run->is_due || run->is_active || !run->is_running()) continue;
    if (run->process->is_frozen) continue;
    auto is_ready =
        !run->condition || cluster_.simulation.now() >= run->limit || (*run->condition)();
    if (!is_ready) continue;
    run->is_due = true;
    auto delay = std::chrono::microseconds(random_.between(0, delay_max_us));
    cluster_.simulation.after(delay, [this, run = run] {
      run->is_due = false;
      if (run->is_running() && !run->process->is_frozen) resume(*run);
    });
  }
}

void Programs::resume(ProgramRun& run) {
  auto* before = std::exchange(current_, &run);
  run.condition = nullptr;
  run.is_active = true;
  run.coroutine->resume();
  run.is_active = false;
  current_ = before;
}

bool Programs::wait(const std::function<bool()>& condition, Time limit) {
  auto& run = *current_;
  count_call(run);
  if (run.is_killed) return false;
  if (condition()) return true;
  auto& simulation = cluster_.simulation;
  if (limit <= simulation.now()) return false;
  if (limit != Time::max()) simulation.at(limit, [] {});  // so that schedule_ready() is called
  run.condition = &condition;
  run.limit = limit;
  run.coroutine->suspend();
  if (run.is_killed) return unwind(run);
  return condition();
}

/// Unwinds a program that was killed. While it does, its calls only fail.
bool Programs::unwind(const ProgramRun& run) const {
  if (std::uncaught_exceptions() > 0) return false;
  throw Killed();
}

void Programs::count_call(ProgramRun& run) {
  auto now = cluster_.simulation.now();
  if (run.is_killed) return (void)unwind(run);
  if (std::exchange(run.time_of_calls, now) != now) run.calls = 0;
  if (++run.calls < calls_max) return;
  cluster_.invariants.violate(
      "SP-3",
      std::to_string(calls_max) + " calls and no time passed in the program of " +
          run.process->task,
      now);
  run.is_killed = true;
  unwind(run);
}

void Programs::kill(const TaskProcess& process) {
  auto found = runs_.find(process.task);
  if (found == runs_.end() || !found->second || found->second->process.get() != &process) return;
  auto run = found->second;
  if (!run->is_running()) return;
  run->is_killed = true;
  if (run->is_active) killed_.push_back(run);  // it hears of it with its next call
  else if (run->coroutine->has_begun()) resume(*run);
}

void Programs::kill_all() {
  for (const auto& [task, run] : std::map(runs_))
    if (run) kill(*run->process);
}

// -- results

bool Programs::are_over() const {
  bool is_running = false;
  for (const auto& [task, run] : runs_) {
    if (run && run->status && !run->status->ok()) return true;
    is_running |= run && run->is_running();
  }
  return !is_running;
}

std::vector<std::string> Programs::running() const {
  std::vector<std::string> tasks;
  for (const auto& [task, run] : runs_)
    if (run && run->is_running()) tasks.push_back(task);
  return tasks;
}

std::map<std::string, Status> Programs::statuses() const {
  std::map<std::string, Status> statuses;
  for (const auto& [task, run] : runs_)
    if (run && run->status) statuses.emplace(task, *run->status);
  return statuses;
}

const std::string& Programs::folder() {
  if (!folder_.empty()) return folder_;
  folder_ = (std::filesystem::temp_directory_path() / "troupe-sim-XXXXXX").string();
  CHECK(::mkdtemp(folder_.data()) != nullptr);
  return folder_;
}

}  // namespace troupe::sim
