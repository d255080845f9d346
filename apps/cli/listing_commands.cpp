#include <algorithm>
#include <cstdio>
#include <map>

#include "troupe/apps/cli/command.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cli {
namespace {

/// The cluster as one node sees it.
struct Listing {
  ClusterSpec cluster;
  DeviceList devices;
  ResourceList resources;
  RunnerList runners;
  SessionList sessions;
};

Result<Listing> list(Client& client, const Options& options) {
  Listing listing;
  auto cluster = client.cluster();
  if (!cluster) return cluster.status();
  auto devices = client.list_devices(options.timeout());
  if (!devices) return devices.status();
  auto resources = client.list_resources(options.timeout());
  if (!resources) return resources.status();
  auto runners = client.list_runners(options.timeout());
  if (!runners) return runners.status();
  auto sessions = client.list_sessions(options.timeout());
  // A node of an earlier release does not list them.
  if (!sessions && sessions.status().code() == Code::unimplemented) sessions = SessionList();
  if (!sessions) return sessions.status();
  return Listing{
      *std::move(cluster), *std::move(devices), *std::move(resources), *std::move(runners),
      *std::move(sessions)};
}

std::string task_of(const std::string& device) {
  auto name = DeviceName::parse(device);
  return name && name->job && name->task ? task_name(*name->job, *name->task) : device;
}

std::string resource_name(const ListedResource& resource) {
  return task_of(resource.device) + "/container:" + resource.name.container +
         "/resource:" + resource.name.name;
}

std::string session_name(const ListedSession& session) {
  return session.task + "/session:" + std::to_string(session.id);
}

std::string value_text(const ListedResource& resource) {
  return std::string(to_string(resource.dtype)) + resource.shape.to_string();
}

Json json_of(const ListedDevice& device) {
  return {
      {"name", device.name},
      {"type", device.attributes.type},
      {"description", device.attributes.description},
      {"memory_in_use", device.memory_in_use},
      {"memory_limit", device.attributes.memory_limit},
      {"incarnation", device.incarnation},
      {"state", device.state == NodeState::serving ? "serving" : "draining"}};
}

/// "2 of 32 elements; 5.0/s in and 4.8/s out; 0 enqueues and 1 dequeues wait".
std::string queue_text(const ListedResource& resource) {
  const auto& [capacity, enqueues, dequeues] = *resource.queue;
  auto text = std::to_string(resource.shape.elements());
  if (capacity >= 0) text += " of " + std::to_string(capacity);
  return text + " elements; " + decimal_text(enqueues.per_second) + "/s in and " +
         decimal_text(dequeues.per_second) + "/s out; " + std::to_string(enqueues.waiting) +
         " enqueues and " + std::to_string(dequeues.waiting) + " dequeues wait";
}

/// What went into a queue or came out of it, and who waits to do so, the longest first.
Json json_of(const QueueTraffic& traffic) {
  Json waiters = Json::array();
  for (const auto& waiter : traffic.waiters)
    waiters.push_back({{"node", waiter.node}, {"age_ms", waiter.age.count()}});
  return {
      {"elements", traffic.elements},
      {"per_second", traffic.per_second},
      {"idle_ms", traffic.idle ? Json(traffic.idle->count()) : Json()},
      {"waiters", waiters}};
}

Json json_of(const ListedResource& resource) {
  Json fields{
      {"name", resource_name(resource)},
      {"container", resource.name.container},
      {"resource", resource.name.name},
      {"kind", resource.kind},
      {"dtype", to_string(resource.dtype)},
      {"shape", resource.shape.to_string()},
      {"bytes", resource.bytes},
      {"device", resource.device},
      {"idle_ms", resource.idle.count()}};
  if (!resource.queue) return fields;
  fields["elements"] = resource.shape.elements();
  fields["capacity"] = resource.queue->capacity;
  fields["waiting_producers"] = resource.queue->enqueues.waiting;
  fields["waiting_consumers"] = resource.queue->dequeues.waiting;
  fields["enqueues"] = json_of(resource.queue->enqueues);
  fields["dequeues"] = json_of(resource.queue->dequeues);
  return fields;
}

Json json_of(const ListedSession& session, const ClusterSpec& cluster) {
  auto master = DeviceName::parse(session.task);
  std::string target;
  if (master && master->job && master->task)
    if (auto address = cluster.task_address(*master->job, *master->task))
      target = "troupe://" + address->to_string();
  return {
      {"name", session_name(session)},
      {"session", session.id},
      {"master", session.task},
      {"target", target},
      {"client", session.client},
      {"runner", session.runner},
      {"since", time_text(std::chrono::system_clock::now() - session.age)},
      {"age_ms", session.age.count()},
      {"nodes", session.nodes},
      {"running_steps", session.running_steps},
      {"steps", session.steps}};
}

void print_json(const Listing& listing) {
  Json tasks = Json::array(), devices = Json::array(), resources = Json::array(),
       sessions = Json::array(), missing = Json::array();
  for (const auto& [job, tasks_of_job] : listing.cluster.jobs())
    for (const auto& [index, address] : tasks_of_job)
      tasks.push_back({{"name", task_name(job, index)}, {"address", address.to_string()}});
  for (const auto& device : listing.devices.devices) devices.push_back(json_of(device));
  for (const auto& resource : listing.resources.resources) resources.push_back(json_of(resource));
  for (const auto& session : listing.sessions.sessions)
    sessions.push_back(json_of(session, listing.cluster));
  for (const auto& status : listing.devices.missing) missing.push_back(to_json(status));
  print(
      {{"tasks", tasks},
       {"devices", devices},
       {"sessions", sessions},
       {"resources", resources},
       {"missing", missing}});
}

void print_device(const ListedDevice& device) {
  auto limit = device.attributes.memory_limit;
  std::printf(
      "  %s  %s%s%s\n", device.name.substr(task_of(device.name).size()).c_str(),
      bytes_text(device.memory_in_use).c_str(), limit ? (" of " + bytes_text(limit)).c_str() : "",
      paint(Colour::dim, "  " + device.attributes.description).c_str());
}

std::string count_text(uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void print_session(const ListedSession& session) {
  auto who = session.runner.empty() ? session.client : "runner " + session.runner;
  std::printf(
      "  /session:%llu  %s  for %s  %s, %s of %s run\n",
      static_cast<unsigned long long>(session.id), who.empty() ? "(unknown)" : who.c_str(),
      age_text(session.age).c_str(), count_text(session.nodes, "node").c_str(),
      std::to_string(session.running_steps).c_str(), count_text(session.steps, "step").c_str());
}

/// The state of a runner that is listed as a resource; false: it is none, or has just been stopped.
bool print_runner(const ListedResource& resource, const RunnerList& list) {
  auto found = std::ranges::find(list.runners, resource.name, &ListedRunner::name);
  if (resource.kind != "runner" || found == list.runners.end()) return false;
  std::printf("    %s  runner  %s\n", resource.name.name.c_str(), runner_text(*found).c_str());
  return true;
}

void print_containers(
    const std::vector<const ListedResource*>& resources, const RunnerList& runners) {
  std::map<std::string, std::vector<const ListedResource*>> containers;
  for (const auto* resource : resources) containers[resource->name.container].push_back(resource);
  for (const auto& [container, held] : containers) {
    std::printf("  /container:%s\n", container_text(container).c_str());
    for (const auto* resource : held) {
      if (print_runner(*resource, runners)) continue;
      std::printf(
          "    %s  %s %s  %s%s%s\n", resource->name.name.c_str(), resource->kind.c_str(),
          value_text(*resource).c_str(), bytes_text(resource->bytes).c_str(),
          resource->queue ? ("  " + queue_text(*resource)).c_str() : "",
          paint(Colour::dim, "  used " + age_text(resource->idle) + " ago").c_str());
    }
  }
}

void print_tree(const Listing& listing) {
  std::map<std::string, std::vector<const ListedResource*>> resources;
  for (const auto& resource : listing.resources.resources)
    resources[task_of(resource.device)].push_back(&resource);
  for (const auto& [job, tasks] : listing.cluster.jobs())
    for (const auto& [index, address] : tasks) {
      auto task = task_name(job, index);
      std::string state = paint(Colour::red, "does not answer");
      for (const auto& device : listing.devices.devices)
        if (task_of(device.name) == task)
          state = device.state == NodeState::serving ? paint(Colour::green, "serving")
                                                     : paint(Colour::yellow, "draining");
      std::printf(
          "%s  %s  %s\n", paint(Colour::bold, task).c_str(), address.to_string().c_str(),
          state.c_str());
      for (const auto& device : listing.devices.devices)
        if (task_of(device.name) == task) print_device(device);
      for (const auto& session : listing.sessions.sessions)
        if (session.task == task) print_session(session);
      print_containers(resources[task], listing.runners);
    }
  for (const auto& status : listing.devices.missing)
    std::fprintf(stderr, "troupe: %s\n", status.to_string().c_str());
}

int run_ls(const Options& options) {
  auto client = connect(options);
  if (!client) return fail(client.status());
  auto listing = list(**client, options);
  if (!listing) return fail(listing.status());
  if (options.json) print_json(*listing);
  else print_tree(*listing);
  return listing->devices.missing.empty() ? 0 : exit_failure;
}

Json json_of(const NodeInfo& info) {
  return {
      {"name", task_name(info.job, info.task)},
      {"incarnation", info.incarnation},
      {"protocol_version", info.protocol_version},
      {"sessions", info.sessions},
      {"steps", info.steps},
      {"late_messages", info.late_messages},
      {"state", info.state == NodeState::serving ? "serving" : "draining"}};
}

/// "key  value" lines, or one object.
int show(const Json& fields, const Options& options) {
  if (options.json) print(fields);
  else
    for (const auto& [key, value] : fields.items())
      std::printf(
          "%-18s%s\n", key.c_str(),
          (value.is_string() ? value.get<std::string>() : value.dump()).c_str());
  return 0;
}

/// A task is asked itself; devices and resources are found in the lists of the node.
int run_describe(const std::string& name, const Options& options) {
  auto client = connect(options);
  if (!client) return fail(client.status());
  auto listing = list(**client, options);
  if (!listing) return fail(listing.status());
  for (const auto& [job, tasks] : listing->cluster.jobs())
    for (const auto& [index, address] : tasks)
      if (task_name(job, index) == name) {
        auto of_task = options;
        of_task.target = address.to_string();
        auto task = connect(of_task);
        if (!task) return fail(task.status());
        auto info = (*task)->node_info();
        return info ? show(json_of(*info), options) : fail(info.status());
      }
  for (const auto& device : listing->devices.devices)
    if (device.name == name) return show(json_of(device), options);
  for (const auto& session : listing->sessions.sessions)
    if (session_name(session) == name || std::to_string(session.id) == name)
      return show(json_of(session, listing->cluster), options);
  std::vector<const ListedResource*> found;
  for (const auto& resource : listing->resources.resources)
    if (resource_name(resource) == name || resource.name.name == name) found.push_back(&resource);
  for (const auto* resource : found) {
    if (resource != found.front() && !options.json) std::puts("");
    show(json_of(*resource), options);
  }
  if (!found.empty()) return 0;
  return fail(
      not_found("nothing in the cluster has the name '" + name + "'; troupe ls shows all names"));
}

}  // namespace

void add_listing_commands(CLI::App& app, const Options& options, Run& run) {
  auto* ls = app.add_subcommand("ls", "Shows tasks, devices, sessions, and what containers hold");
  ls->footer("Example: troupe --target 127.0.0.1:2222 ls");
  ls->callback([&] { run = [&] { return run_ls(options); }; });
  auto* describe = app.add_subcommand("describe", "Shows all that is known of one name");
  auto name = std::make_shared<std::string>();
  describe->add_option("NAME", *name, "a task, a device, a session or a resource, as ls shows it")
      ->required();
  describe->footer("Example: troupe describe /job:ps/task:0/device:CPU:0");
  describe->callback([&, name] { run = [&, name] { return run_describe(*name, options); }; });
}

}  // namespace troupe::cli
