// Do the links between nodes lose or keep anything, however long they run?
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <CLI/CLI.hpp>

#include "troupe/graph/support/text.hpp"
#include "troupe/tests/soak/link_soak.hpp"
#include "troupe/tests/soak/queue_soak.hpp"
#include "troupe/tests/soak/start_soak.hpp"

namespace {

using namespace troupe;
using soak::Settings;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr auto about =
    R"(Runs the links between nodes for a long time: nothing may be lost, wrong, or
kept. Clients have real nodes on the loopback send each other tensors of random
sizes, read variables while others change them, and interrupt some steps. Every
result is checked. The time is divided into rounds; after each, all is freed, and
no node may hold more than after the first.
)";

constexpr auto examples =
    R"(Examples:
  Ten minutes:
    troupe-soak
  An hour over TCP, as if each node were on its own host:
    troupe-soak --seconds 3600 --tcp-only
  Ten minutes of a queue:
    troupe-soak --seconds 0 --queue-seconds 600
  Four servers of one process that connect to each other at once, 200 times:
    troupe-soak --seconds 0 --starts 200

Exit codes: 0 no fault, 1 a fault, 2 wrong flags.)";

/// Replaces a size such as 1.5G by its number of bytes; returns an error text if it is none.
std::string to_bytes(std::string& text) {
  auto bytes = parse_bytes(text);
  if (!bytes) return "'" + text + "' is not a size such as 512MiB or 1.5G";
  text = std::to_string(*bytes);
  return {};
}

/// Each flag is declared here and nowhere else: name, default, unit and meaning.
void declare_flags(CLI::App& app, Settings& settings) {
  auto at_least = [](double least) { return CLI::Range(least, 1e9).description(""); };
  app.add_option("--seconds", settings.seconds)
      ->type_name("S")
      ->check(at_least(0))
      ->capture_default_str()
      ->description("How long steps run over the nodes; 0: not at all");
  app.add_option("--round", settings.round_seconds)
      ->type_name("S")
      ->check(at_least(0.1))
      ->description("The length of a round; a sixth of all, at most 60,\nunless given");
  app.add_option("--nodes", settings.nodes)
      ->type_name("N")
      ->check(CLI::Range(2, 16).description(""))
      ->capture_default_str()
      ->description("Node processes");
  app.add_option("--clients", settings.clients)
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""))
      ->capture_default_str()
      ->description("Client threads, each with a session of its own");
  app.add_option("--max-bytes", settings.max_bytes)
      ->type_name("SIZE")
      ->transform(CLI::Validator(to_bytes, ""))
      ->default_str("1GiB")
      ->description("The largest tensor");
  app.add_option("--in-flight", settings.in_flight)
      ->type_name("SIZE")
      ->transform(CLI::Validator(to_bytes, ""))
      ->description(
          "What all running steps may take together; a third of\nthe memory that is available, "
          "unless given");
  app.add_option("--heartbeat", settings.heartbeat_s)
      ->type_name("S")
      ->check(at_least(0))
      ->capture_default_str()
      ->description(
          "When a silent node counts as lost; 0: never. Nothing may\nbe lost, so this is the "
          "longest stall that is allowed");
  app.add_flag("--tcp-only", settings.tcp_only)
      ->description("Have the nodes use no Unix sockets and no shared memory");
  app.add_option("--starts", settings.starts)
      ->type_name("N")
      ->check(at_least(0))
      ->capture_default_str()
      ->description("So many times, start four servers in this process that\nconnect at once");
  app.add_option("--queue-seconds", settings.queue_seconds)
      ->type_name("S")
      ->check(at_least(0))
      ->capture_default_str()
      ->description(
          "How long producers and consumers on four nodes hand\nelements to each other through a "
          "queue");
  app.add_option("--seed", settings.seed)
      ->type_name("S")
      ->capture_default_str()
      ->description("Determines what each client runs, but not when");
  app.set_help_flag("--help,-h", "Print this and exit");
  app.get_formatter()->column_width(28);
  app.footer(examples);
}

uint64_t available_memory() {
  std::ifstream facts("/proc/meminfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) << 10;
  return 0;
}

void set_what_is_open(Settings& settings) {
  if (settings.in_flight == 0) settings.in_flight = available_memory() / 3;
  if (settings.round_seconds == 0) settings.round_seconds = std::min(settings.seconds / 6, 60.0);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(about, "troupe-soak");
  declare_flags(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "troupe-soak: %s; see troupe-soak --help\n", error.what());
    return exit_usage;
  }
  set_what_is_open(settings);
  if (settings.seconds > 0 && !soak_links(settings)) return exit_failed;
  if (settings.starts > 0 && !soak_starts(settings)) return exit_failed;
  if (settings.queue_seconds > 0 && !soak_queues(settings)) return exit_failed;
  std::puts("No fault.");
  return 0;
}
