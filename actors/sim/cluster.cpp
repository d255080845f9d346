#include "troupe/actors/sim/cluster.hpp"

#include "troupe/actors/sim/client_session.hpp"
#include "troupe/actors/sim/diagram.hpp"
#include "troupe/actors/sim/session_state.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::sim {
Cluster::Cluster(const std::map<std::string, int>& jobs, Seed seed, const Options& options)
    : state_(std::make_unique<ClusterState>(jobs, seed, options)) {}

Cluster::~Cluster() = default;

const ClusterSpec& Cluster::spec() const { return state_->spec; }

Session Cluster::session(const std::string& master, const SessionOptions& options) {
  auto process = state_->process_of(master);
  auto end = std::make_shared<SessionEnd>();
  auto opened = state_->open_session(process, options, end);
  return Session(std::make_shared<SessionState>(
      *state_, process, opened ? *std::move(opened) : SessionActor(), end));
}

Result<std::unique_ptr<troupe::Session>> Cluster::open_session(
    const std::string& master, const SessionOptions& options) {
  return open_client_session(*state_, state_->process_of(master), options);
}

void Cluster::program(const std::string& task, ProgramFunction function) {
  state_->programs.set(task, std::move(function));
}

void Cluster::programs(const ProgramFunction& function) {
  for (const auto& task : task_names(spec())) program(task, function);
}

bool Cluster::run_programs(Time limit) {
  return run_until([this] { return state_->programs.are_over(); }, limit);
}

std::vector<std::string> Cluster::running_programs() const { return state_->programs.running(); }

std::map<std::string, Status> Cluster::program_statuses() const {
  return state_->programs.statuses();
}

std::vector<std::string> Cluster::log() const {
  return {state_->log_lines.begin(), state_->log_lines.end()};
}

Status Cluster::reset(
    const std::string& task, const std::vector<std::string>& containers,
    std::chrono::milliseconds timeout) {
  return state_->ask(task, [&](DoneStatus done) {
    return Reset{{.names = containers}, timeout, std::move(done)};
  });
}

Result<std::string> Cluster::join(const std::string& job, const std::string& through) {
  auto address = state_->next_address();
  auto joined = state_->ask_for<Joined>(through, [&](Done<Joined> done) {
    Join request{
        .cluster = {}, .version = protocol_version, .job = job, .address = address.to_string()};
    return AdmitTask{std::move(request), std::move(done)};
  });
  if (!joined) return joined.status();
  auto name = task_name(job, joined->task);
  state_->spec = state_->spec.with_address(job, joined->task, address);
  state_->joined[name] = *std::move(joined);
  state_->start(name);
  return name;
}

Status Cluster::leave(const std::string& task) {
  auto process = state_->process_of(task);
  auto status = state_->ask(task, [](DoneStatus done) { return LeaveCluster{std::move(done)}; });
  auto name = *DeviceName::parse(task);
  state_->crash(*process);
  state_->spec = state_->spec.without(*name.job, *name.task);
  return status;
}

Status Cluster::forget(const std::string& task, const std::string& through) {
  return state_->ask(through, [&](DoneStatus done) {
    return ForgetTask{task, std::chrono::seconds(1), std::move(done)};
  });
}

Result<DeviceList> Cluster::list_devices(
    const std::string& task, std::chrono::milliseconds timeout) {
  return state_->ask_for<DeviceList>(task, [timeout](Done<DeviceList> done) {
    return ListDevices{timeout, std::move(done)};
  });
}

Result<ResourceList> Cluster::list_resources(
    const std::string& task, std::chrono::milliseconds timeout) {
  return state_->ask_for<ResourceList>(task, [timeout](Done<ResourceList> done) {
    return ListResources{timeout, std::move(done)};
  });
}

Result<RunnerList> Cluster::list_runners(
    const std::string& task, std::chrono::milliseconds timeout) {
  return state_->ask_for<RunnerList>(task, [timeout](Done<RunnerList> done) {
    return ListRunners{timeout, std::move(done)};
  });
}

