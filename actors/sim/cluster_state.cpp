#include "troupe/actors/sim/cluster_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::sim {
namespace {

constexpr Time answer_grace = std::chrono::milliseconds(100);
constexpr Time kernel_delay = std::chrono::microseconds(10);
constexpr Time session_timeout = std::chrono::seconds(10);
constexpr Time call_limit = std::chrono::minutes(10);  // of a call outside of programs
constexpr size_t kept_log_lines = 1000;

}  // namespace

Catalogs Catalogs::make() {
  return {op_catalog(), std::make_shared<const KernelCatalog>(cpu::make_kernel_catalog())};
}

SystemConfig::SystemConfig() {
  add_message_types<caf::id_block::troupe>();
  set("scheduler.policy", caf::atom("testing"));
}

ClusterState::ClusterState(
    const std::map<std::string, int>& jobs, Seed seed, const Options& options_given)
    : seed(seed),
      configured_spec(make_spec(jobs)),
      spec(configured_spec),
      options(options_given),
      simulation(system, seed.value, options_given.network) {
  if (!options.catalogs.ops) options.catalogs = Catalogs::make();
  simulation.delay_timers(options.timer_delay_max);
  for (const auto& task : task_names(spec)) start(task);
  invariants.add("SC-2", [this] {
    if (std::exchange(placements_changed, false)) check_placements();
    return true;
  });
  simulation.on_event([this] {
    invariants.check(simulation.now());
    if (!invariants.violation()) programs.schedule_ready();
  });
}

ClusterState::~ClusterState() {
  programs.kill_all();
  for (auto& [task, process] : processes) end_server(*process);
  simulation.run([] { return true; }, simulation.now());  // lets the actors terminate
  for (const auto& accelerator : accelerators) accelerator->drop_work();
}

void ClusterState::start(std::string task) {
  auto name = *DeviceName::parse(task);
  auto& process = processes[task];
  auto number = process ? process->number + 1 : 1;
  process = std::make_shared<TaskProcess>(TaskProcess{
      .task = task,
      .number = number,
      .node = simulation.add_node(),
      .memory_limit = options.memory_limit});
  process->resource_index = std::make_shared<ResourceIndex>([this] { placements_changed = true; });
  auto later = [this, node = process->node](std::function<void()> work) {
    simulation.device_work(node, kernel_delay, std::move(work));
  };
  process->device = make_simulated_device(
      {.kernels = options.catalogs.kernels, .later = later, .memory_limit = options.memory_limit});
  devices.push_back(process->device);
  std::vector<std::shared_ptr<Device>> task_devices = {process->device};
  for (int index = 0; index < options.accelerators; ++index) {
    accelerators.push_back(make_simulated_accelerator(
        {.kernels = options.catalogs.kernels,
         .later = later,
         .index = index,
         .memory_limit = options.memory_limit}));
    task_devices.push_back(accelerators.back());
  }
  nodes_of[task].push_back(process->node);
  task_of_node.push_back(task);
  for (const auto& [from, to] : cut_pairs)
    if (from == task || to == task)
      for (auto a : nodes_of[from])
        for (auto b : nodes_of[to]) simulation.cut(a, b);
  auto found = joined.find(task);
  auto is_joined = found != joined.end();
  auto spawned = spawn_task(
      {.config = {is_joined ? found->second.cluster : configured_spec, *name.job, *name.task},
       .joined = is_joined ? std::optional(found->second) : std::nullopt,
       .devices = std::move(task_devices),
       .catalog = options.catalogs.ops,
       .world = simulation.world_of(process->node),
       .connect_timeout = options.connect_timeout,
       .heartbeat_limit = options.heartbeat_limit,
       .metrics = process->metrics,
       .resource_index = process->resource_index});
  process->actor = spawned.actor;
  simulation.serve(
      process->node, *spec.task_address(*name.job, *name.task),
      caf::actor_cast<caf::strong_actor_ptr>(process->actor), spawned.incarnation,
      process->device->allocator());
  programs.process_started(process);
}

Address ClusterState::next_address() {
  return {.host = "joined" + std::to_string(++addresses_given), .port = 1};
}

void ClusterState::crash(TaskProcess& process) {
  end_server(process);
  process.has_ended = false;
  programs.kill(process);
}

void ClusterState::end_server(TaskProcess& process) {
  if (process.is_dead()) return;
  process.has_ended = true;
  process.calls.fail_all(process.lost_status());
  simulation.crash(process.node);
  tell(std::exchange(process.actor, nullptr), Stop{[](const Status&) {}});
}

