#include "troupe/actors/sim/cluster_parts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::sim {
namespace {

constexpr Time answer_grace = std::chrono::milliseconds(100);
constexpr Time kernel_delay = std::chrono::microseconds(10);

}  // namespace

Catalogs Catalogs::make() {
  return {make_op_catalog(), std::make_shared<const KernelCatalog>(cpu::make_kernel_catalog())};
}

SystemConfig::SystemConfig() {
  add_message_types<caf::id_block::troupe>();
  set("scheduler.policy", caf::atom("testing"));
}

ClusterParts::ClusterParts(
    const std::map<std::string, int>& jobs, Seed seed, const Options& options_given)
    : configured(make_spec(jobs)),
      spec(configured),
      options(options_given),
      simulation(system, seed.value, options_given.network) {
  if (!options.catalogs.ops) options.catalogs = Catalogs::make();
  for (const auto& task : task_names(spec)) begin(task);
  invariants.add("SC-2", [this] {
    if (std::exchange(things_have_changed, false)) check_homes();
    return true;
  });
  simulation.on_event([this] { invariants.check(simulation.now()); });
}

ClusterParts::~ClusterParts() {
  for (auto& [task, life] : lives) end(*life);
  simulation.run([] { return true; }, simulation.now());  // actors see to their ends, no more
}

void ClusterParts::begin(std::string task) {
  auto name = *DeviceName::parse(task);
  auto& life = lives[task];
  auto number = life ? life->number + 1 : 1;
  life = std::make_shared<Life>(Life{
      .task = task,
      .number = number,
      .node = simulation.add_node(),
      .memory_limit = options.memory_limit});
  life->inventory = std::make_shared<Inventory>([this] { things_have_changed = true; });
  life->device = make_simulated_device(
      {.kernels = options.catalogs.kernels,
       .later =
           [this, node = life->node](std::function<void()> work) {
             simulation.device_work(node, kernel_delay, std::move(work));
           },
       .memory_limit = options.memory_limit});
  devices.push_back(life->device);
  nodes_of[task].push_back(life->node);
  task_of_node.push_back(task);
  for (const auto& [from, to] : cut_ways)
    if (from == task || to == task)
      for (auto a : nodes_of[from])
        for (auto b : nodes_of[to]) simulation.cut(a, b);
  auto found = joined.find(task);
  auto is_joined = found != joined.end();
  auto spawned = spawn_task(
      {.config = {is_joined ? found->second.cluster : configured, *name.job, *name.task},
       .joined = is_joined ? std::optional(found->second) : std::nullopt,
       .devices = {life->device},
       .catalog = options.catalogs.ops,
       .world = simulation.world_of(life->node),
       .connect_timeout = options.connect_timeout,
       .heartbeat_limit = options.heartbeat_limit,
       .gauges = life->gauges,
       .inventory = life->inventory});
  life->actor = spawned.actor;
  simulation.serve(
      life->node, *spec.task_address(*name.job, *name.task),
      caf::actor_cast<caf::strong_actor_ptr>(life->actor), spawned.incarnation);
}

Address ClusterParts::next_address() {
  return {.host = "joined" + std::to_string(++addresses_given), .port = 1};
}

void ClusterParts::end(Life& life) {
  if (life.is_over()) return;
  life.calls.end_all(life.lost());
  simulation.crash(life.node);
  tell(std::exchange(life.actor, nullptr), Stop{[](const Status&) {}});
}

const std::shared_ptr<Life>& ClusterParts::life_of(const std::string& task) const {
  auto found = lives.find(task);
  CHECK(found != lives.end());
  return found->second;
}

bool ClusterParts::run(const std::function<bool()>& condition, Time limit) {
  auto stop = [&] { return invariants.violation() || condition(); };
  if (!stop()) simulation.run(stop, limit);
  return !invariants.violation() && condition();
}

void ClusterParts::check_homes() {
  std::map<ResourceName, std::string> homes;
  for (const auto& [task, life] : lives) {
    if (life->is_over()) continue;
    for (const auto& [name, device] : life->inventory->all())
      if (auto [home, is_only] = homes.emplace(name, device); !is_only)
        throw std::runtime_error(
            "'" + name.name + "' of container '" + name.container + "' lives on " + home->second +
            " and on " + device);
  }
}

std::shared_ptr<OpenCalls::Answerer> ClusterParts::open(Life& task, const Call& call) {
  auto answerer = task.calls.add(call, [this] { return simulation.now(); });
  if (task.is_over()) answerer->end(task.lost());
  return answerer;
}

Status ClusterParts::await(const Call& call) {
  run(call.done(), simulation.now() + std::chrono::minutes(10));
  return call.is_done() ? call.status() : internal("the call was never answered");
}

void ClusterParts::expect_answer(
    const std::shared_ptr<Life>& master, const std::shared_ptr<OpenCalls::Answerer>& call,
    Time start, Time timeout) {
  auto check = [this, master, start, timeout, weak = std::weak_ptr(call)] {
    auto call = weak.lock();
    if (!call || call->is_done() || master->is_over()) return;
    auto now = simulation.now();
    // A master that stands still has not heard of the step yet.
    auto due = std::max(start, master->hampered_until) +
               std::chrono::duration_cast<Time>(timeout / master->least_clock_rate);
    if (master->is_hampered() || now < due + answer_grace)
      return expect_answer(master, call, std::max(now, due) - timeout, timeout);
    invariants.violate(
        "SC-1", "a step of " + master->task + " is not answered after its timeout", now);
  };
  simulation.at(start + timeout + answer_grace, std::move(check));
}

}  // namespace troupe::sim