Result<SessionList> Cluster::list_sessions(
    const std::string& task, std::chrono::milliseconds timeout) {
  return state_->ask_for<SessionList>(task, [timeout](Done<SessionList> done) {
    return ListSessions{timeout, std::move(done)};
  });
}

Status Cluster::control_runner(
    const std::string& task, const ResourceName& runner, RunnerAction action,
    std::chrono::milliseconds timeout) {
  return state_->ask(task, [&](DoneStatus done) {
    return ControlRunner{{runner, action}, timeout, std::move(done)};
  });
}

Time Cluster::now() const { return state_->simulation.now(); }

bool Cluster::run_until(const std::function<bool()>& condition, Time limit) {
  return state_->run(condition, now() + limit);
}

void Cluster::run_for(Time duration) {
  state_->run_for(duration, [] { return false; });
}

Moment Cluster::at(Time time) { return Moment(*state_, time); }

void Cluster::script(const std::vector<Fault>& faults) {
  for (const auto& fault : faults)
    state_->simulation.at(fault.time, [this, fault] { state_->apply(fault); });
}

void Cluster::network(const NetworkOptions& options) { state_->simulation.set_network(options); }

void Cluster::end_all_faults() {
  for (const auto& [from, to] : std::set(state_->cut_pairs)) heal(from, to);
  for (const auto& task : task_names(spec())) {
    if (process_number(task) == 0 && !state_->process_of(task)->has_ended) restart(task);
    const auto& process = *state_->process_of(task);
    if (process.is_dead()) continue;
    if (process.is_frozen) thaw(task);
    if (process.slowness != 1) slow(task, 1);
    if (process.clock_rate != 1) skew(task, 1);
    if (process.memory_limit != state_->options.memory_limit) limit_memory(task, 0);
  }
}

const std::vector<Fault>& Cluster::faults() const { return state_->faults; }

int Cluster::process_number(const std::string& task) const {
  const auto& process = *state_->process_of(task);
  return process.is_dead() ? 0 : process.number;
}

bool Cluster::is_running(const std::string& task) const {
  const auto& process = *state_->process_of(task);
  return !process.is_dead() && !process.is_frozen;
}

void Cluster::always(const std::string& name, Invariants::Check check) {
  state_->invariants.add(name, std::move(check));
}
void Cluster::violate(const std::string& name, const std::string& text) {
  state_->invariants.violate(name, text, now());
}
void Cluster::violate(const std::string& name, const Status& status) {
  state_->invariants.violate(name, status, now());
}
const std::optional<Violation>& Cluster::violation() const {
  return state_->invariants.violation();
}

uint64_t Cluster::trace_hash() const { return state_->simulation.trace_hash(); }
uint64_t Cluster::messages_delivered() const { return state_->simulation.messages_delivered(); }
uint64_t Cluster::probes_sent() const { return state_->simulation.probes_sent(); }

std::string Cluster::diagram(size_t messages_max) const {
  auto deliveries = state_->simulation.recent();
  while (deliveries.size() > messages_max) deliveries.pop_front();
  std::vector<DrawnMessage> messages;
  for (auto& delivery : deliveries)
    messages.push_back(
        {.time = delivery.arrived,
         .from = state_->task_of_node.at(static_cast<size_t>(delivery.from)),
         .to = state_->task_of_node.at(static_cast<size_t>(delivery.to)),
         .what = std::move(delivery.what),
         .lost = delivery.lost});
  return draw_diagram(messages, state_->faults);
}

bool Cluster::apply(const Fault& fault) { return state_->apply(fault); }

void Cluster::inject(Fault fault) { CHECK(apply(fault)); }

void Moment::call(std::function<void()> work) { cluster_.simulation.at(time_, std::move(work)); }

void Moment::network(const NetworkOptions& options) {
  call([&cluster = cluster_, options] { cluster.simulation.set_network(options); });
}

void Moment::inject(Fault fault) {
  call([&cluster = cluster_, fault = std::move(fault)] { cluster.apply(fault); });
}

}  // namespace troupe::sim
