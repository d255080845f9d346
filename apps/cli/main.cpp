#include <algorithm>
#include <csignal>

#include "troupe/apps/cli/command.hpp"

namespace {

constexpr auto about =
    R"(Starts, shows and controls Troupe clusters.
)";

constexpr auto footer =
    R"(A command talks to one node, which knows the rest of its cluster. --json prints JSON,
an object a line where there may be many. Exit codes: 0 well, 1 failed or something does
not answer, 2 wrong words.

Examples:
  troupe launch ps=1 worker=2           # a cluster on this machine, until Ctrl-C
  troupe --target 127.0.0.1:2222 ls     # in another terminal: its target, as launch says
  troupe explain                        # with TROUPE_TARGET set: why does my step hang?)";

}  // namespace

int main(int argc, char** argv) {
  using namespace troupe::cli;
  std::signal(SIGPIPE, SIG_IGN);
  // What follows -- is a program's own.
  std::vector<std::string> words(argv + 1, argv + argc), program;
  if (auto end = std::find(words.begin(), words.end(), "--"); end != words.end()) {
    program.assign(end + 1, words.end());
    words.erase(end, words.end());
    if (program.empty() || std::find(words.begin(), words.end(), "launch") == words.end())
      return fail(troupe::invalid_argument(
          "-- stands before the program of a launch, as in: troupe launch worker=2 -- PROGRAM"));
  }
  Options options;
  Run run;
  CLI::App app(about, "troupe");
  app.footer(footer);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", TROUPE_VERSION);
  app.add_option("--target,-t", options.target, "a node, as HOST:PORT (127.0.0.1:2222)")
      ->envname("TROUPE_TARGET");
  app.add_option("--timeout", options.timeout_s, "seconds to wait for answers (5)")
      ->check(CLI::Range(0.001, 86400.0).description(""));
  app.add_flag("--json", options.json, "print JSON");
  add_launch_command(app, options, program, run);
  add_listing_commands(app, options, run);
  add_waiting_commands(app, options, run);
  add_step_commands(app, options, run);
  add_control_commands(app, options, run);
  add_runner_commands(app, options, run);
  add_doctor_command(app, options, run);
  add_ops_command(app, options, run);
  add_certificate_command(app, run);
  add_completion_command(app, run);
  try {
    std::reverse(words.begin(), words.end());  // as the parser takes them
    app.parse(words);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return fail(troupe::invalid_argument(std::string(error.what()) + "; see troupe --help"));
  }
  return run();
}