const std::shared_ptr<TaskProcess>& ClusterState::process_of(const std::string& task) const {
  auto found = processes.find(task);
  CHECK(found != processes.end());
  return found->second;
}

bool ClusterState::run(const std::function<bool()>& condition, Time limit) {
  if (programs.is_caller()) return programs.wait(condition, limit);
  auto stop = [&] { return invariants.violation() || condition(); };
  programs.schedule_ready();
  if (!stop()) simulation.run(stop, limit);
  return !invariants.violation() && condition();
}

bool ClusterState::run_for(Time time, const std::function<bool()>& condition) {
  auto end = simulation.now() + time;
  if (!programs.is_caller()) simulation.at(end, [] {});
  return run([&] { return simulation.now() >= end || condition(); }, end);
}

Result<SessionActor> ClusterState::open_session(
    const std::shared_ptr<TaskProcess>& master, const SessionOptions& options,
    std::shared_ptr<SessionEnd> end) {
  struct Opening {
    std::optional<Result<SessionActor>> answer;
    bool is_abandoned = false;
  };
  auto opening = std::make_shared<Opening>();
  if (master->is_dead()) return master->lost_status();
  tell(
      master->actor, CreateSession{
                         [opening](Result<SessionActor> created) {
                           if (!opening->is_abandoned) opening->answer = std::move(created);
                           else if (created) tell(*created, Close{[](const Status&) {}});
                         },
                         options, std::move(end)});
  run([&] { return opening->answer || master->is_dead(); }, simulation.now() + session_timeout);
  opening->is_abandoned = true;
  if (opening->answer) return *std::move(opening->answer);
  return master->lost_status(
      master->is_dead() ? "the connection to it broke" : "it did not answer for 10 s");
}

void ClusterState::check_placements() {
  std::map<ResourceName, std::string> placements;
  for (const auto& [task, process] : processes) {
    if (process->is_dead()) continue;
    for (const auto& [name, device] : process->resource_index->all())
      if (auto [first, is_only] = placements.emplace(name, device); !is_only)
        throw std::runtime_error(
            "'" + name.name + "' of container '" + name.container + "' is placed on " +
            first->second + " and on " + device);
  }
}

std::shared_ptr<OpenCalls::Promise> ClusterState::open(
    TaskProcess& task, const Call& call, std::shared_ptr<const SessionEnd> end) {
  auto promise = task.calls.add(
      call, [this] { return simulation.now(); }, std::move(end));
  if (task.is_dead()) promise->resolve(task.lost_status());
  return promise;
}

Status ClusterState::await(const Call& call, const TaskProcess& process) {
  auto begin = simulation.now();
  auto limit = Time(options.heartbeat_limit);
  Time due = Time::max();  // when the client has missed the heartbeats of a frozen process
  auto is_over = [&] {
    auto frozen_since = std::max(begin, process.impaired_until);
    auto is_watched = process.is_frozen && limit.count() > 0;
    auto then = is_watched ? frozen_since + limit : Time::max();
    if (std::exchange(due, then) != then && is_watched) simulation.at(due, [] {});
    return call.is_done() || simulation.now() >= due;
  };
  run(is_over, programs.is_caller() ? Time::max() : begin + call_limit);
  if (call.is_done()) return call.status();
  if (simulation.now() >= due) return process.lost_status("it has missed its heartbeats");
  return internal("the call was never answered");
}

void ClusterState::log(const std::string& line) {
  auto ms = std::to_string(simulation.now().count() / 1'000'000);
  log_lines.push_back(std::string(ms.size() < 8 ? 8 - ms.size() : 0, ' ') + ms + " ms " + line);
  if (log_lines.size() > kept_log_lines) log_lines.pop_front();
}

void ClusterState::expect_answer(
    const std::shared_ptr<TaskProcess>& master, const std::shared_ptr<OpenCalls::Promise>& call,
    Time start, Time timeout) {
  auto check = [this, master, start, timeout, weak = std::weak_ptr(call)] {
    auto call = weak.lock();
    if (!call || call->is_done() || master->is_dead()) return;
    auto now = simulation.now();
    // A master that was frozen or slow may have received the step only afterwards.
    auto due = std::max(start, master->impaired_until) +
               std::chrono::duration_cast<Time>(timeout / master->least_clock_rate);
    if (master->is_impaired() || now < due + answer_grace)
      return expect_answer(master, call, std::max(now, due) - timeout, timeout);
    invariants.violate(
        "SC-1", "a step of " + master->task + " is not answered after its timeout", now);
  };
  simulation.at(start + timeout + answer_grace, std::move(check));
}

}  // namespace troupe::sim
