#include <algorithm>
#include <cstdio>
#include <map>

#include "troupe/apps/cli/command.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/interrupt.hpp"

namespace troupe::cli {
namespace {

Json json_of(const std::string& master, const WaitingStep& step) {
  Json waits = Json::array();
  for (const auto& wait : step.waits)
    waits.push_back(
        {{"device", wait.device},
         {"node", wait.node},
         {"op", wait.op},
         {"what", wait.what},
         {"peer", wait.peer},
         {"age_ms", wait.age.count()}});
  return {{"master", master},      {"session", step.session},    {"step", step.step},
          {"runner", step.runner}, {"age_ms", step.age.count()}, {"waits", waits}};
}

void print_step(const std::string& master, const WaitingStep& step) {
  std::printf(
      "%s  session %llu, step %llu%s, since %s\n", paint(Colour::bold, master).c_str(),
      static_cast<unsigned long long>(step.session), static_cast<unsigned long long>(step.step),
      step.runner.empty() ? "" : (" of runner " + step.runner).c_str(), age_text(step.age).c_str());
  for (const auto& wait : step.waits) {
    auto node = wait.node.empty() ? std::string() : wait.node + " (" + wait.op + ") ";
    std::printf(
        "  %s%s: %s%s, since %s\n", node.c_str(),
        wait.device.empty() ? "" : ("on " + wait.device).c_str(), wait.what.c_str(),
        wait.peer.empty() ? "" : (", for " + wait.peer).c_str(), age_text(wait.age).c_str());
  }
}

/// The tasks of the cluster that --target belongs to.
Result<std::vector<TaskClient>> all_tasks(const Options& options) {
  auto client = connect(options);
  if (!client) return client.status();
  auto cluster = (*client)->cluster();
  if (!cluster) return cluster.status();
  return connect_to_all(*cluster, options);
}

int run_explain(const Options& options) {
  auto tasks = all_tasks(options);
  if (!tasks) return fail(tasks.status());
  auto exit_code = 0;
  size_t count = 0;
  for (auto& [task, address, client] : *tasks) {
    auto steps = client ? (*client)->list_waiting_steps(options.timeout())
                        : Result<std::vector<WaitingStep>>(client.status());
    if (!steps) {
      exit_code = fail(steps.status());
      continue;
    }
    count += steps->size();
    for (const auto& step : *steps)
      if (options.json) print(json_of(task, step));
      else print_step(task, step);
  }
  if (count == 0 && !options.json) std::puts("no step runs");
  return exit_code;
}

/// What one line of `top` is made of.
struct Load {
  NodeInfo info;
  uint64_t memory = 0;
};

/// Shows the cluster again and again, until it is interrupted or `rounds` are shown.
class Top {
 public:
  Top(const Options& options, double interval_s, int rounds)
      : options_(options), interval_s_(interval_s), rounds_(rounds) {}

  int run() {
    Interrupt interrupt;  // before a connection starts threads
    auto tasks = all_tasks(options_);
    if (!tasks) return fail(tasks.status());
    for (int round = 0; rounds_ == 0 || round < rounds_; ++round) {
      auto begin = std::chrono::steady_clock::now();
      show(*tasks, round);
      if (rounds_ != 0 && round + 1 == rounds_) break;
      auto next = begin + std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::duration<double>(interval_s_));
      if (interrupt.wait_until(next)) break;
    }
    return 0;
  }

 private:
  void show(std::vector<TaskClient>& tasks, int round) {
    auto now = std::chrono::steady_clock::now();
    auto elapsed = std::chrono::duration<double>(now - before_).count();
    before_ = now;
    if (!options_.json) {
      if (paint(Colour::bold, "") != "") std::fputs("\033[H\033[2J", stdout);
      std::printf(
          "%-28s %-9s %9s %10s %12s %8s\n", "task", "state", "sessions", "steps/s", "memory",
          "waiting");
    }
    for (auto& task : tasks) show_task(task, round > 0 ? elapsed : 0);
    std::fflush(stdout);
  }

  void show_task(TaskClient& task, double elapsed) {
    if (!task.client) task.client = Client::connect(task.address, {.timeout = {}});
    auto info = task.client ? (*task.client)->node_info() : Result<NodeInfo>(task.client.status());
    if (!info) {
      task.client = info.status();
      if (options_.json) print({{"task", task.task}, {"error", to_json(info.status())}});
      else
        std::printf("%-28s %s\n", task.task.c_str(), paint(Colour::red, "does not answer").c_str());
      return;
    }
    uint64_t memory = 0;
    if (auto devices = (*task.client)->list_devices(options_.timeout()))
      for (const auto& device : devices->devices)
        if (device.name.starts_with(task.task + "/")) memory += device.memory_in_use;
    size_t waiting = 0;
    if (auto steps = (*task.client)->list_waiting_steps()) waiting = steps->size();
    auto done = info->steps - std::min(info->steps, steps_[task.task]);
    auto rate = elapsed > 0 ? double(done) / elapsed : 0;
    steps_[task.task] = info->steps;
    auto state = info->state == NodeState::serving ? "serving" : "draining";
    if (options_.json)
      print(
          {{"task", task.task},
           {"state", state},
           {"sessions", info->sessions},
           {"steps", info->steps},
           {"steps_per_s", rate},
           {"memory_in_use", memory},
           {"running_steps", waiting}});
    else
      std::printf(
          "%-28s %-9s %9llu %10.1f %12s %8zu\n", task.task.c_str(), state,
          static_cast<unsigned long long>(info->sessions), rate, bytes_text(memory).c_str(),
          waiting);
  }

  const Options& options_;
  const double interval_s_;
  const int rounds_;
  std::map<std::string, uint64_t> steps_;
  std::chrono::steady_clock::time_point before_;
};

}  // namespace

void add_waiting_commands(CLI::App& app, const Options& options, Run& run) {
  auto* explain = app.add_subcommand("explain", "Shows what running steps of all tasks wait for");
  explain->footer("Example: troupe explain --json");
  explain->callback([&] { run = [&] { return run_explain(options); }; });

  auto* top = app.add_subcommand("top", "Shows sessions, steps and memory of all tasks, live");
  auto interval_s = std::make_shared<double>(1);
  auto rounds = std::make_shared<int>(0);
  top->add_option("--interval", *interval_s, "seconds between two looks (1)")
      ->check(CLI::Range(0.05, 3600.0).description(""));
  top->add_option("--rounds", *rounds, "how often; 0: until Ctrl-C (0)")
      ->check(CLI::NonNegativeNumber.description(""));
  top->footer("Example: troupe top --interval 5");
  top->callback([&, interval_s, rounds] {
    run = [&, interval_s, rounds] { return Top(options, *interval_s, *rounds).run(); };
  });
}

}  // namespace troupe::cli
