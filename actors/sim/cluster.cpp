#include "troupe/actors/sim/cluster.hpp"

#include "troupe/actors/local_session.hpp"
#include "troupe/actors/messages.hpp"
#include "troupe/actors/task_actor.hpp"
#include "troupe/actors/world/simulation.hpp"
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/simulated/simulated_device.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::sim {
namespace {

struct SystemConfig : caf::actor_system_config {
  SystemConfig() {
    add_message_types<caf::id_block::troupe>();
    set("scheduler.policy", caf::atom("testing"));
  }
};

}  // namespace

// The order of members is the order of life: actors end before the simulation and the devices do.
struct Cluster::Parts {
  struct Life {
    Simulation::Node node = -1;
    TaskActor actor;
    std::shared_ptr<Device> device;
  };

  Parts(const ClusterSpec& spec, Seed seed, const Options& options)
      : spec(spec),
        options(options),
        simulation(
            system, seed.value,
            {.latency_min = options.latency_min, .latency_max = options.latency_max}) {}
  ~Parts() {
    for (auto& [task, life] : lives) end(life);
    simulation.run([] { return false; }, simulation.now());
  }

  void begin(const std::string& job, int index) {
    auto& life = lives[task_name(job, index)];
    life.node = simulation.add_node();
    life.device = make_simulated_device(
        {.kernels = kernels,
         .later =
             [this](std::function<void()> work) {
               simulation.after(std::chrono::microseconds(10), std::move(work));
             },
         .memory_limit = options.memory_limit});
    devices.push_back(life.device);
    auto spawned = spawn_task(
        {.config = {spec, job, index},
         .devices = {life.device},
         .catalog = catalog,
         .world = simulation.world_of(life.node),
         .connect_timeout = options.connect_timeout});
    life.actor = spawned.actor;
    simulation.serve(
        life.node, *spec.address(job, index), caf::actor_cast<caf::strong_actor_ptr>(life.actor));
  }

  void end(Life& life) {
    if (!life.actor) return;
    simulation.crash(life.node);
    tell(std::exchange(life.actor, nullptr), Stop{[](const Status&) {}});
  }

  Life& life_of(const std::string& task) {
    auto found = lives.find(task);
    CHECK(found != lives.end());
    return found->second;
  }

  ClusterSpec spec;
  Options options;
  std::shared_ptr<const OpCatalog> catalog = make_op_catalog();
  std::shared_ptr<const KernelCatalog> kernels =
      std::make_shared<const KernelCatalog>(cpu::make_kernel_catalog());
  std::vector<std::shared_ptr<Device>> devices;  // of all lives: a late kernel may still name one
  SystemConfig config;
  caf::actor_system system{config};
  Simulation simulation;
  std::map<std::string, Life> lives;
};

struct Session::Parts {
  Cluster::Parts& cluster;
  SessionActor actor;
  int sent = 0;  // nodes of the graph
  CallId next_call = 1;
};

Cluster::Cluster(const std::map<std::string, int>& jobs, Seed seed, const Options& options) {
  std::map<std::string, ClusterSpec::Tasks> spec;
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task) spec[job][task] = Address{job, task + 1};
  parts_ = std::make_unique<Parts>(ClusterSpec(std::move(spec)), seed, options);
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task) parts_->begin(job, task);
}

Cluster::~Cluster() = default;

const ClusterSpec& Cluster::spec() const { return parts_->spec; }
Time Cluster::now() const { return parts_->simulation.now(); }
uint64_t Cluster::trace_hash() const { return parts_->simulation.trace_hash(); }
uint64_t Cluster::messages_delivered() const { return parts_->simulation.messages_delivered(); }

Session Cluster::session(const std::string& master) {
  SessionActor actor;
  tell(parts_->life_of(master).actor, CreateSession{[&](Result<SessionActor> created) {
         actor = *created;
       }});
  run_until([&] { return actor != nullptr; });
  CHECK(actor != nullptr);
  return Session(
      std::make_shared<Session::Parts>(Session::Parts{.cluster = *parts_, .actor = actor}));
}

void Cluster::at(Time time, std::function<void()> what) {
  parts_->simulation.at(time, std::move(what));
}

bool Cluster::run_until(const std::function<bool()>& condition, Time limit) {
  return parts_->simulation.run(condition, now() + limit);
}

void Cluster::run_for(Time duration) {
  bool over = false;
  parts_->simulation.after(duration, [&over] { over = true; });
  parts_->simulation.run([&over] { return over; }, now() + duration);
}

void Cluster::crash(const std::string& task) { parts_->end(parts_->life_of(task)); }

void Cluster::restart(const std::string& task) {
  auto name = DeviceName::parse(task);
  CHECK(name && name->job && name->task && !parts_->life_of(task).actor);
  parts_->begin(*name->job, *name->task);
}

void Cluster::freeze(const std::string& task) {
  parts_->simulation.freeze(parts_->life_of(task).node);
}
void Cluster::thaw(const std::string& task) { parts_->simulation.thaw(parts_->life_of(task).node); }
void Cluster::cut(const std::string& from, const std::string& to) {
  parts_->simulation.cut(parts_->life_of(from).node, parts_->life_of(to).node);
}
void Cluster::heal(const std::string& from, const std::string& to) {
  parts_->simulation.heal(parts_->life_of(from).node, parts_->life_of(to).node);
}

Call Session::start(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  Call call;
  auto& simulation = parts_->cluster.simulation;
  auto end = [answer = call.answer_, &simulation](Status status, Tensors values) {
    if (answer->done) return;
    *answer = {
        .done = true,
        .status = std::move(status),
        .values = std::move(values),
        .ended_at = simulation.now()};
  };
  if (!graph_.status().ok()) {
    end(graph_.status(), {});
    return call;
  }
  Extend extend{.nodes = {}, .expected_size = static_cast<uint64_t>(parts_->sent), .done = {}};
  for (auto id = parts_->sent; id < graph_.graph().size(); ++id)
    extend.nodes.push_back(graph_.graph().def_of(id));
  parts_->sent = graph_.graph().size();
  extend.done = [end](Status status) {
    if (!status.ok()) end(std::move(status), {});
  };
  tell(parts_->actor, std::move(extend));
  auto run = make_run(feeds, fetches, targets, options);
  run.call = parts_->next_call++;
  run.done = [end](Result<Tensors> values) {
    end(values.status(), values ? *std::move(values) : Tensors());
  };
  tell(parts_->actor, std::move(run));
  return call;
}

Result<Tensors> Session::run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  auto call = start(feeds, fetches, targets, options);
  auto& simulation = parts_->cluster.simulation;
  if (!simulation.run(call.done(), simulation.now() + std::chrono::minutes(10)))
    return internal("the step was never answered");
  if (!call.status().ok()) return call.status();
  return call.values();
}

Status Session::close() {
  Call call;
  auto& simulation = parts_->cluster.simulation;
  tell(parts_->actor, Close{[answer = call.answer_](Status status) {
         answer->done = true;
         answer->status = std::move(status);
       }});
  simulation.run(call.done(), simulation.now() + std::chrono::minutes(1));
  return call.is_done() ? call.status() : internal("the session was never closed");
}

}  // namespace troupe::sim
