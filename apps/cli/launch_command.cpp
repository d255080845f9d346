#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "troupe/apps/cli/children.hpp"
#include "troupe/apps/cli/command.hpp"
#include "troupe/apps/cli/ports.hpp"
#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cli {
namespace {

struct Launch {
  std::vector<std::string> jobs;     // "worker=2"
  int port_base = 0;                 // 0: free ports
  std::vector<std::string> hosts;    // of ssh; empty: this machine
  std::string ssh = "ssh";           // the program that runs a command on a host
  std::string node = "troupe-node";  // on those hosts
  std::vector<std::string> flags;    // of each node
  std::vector<std::string> program;  // instead of a node, or the client of all
  bool is_client = false;            // the program is that
};

struct LaunchedTask {
  std::string job;
  int index;
  std::string host;  // empty: this machine
};

/// The program beside this one.
std::string program_beside(const std::string& name) {
  std::error_code error;
  auto here = std::filesystem::read_symlink("/proc/self/exe", error);
  auto beside = here.parent_path() / name;
  return !error && std::filesystem::exists(beside, error) ? beside.string() : name;
}

Result<std::vector<LaunchedTask>> tasks_of(const Launch& launch) {
  constexpr int most = 1000;
  std::vector<LaunchedTask> tasks;
  for (const auto& job : launch.jobs) {
    auto equals = std::min(job.find('='), job.size());
    auto count = parse_number(job.substr(std::min(equals + 1, job.size())));
    if (!count || *count < 1 || *count > most || equals == 0)
      return invalid_argument(quote(job) + " is not JOB=COUNT, such as worker=2");
    for (int index = 0; index < *count; ++index) {
      auto host = launch.hosts.empty() ? "" : launch.hosts[tasks.size() % launch.hosts.size()];
      tasks.push_back({job.substr(0, equals), index, host});
    }
  }
  return tasks;
}

Result<ClusterSpec> cluster_of(const Launch& launch, const std::vector<LaunchedTask>& tasks) {
  std::vector<int> ports;
  if (launch.port_base > 0)
    for (size_t i = 0; i < tasks.size(); ++i) ports.push_back(launch.port_base + int(i));
  else {
    auto found = free_ports(tasks.size());
    if (!found) return found.status();
    ports = *std::move(found);
  }
  std::map<std::string, JobTasks> jobs;
  for (size_t i = 0; i < tasks.size(); ++i) {
    auto host = tasks[i].host.empty() ? "127.0.0.1" : tasks[i].host;
    jobs[tasks[i].job].by_index[tasks[i].index] = host + ":" + std::to_string(ports[i]);
  }
  return ClusterSpec::make(jobs);
}

std::string tf_config_of(const ClusterSpec& cluster, const LaunchedTask& task) {
  return Json{
      {"cluster", Json::parse(cluster.to_json())},
      {"task", {{"type", task.job}, {"index", task.index}}}}
      .dump();
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (auto c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

Children::Command command_of(
    const Launch& launch, const ClusterSpec& cluster, const LaunchedTask& task) {
  auto words = launch.is_client ? std::vector<std::string>() : launch.program;
  if (words.empty()) {
    words = {task.host.empty() ? program_beside("troupe-node") : launch.node};
    words.insert(words.end(), launch.flags.begin(), launch.flags.end());
  }
  auto config = tf_config_of(cluster, task);
  Children::Command command{
      .label = task.job + "/" + std::to_string(task.index), .words = words, .environment = {}};
  if (task.host.empty()) {
    command.environment["TF_CONFIG"] = config;
    return command;
  }
  // A terminal makes the remote command end with the connection.
  std::string line = "TF_CONFIG=" + shell_quoted(config) + " exec";
  for (const auto& word : words) line += " " + shell_quoted(word);
  command.words = {launch.ssh, "-tt", task.host, line};
  return command;
}

/// The client's words, with targets in place of "{worker:0}".
Children::Command client_of(const Launch& launch, const ClusterSpec& cluster) {
  Children::Command command{
      .label = "client", .words = launch.program, .environment = {}, .is_client = true};
  for (auto& word : command.words)
    for (const auto& [job, tasks] : cluster.jobs())
      for (const auto& [index, address] : tasks) {
        auto place = "{" + job + ":" + std::to_string(index) + "}";
        auto target = "troupe://" + address.to_string();
        for (auto at = word.find(place); at != std::string::npos;
             at = word.find(place, at + target.size()))
          word.replace(at, place.size(), target);
      }
  return command;
}

/// On the error output: the other one has what the children print.
void print_target(const std::string& job, int index, const Address& address, bool json) {
  auto target = "troupe://" + address.to_string();
  auto line = json ? Json{{"task", task_name(job, index)}, {"target", target}}.dump()
                   : job + "/" + std::to_string(index) + " at " + target;
  std::fprintf(stderr, "%s\n", line.c_str());
}

int run_launch(const Launch& launch, bool json) {
  if (launch.is_client && launch.program.empty())
    return fail(invalid_argument("--client needs the client's program, after --"));
  auto tasks = tasks_of(launch);
  if (!tasks) return fail(tasks.status());
  if (!launch.hosts.empty() && launch.port_base == 0)
    return fail(invalid_argument("--hosts needs --port-base: ports that are free on all of them"));
  auto cluster = cluster_of(launch, *tasks);
  if (!cluster) return fail(cluster.status());
  Children children;
  for (const auto& task : *tasks)
    if (auto status = children.start(command_of(launch, *cluster, task)); !status.ok())
      return fail(status);
  for (const auto& [job, tasks_of_job] : cluster->jobs())
    for (const auto& [index, address] : tasks_of_job) print_target(job, index, address, json);
  if (launch.is_client)
    if (auto status = children.start(client_of(launch, *cluster)); !status.ok())
      return fail(status);
  return children.run();
}

/// A line of `troupe-node --list-ops`.
Json json_of_op(const std::string& line) {
  std::vector<std::string> fields(1);
  for (auto c : line)
    if (c == '\t') fields.emplace_back();
    else if (c != '\n') fields.back() += c;
  fields.resize(5);
  return {{"op", fields[0].substr(0, fields[0].find('('))},
          {"signature", fields[0]},
          {"dtypes", fields[1]},
          {"has_gradient", fields[2] == "gradient"},
          {"devices", fields[3]},
          {"family", fields[4]}};
}

int run_ops(bool json) {
  auto command = shell_quoted(program_beside("troupe-node")) + " --list-ops";
  auto* lines = popen(command.c_str(), "r");
  if (!lines) return fail(unavailable("cannot run " + command));
  char* line = nullptr;
  size_t size = 0;
  while (getline(&line, &size, lines) > 0)
    if (json) print(json_of_op(line));
    else std::fputs(line, stdout);
  std::free(line);
  if (pclose(lines) == 0) return 0;
  return fail(not_found(command + " failed"));
}

}  // namespace

void add_launch_command(
    CLI::App& app, const Options& options, const std::vector<std::string>& program, Run& run) {
  auto launch = std::make_shared<Launch>();
  launch->program = program;
  auto* command = app.add_subcommand("launch", "Starts the tasks of a cluster, until Ctrl-C");
  command->add_option("JOB=COUNT", launch->jobs, "how many tasks each job has")->required();
  command->add_flag(
      "--client", launch->is_client, "the program after -- is a client beside nodes, see below");
  command
      ->add_option(
          "--port-base", launch->port_base, "of the first task; others follow (free ports)")
      ->check(CLI::Range(1, 65000).description(""));
  command->add_option("--hosts", launch->hosts, "hosts that take turns, by ssh (this machine)")
      ->delimiter(',');
  command->add_option("--ssh", launch->ssh, "what runs a command on a host (ssh)");
  command->add_option("--node", launch->node, "the node's program on those hosts (troupe-node)");
  command->add_option("--flag", launch->flags, "a flag of each node, as --flag=--threads=2")
      ->allow_extra_args(false);
  command->footer(
      "A node runs for each task, or, after --, a program, which finds its role in TF_CONFIG.\n"
      "With --client, nodes run, and the program once beside them, with the target of a task in\n"
      "place of {worker:0} in its words; at its end all are stopped.\n"
      "Lines of their output begin with the task. Once one fails, or at Ctrl-C, all are stopped;\n"
      "a second Ctrl-C kills them. The exit code is that of the first that failed.\n\n"
      "Examples:\n"
      "  troupe launch ps=1 worker=2\n"
      "  troupe launch ps=1 worker=2 -- python train.py --steps 100\n"
      "  troupe launch ps=1 worker=2 --client -- digits --target '{worker:0}'\n"
      "  troupe launch ps=1 worker=4 --hosts a,b --port-base 2222 --flag=--bind=0.0.0.0 "
      "--flag=--tls=/etc/troupe");
  command->callback([&options, &run, launch] {
    run = [&options, launch] { return run_launch(*launch, options.json); };
  });
}

void add_ops_command(CLI::App& app, const Options& options, Run& run) {
  auto* ops = app.add_subcommand("ops", "Lists the ops that nodes of this release have");
  ops->footer("Example: troupe ops | grep Conv2D");
  ops->callback([&] { run = [&] { return run_ops(options.json); }; });
}

}  // namespace troupe::cli
