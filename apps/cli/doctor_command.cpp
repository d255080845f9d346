#include <cstdio>

#include "troupe/apps/cli/command.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::cli {
namespace {

/// What was looked at, and what to do where it is wrong.
struct Finding {
  std::string subject;
  std::string problem;  // empty: it is well
  std::string mend;
};

/// What a task says of itself, against what --target says of it.
std::vector<Finding> look_at(
    TaskClient& task, const ClusterSpec& cluster, uint32_t protocol_version) {
  auto subject = task.task + " at " + task.address;
  if (!task.client)
    return {
        {subject, task.client.status().message(),
         "start that node, or see whether a firewall or another program has its port"}};
  auto info = (*task.client)->node_info();
  if (!info) return {{subject, info.status().message(), "see the log of that node"}};
  std::vector<Finding> found;
  auto says = task_name(info->job, info->task);
  if (says != task.task)
    found.push_back(
        {subject, "a node answers there that is " + says,
         "give the same --cluster to all nodes, and to each its own --job and --task"});
  if (info->protocol_version != protocol_version)
    found.push_back(
        {subject,
         "it speaks version " + std::to_string(info->protocol_version) + " of the protocol, not " +
             std::to_string(protocol_version),
         "install one release of Troupe on all machines"});
  if (info->cluster != cluster)
    found.push_back(
        {subject, "it knows the cluster as " + info->cluster.to_json(),
         "give the same --cluster to all nodes, and restart this one"});
  if (info->state != NodeState::serving)
    found.push_back({subject, "it drains and takes no sessions", "restart it to go on"});
  if (found.empty()) found.push_back({subject, "", ""});
  return found;
}

/// Whether the tasks reach each other: a node lists the devices of all others by its own links.
std::vector<Finding> look_at_links(TaskClient& task, const Options& options) {
  if (!task.client) return {};
  auto devices = (*task.client)->list_devices(options.timeout());
  if (!devices) return {{"links of " + task.task, devices.status().message(), "see its log"}};
  std::vector<Finding> found;
  for (const auto& missing : devices->missing)
    found.push_back(
        {"links of " + task.task, missing.to_string(),
         "see that the addresses in --cluster are reached from that machine, too"});
  if (found.empty()) found.push_back({"links of " + task.task, "", ""});
  return found;
}

int show(const std::vector<Finding>& findings, const Options& options) {
  auto exit_code = 0;
  for (const auto& [subject, problem, mend] : findings) {
    if (!problem.empty()) exit_code = exit_failure;
    if (options.json)
      print({{"subject", subject}, {"ok", problem.empty()}, {"problem", problem}, {"mend", mend}});
    else if (problem.empty())
      std::printf("%s  %s\n", paint(Colour::green, "well ").c_str(), subject.c_str());
    else
      std::printf(
          "%s  %s: %s\n       %s\n", paint(Colour::red, "wrong").c_str(), subject.c_str(),
          problem.c_str(), mend.c_str());
  }
  return exit_code;
}

int run_doctor(const Options& options) {
  auto client = connect(options);
  if (!client)
    return show(
        {{options.target, client.status().message(),
          "start a node (troupe launch worker=1), or name one with --target"}},
        options);
  auto asked = (*client)->node_info();
  if (!asked) return fail(asked.status());
  const auto& cluster = asked->cluster;
  std::vector<Finding> findings;
  auto add = [&](std::vector<Finding> more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  auto tasks = connect_to_all(cluster, options);
  for (auto& task : tasks) add(look_at(task, cluster, asked->protocol_version));
  for (auto& task : tasks) add(look_at_links(task, options));
  return show(findings, options);
}

}  // namespace

void add_doctor_command(CLI::App& app, const Options& options, Run& run) {
  auto* doctor =
      app.add_subcommand("doctor", "Looks for what is wrong with a cluster, and says the mend");
  doctor->footer("Example: troupe --target 127.0.0.1:2222 doctor");
  doctor->callback([&] { run = [&] { return run_doctor(options); }; });
}

}  // namespace troupe::cli
