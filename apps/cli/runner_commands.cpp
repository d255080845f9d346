#include <cstdio>

#include "troupe/apps/cli/command.hpp"

namespace troupe::cli {
namespace {

Json json_of(const ListedRunner& runner) {
  return {
      {"name", runner.name.name},
      {"container", runner.name.container},
      {"task", runner.task},
      {"state", to_string(runner.state)},
      {"age_ms", runner.age.count()},
      {"steps", runner.steps},
      {"failures", runner.failures},
      {"last_error", runner.last_error.ok() ? Json() : to_json(runner.last_error)},
      {"error", runner.status.ok() ? Json() : to_json(runner.status)}};
}

void print_runner(const ListedRunner& runner) {
  auto container = runner.name.container.empty() ? "" : " of container " + runner.name.container;
  std::printf(
      "%s%s  on %s  %s\n", paint(Colour::bold, runner.name.name).c_str(), container.c_str(),
      runner.task.c_str(), runner_text(runner).c_str());
}

int run_list(const Options& options) {
  auto client = connect(options);
  if (!client) return fail(client.status());
  auto list = (*client)->list_runners(options.timeout());
  if (!list) return fail(list.status());
  for (const auto& runner : list->runners)
    if (options.json) print(json_of(runner));
    else print_runner(runner);
  if (list->runners.empty() && !options.json) std::puts("no runner is left on the cluster");
  for (const auto& missing : list->missing) (void)fail(missing);
  return list->missing.empty() ? 0 : exit_failure;
}

using Act = Status (Client::*)(const ResourceName&, std::chrono::milliseconds);

int run_act(const Options& options, const ResourceName& runner, Act act, const char* done) {
  auto client = connect(options);
  if (!client) return fail(client.status());
  auto status = ((**client).*act)(runner, options.timeout());
  if (!status.ok()) return fail(status);
  auto text = std::string(done) + " " + runner.name;
  if (options.json) print({{"done", text}});
  else std::puts(text.c_str());
  return 0;
}

}  // namespace

std::string runner_text(const ListedRunner& runner) {
  auto text = std::string(to_string(runner.state)) + " for " + age_text(runner.age) + ", " +
              std::to_string(runner.steps) + " steps";
  if (runner.failures > 0) text += ", " + std::to_string(runner.failures) + " failed";
  if (!runner.status.ok()) text += ": " + runner.status.to_string();
  else if (!runner.last_error.ok()) text += "; the last: " + runner.last_error.to_string();
  return text;
}

void add_runner_commands(CLI::App& app, const Options& options, Run& run) {
  auto* runners = app.add_subcommand(
      "runners", "Shows and controls what fills queues for clients that are gone");
  runners->footer(
      "Examples:\n"
      "  troupe runners                # state, steps and the last error of each\n"
      "  troupe runners pause input    # it starts no steps until: troupe runners resume input");
  runners->fallthrough();
  runners->require_subcommand(0, 1);
  runners->callback([&, runners] {
    if (runners->get_subcommands().empty()) run = [&] { return run_list(options); };
  });
  runners->add_subcommand("ls", "Shows them")->callback([&] {
    run = [&] { return run_list(options); };
  });
  struct Verb {
    const char* name;
    const char* about;
    Act act;
    const char* done;
  };
  for (const auto& verb :
       {Verb{
            "pause", "Lets the steps of one end, and starts no more", &Client::pause_runner,
            "paused"},
        Verb{"resume", "Has one go on where it was", &Client::resume_runner, "resumed"},
        Verb{"stop", "Ends one for good, and frees its name", &Client::stop_runner, "stopped"}}) {
    auto* command = runners->add_subcommand(verb.name, verb.about);
    auto runner = std::make_shared<ResourceName>();
    command->add_option("NAME", runner->name, "as runners ls shows it")->required();
    command->add_option("--container", runner->container, "the container that it belongs to");
    command->footer(std::string("Example: troupe runners ") + verb.name + " input");
    command->callback([&, verb, runner] {
      run = [&, verb, runner] { return run_act(options, *runner, verb.act, verb.done); };
    });
  }
}

}  // namespace troupe::cli
