#include <algorithm>
#include <cstdio>

#include "troupe/apps/cli/command.hpp"

namespace troupe::cli {
namespace {

/// Connects, does it, and says so.
template <class Action>
int run_control(const Options& options, const std::string& done, Action action) {
  auto client = connect(options);
  if (!client) return fail(client.status());
  Status status = action(**client);
  if (!status.ok()) return fail(status);
  if (options.json) print({{"target", (*client)->target()}, {"done", done}});
  else std::printf("%s: %s\n", (*client)->target().c_str(), done.c_str());
  return 0;
}

/// Those of the containers that hold nothing, where all tasks say what they hold.
std::vector<std::string> empty_containers(Client& client, std::vector<std::string> names) {
  auto list = client.list_resources(std::chrono::seconds(1));
  if (!list || !list->missing.empty()) return {};
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(
        list->resources, [&](const auto& held) { return held.name.container == name; });
  });
  return names;
}

struct ResetChoice {
  std::vector<std::string> containers;
  std::string task;
  bool all = false;
};

int run_reset(const Options& options, const ResetChoice& choice) {
  auto chosen = int(!choice.containers.empty()) + int(!choice.task.empty()) + int(choice.all);
  if (chosen != 1)
    return fail(invalid_argument(
        "reset frees variables and all other state: name containers, or a --task, or say --all"));
  return run_control(options, "reset", [&](Client& client) {
    if (choice.all) return client.reset_all(options.timeout());
    if (!choice.task.empty()) return client.reset_task(choice.task, options.timeout());
    auto containers = choice.containers;
    for (auto& name : containers)
      if (name == container_text("")) name.clear();
    for (const auto& name : empty_containers(client, containers))
      std::fprintf(
          stderr, "troupe: the container '%s' held nothing: 'troupe ls' shows those that do\n",
          container_text(name).c_str());
    return client.reset(containers, options.timeout());
  });
}

void add_reset(CLI::App& app, const Options& options, Run& run) {
  auto* reset = app.add_subcommand("reset", "Frees containers, and closes their sessions");
  auto choice = std::make_shared<ResetChoice>();
  reset->add_option(
      "CONTAINER", choice->containers, "as ls shows them; '(default)' is the one without a name");
  reset->add_option("--task", choice->task, "all containers of one task, as /job:ps/task:0");
  reset->add_flag("--all", choice->all, "all containers of the cluster");
  reset->footer("Example: troupe reset experiment_1");
  reset->callback([&, choice] { run = [&, choice] { return run_reset(options, *choice); }; });
}

}  // namespace

void add_control_commands(CLI::App& app, const Options& options, Run& run) {
  add_reset(app, options, run);

  auto* drain = app.add_subcommand("drain", "Lets a node finish its steps and take no new ones");
  drain->footer("Example: troupe --target 127.0.0.1:2223 --timeout 60 drain");
  drain->callback([&] {
    run = [&] {
      return run_control(
          options, "drained", [&](Client& client) { return client.drain(options.timeout()); });
    };
  });

  auto* stop = app.add_subcommand("stop", "Drains a node, then ends it");
  stop->footer("Example: troupe --target 127.0.0.1:2223 stop");
  stop->callback([&] {
    run = [&] {
      return run_control(
          options, "stopped", [&](Client& client) { return client.stop(options.timeout()); });
    };
  });

  auto* forget = app.add_subcommand("forget", "Strikes off a task that joined and died for good");
  auto task = std::make_shared<std::string>();
  forget->add_option("TASK", *task, "as /job:worker/task:3")->required();
  forget->footer("Example: troupe forget /job:worker/task:3");
  forget->callback([&, task] {
    run = [&, task] {
      return run_control(options, "forgot " + *task, [&](Client& client) {
        return client.forget_task(*task, options.timeout());
      });
    };
  });
}

}  // namespace troupe::cli
