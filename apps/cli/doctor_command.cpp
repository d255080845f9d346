#include <cmath>
#include <cstdio>
#include <optional>

#include "troupe/apps/cli/clock_offset.hpp"
#include "troupe/apps/cli/command.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cli {
namespace {

using std::chrono::nanoseconds;

/// Clocks that differ by more than this are reported: programs order what they read in logs,
/// summaries and checkpoints of several machines by their times.
constexpr std::chrono::milliseconds clock_limit{100};
/// The shortest of these round trips counts; the others may have waited for a busy node.
constexpr int clock_readings = 8;

/// What was looked at, and what to do where it is wrong.
struct CheckResult {
  std::string subject;
  std::string problem;  // empty: it is well
  std::string remedy;
  bool is_warning = false;  // the cluster works all the same
  std::optional<ClockOffset> clock = {};
};

/// What a task says of itself, against what --target says of it.
std::vector<CheckResult> check_task(
    TaskClient& task, const ClusterSpec& cluster, uint32_t protocol_version) {
  auto subject = task.task + " at " + task.address;
  if (!task.client)
    return {
        {subject, task.client.status().message(),
         "start that node, or see whether a firewall or another program has its port"}};
  auto info = (*task.client)->node_info();
  if (!info) return {{subject, info.status().message(), "see the log of that node"}};
  std::vector<CheckResult> found;
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
std::vector<CheckResult> check_links(TaskClient& task, const Options& options) {
  if (!task.client) return {};
  auto devices = (*task.client)->list_devices(options.timeout());
  if (!devices) return {{"links of " + task.task, devices.status().message(), "see its log"}};
  std::vector<CheckResult> found;
  for (const auto& missing : devices->missing)
    found.push_back(
        {"links of " + task.task, missing.to_string(),
         "see that the addresses in --cluster are reached from that machine, too"});
  if (found.empty()) found.push_back({"links of " + task.task, "", ""});
  return found;
}

/// How far the clock of a task's machine is from this one's; nothing if it does not tell.
std::optional<ClockOffset> offset_of(TaskClient& task) {
  if (!task.client) return {};
  auto now = [] { return nanoseconds(std::chrono::system_clock::now().time_since_epoch()); };
  std::vector<ClockReading> readings;
  for (int i = 0; i < clock_readings; ++i) {
    auto sent = now();
    auto answer = (*task.client)->clock();
    if (!answer) return {};
    readings.push_back({.sent = sent, .answer = *answer, .received = now()});
  }
  return estimate_offset(readings);
}

double to_ms(nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// "1500.0 ms ahead of".
std::string distance_text(nanoseconds distance) {
  return decimal_text(std::abs(to_ms(distance))) + " ms " +
         (distance.count() > 0 ? "ahead of" : "behind");
}

/// Whether the clocks of all machines agree. A task that does not answer, or is of a release that
/// does not tell its time, is left out: check_task() reports it.
std::vector<CheckResult> check_clocks(std::vector<TaskClient>& tasks) {
  std::vector<CheckResult> found;
  std::vector<ClockOffset> offsets;
  for (auto& task : tasks)
    if (auto offset = offset_of(task)) {
      offsets.push_back(*offset);
      found.push_back({.subject = "clock of " + task.task, .clock = offset});
    }
  if (found.empty()) return {};
  auto common = common_offset(offsets);
  found.push_back({.subject = "clock of this machine", .clock = ClockOffset()});
  for (auto& result : found) {
    if (!result.clock->is_off(common, clock_limit)) continue;
    result.is_warning = true;
    result.problem = "it is " + distance_text(result.clock->offset - common) + " the others";
    result.remedy = "let NTP set the clock of that machine: timedatectl set-ntp true";
  }
  return found;
}

Json json_of(const CheckResult& result) {
  auto is_well = result.problem.empty();
  Json fields{
      {"subject", result.subject},
      {"ok", is_well},
      {"state", is_well             ? "well"
                : result.is_warning ? "warning"
                                    : "wrong"},
      {"problem", result.problem},
      {"remedy", result.remedy}};
  if (!result.clock) return fields;
  fields["offset_ms"] = to_ms(result.clock->offset);
  fields["uncertainty_ms"] = to_ms(result.clock->uncertainty);
  return fields;
}

int show(const std::vector<CheckResult>& results, const Options& options) {
  auto exit_code = 0;
  for (const auto& result : results) {
    const auto& [subject, problem, remedy, is_warning, clock] = result;
    if (!problem.empty() && !is_warning) exit_code = exit_failure;
    auto word = is_warning ? paint(Colour::yellow, "warning") : paint(Colour::red, "wrong");
    if (options.json) print(json_of(result));
    else if (problem.empty())
      std::printf("%s  %s\n", paint(Colour::green, "well ").c_str(), subject.c_str());
    else
      std::printf(
          "%s  %s: %s\n       %s\n", word.c_str(), subject.c_str(), problem.c_str(),
          remedy.c_str());
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
  std::vector<CheckResult> results;
  auto add = [&](std::vector<CheckResult> more) {
    results.insert(results.end(), more.begin(), more.end());
  };
  auto tasks = connect_to_all(cluster, options);
  for (auto& task : tasks) add(check_task(task, cluster, asked->protocol_version));
  for (auto& task : tasks) add(check_links(task, options));
  add(check_clocks(tasks));
  return show(results, options);
}

}  // namespace

void add_doctor_command(CLI::App& app, const Options& options, Run& run) {
  auto* doctor =
      app.add_subcommand("doctor", "Checks a cluster for problems, and says how to fix each");
  doctor->footer(
      "Clocks that differ by more than 100 ms are a warning; it does not change the exit code.\n"
      "Example: troupe --target 127.0.0.1:2222 doctor");
  doctor->callback([&] { run = [&] { return run_doctor(options); }; });
}

}  // namespace troupe::cli
