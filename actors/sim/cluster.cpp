#include "troupe/actors/sim/cluster.hpp"

#include "troupe/actors/sim/diagram.hpp"
#include "troupe/actors/sim/session_parts.hpp"
#include "troupe/graph/device_name.hpp"

namespace troupe::sim {
namespace {

constexpr Time session_patience = std::chrono::seconds(10);

}  // namespace

Cluster::Cluster(const std::map<std::string, int>& jobs, Seed seed, const Options& options)
    : parts_(std::make_unique<ClusterParts>(jobs, seed, options)) {}

Cluster::~Cluster() = default;

const ClusterSpec& Cluster::spec() const { return parts_->spec; }

Session Cluster::session(const std::string& master) {
  auto life = parts_->life_of(master);
  struct Opening {
    SessionActor actor;
    bool abandoned = false;
  };
  auto opening = std::make_shared<Opening>();
  if (!life->is_over())
    tell(life->actor, CreateSession{[opening](Result<SessionActor> created) {
           if (created && !opening->abandoned) opening->actor = *created;
           else if (created) tell(*created, Close{[](const Status&) {}});
         }});
  parts_->run([&] { return opening->actor || life->is_over(); }, now() + session_patience);
  opening->abandoned = true;
  return Session(std::make_shared<Session::Parts>(*parts_, life, opening->actor));
}

Status Cluster::reset(
    const std::string& task, const std::vector<std::string>& containers,
    std::chrono::milliseconds timeout) {
  return parts_->ask(task, [&](DoneStatus done) {
    return Reset{{.names = containers}, timeout, std::move(done)};
  });
}

Result<std::string> Cluster::join(const std::string& job, const std::string& through) {
  auto address = parts_->next_address();
  auto joined = parts_->ask_for<Joined>(through, [&](Done<Joined> done) {
    Join wish{
        .cluster = {}, .version = protocol_version, .job = job, .address = address.to_string()};
    return LetJoin{std::move(wish), std::move(done)};
  });
  if (!joined) return joined.status();
  auto name = task_name(job, joined->task);
  parts_->spec = parts_->spec.with_address(job, joined->task, address);
  parts_->joined[name] = *std::move(joined);
  parts_->begin(name);
  return name;
}

Status Cluster::leave(const std::string& task) {
  auto life = parts_->life_of(task);
  auto status = parts_->ask(task, [](DoneStatus done) { return LeaveCluster{std::move(done)}; });
  auto name = *DeviceName::parse(task);
  parts_->end(*life);
  parts_->spec = parts_->spec.without(*name.job, *name.task);
  return status;
}

Result<DeviceList> Cluster::list_devices(
    const std::string& task, std::chrono::milliseconds timeout) {
  return parts_->ask_for<DeviceList>(task, [timeout](Done<DeviceList> done) {
    return ListDevices{timeout, std::move(done)};
  });
}

Result<ResourceList> Cluster::list_resources(
    const std::string& task, std::chrono::milliseconds timeout) {
  return parts_->ask_for<ResourceList>(task, [timeout](Done<ResourceList> done) {
    return ListResources{timeout, std::move(done)};
  });
}

Time Cluster::now() const { return parts_->simulation.now(); }

bool Cluster::run_until(const std::function<bool()>& condition, Time limit) {
  return parts_->run(condition, now() + limit);
}

void Cluster::run_for(Time duration) {
  auto end = now() + duration;
  parts_->simulation.at(end, [] {});  // so that time passes though nothing happens
  parts_->run([&] { return now() >= end; }, end);
}

Moment Cluster::at(Time time) { return Moment(*parts_, time); }

void Cluster::script(const std::vector<Fault>& faults) {
  for (const auto& fault : faults)
    parts_->simulation.at(fault.time, [this, fault] { parts_->apply(fault); });
}

void Cluster::network(const NetworkOptions& options) { parts_->simulation.set_network(options); }

void Cluster::mend() {
  for (const auto& [from, to] : std::set(parts_->cut_ways)) heal(from, to);
  for (const auto& task : task_names(spec())) {
    if (life(task) == 0) restart(task);
    const auto& life = *parts_->life_of(task);
    if (life.is_frozen) thaw(task);
    if (life.slowness != 1) slow(task, 1);
    if (life.clock_rate != 1) skew(task, 1);
    if (life.memory_limit != parts_->options.memory_limit) limit_memory(task, 0);
  }
}

const std::vector<Fault>& Cluster::faults() const { return parts_->faults; }

int Cluster::life(const std::string& task) const {
  const auto& life = *parts_->life_of(task);
  return life.is_over() ? 0 : life.number;
}

bool Cluster::is_running(const std::string& task) const {
  const auto& life = *parts_->life_of(task);
  return !life.is_over() && !life.is_frozen;
}

void Cluster::always(const std::string& name, Invariants::Check check) {
  parts_->invariants.add(name, std::move(check));
}
void Cluster::violate(const std::string& name, const std::string& text) {
  parts_->invariants.violate(name, text, now());
}
const std::optional<Violation>& Cluster::violation() const {
  return parts_->invariants.violation();
}

uint64_t Cluster::trace_hash() const { return parts_->simulation.trace_hash(); }
uint64_t Cluster::messages_delivered() const { return parts_->simulation.messages_delivered(); }

std::string Cluster::diagram(size_t messages_max) const {
  auto deliveries = parts_->simulation.recent();
  while (deliveries.size() > messages_max) deliveries.pop_front();
  std::vector<DrawnMessage> messages;
  for (auto& delivery : deliveries)
    messages.push_back(
        {.time = delivery.arrived,
         .from = parts_->task_of_node.at(static_cast<size_t>(delivery.from)),
         .to = parts_->task_of_node.at(static_cast<size_t>(delivery.to)),
         .what = std::move(delivery.what),
         .lost = delivery.lost});
  return draw_diagram(messages, parts_->faults);
}

void Cluster::happen(Fault fault) { CHECK(parts_->apply(fault)); }

void Moment::call(std::function<void()> what) { cluster_.simulation.at(time_, std::move(what)); }

void Moment::network(const NetworkOptions& options) {
  call([&cluster = cluster_, options] { cluster.simulation.set_network(options); });
}

void Moment::happen(Fault fault) {
  call([&cluster = cluster_, fault = std::move(fault)] { cluster.apply(fault); });
}

}  // namespace troupe::sim
