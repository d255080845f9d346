#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>

#include "troupe/apps/swarm/progress.hpp"
#include "troupe/apps/swarm/scenario.hpp"
#include "troupe/apps/swarm/workers.hpp"

namespace {

using namespace troupe;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr uint64_t seeds_by_default = 1000;

constexpr auto about =
    R"(Looks for bugs with many small simulated clusters, each of which follows from a
number, its seed: clients run random graphs on it while tasks crash and freeze,
links break and messages are late. Results, counters, errors and what is left in
the end must be right. What is wrong is shown with the messages before it and the
shortest script of faults that shows it, as C++ for a test.
)";

constexpr auto examples =
    R"(Examples:
  A thousand seeds:
    troupe-swarm
  As many as there is time for in ten minutes, from a seed that nobody tried yet:
    troupe-swarm --minutes 10 --first-seed 5000000
  One seed again, with each step of each client:
    troupe-swarm --seed 1726
  Is a seed really all that a history depends on?
    troupe-swarm --seeds 200 --verify

The progress is shown on standard error, all else on standard output.

Exit codes: 0 all is well, 1 a seed failed, 2 wrong flags.)";

/// What the command line says.
struct Settings {
  std::optional<uint64_t> seeds;
  std::optional<double> minutes;
  uint64_t first_seed = 1;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::optional<uint64_t> seed;
  bool stop_at_failure = false;
  bool verify = false;
};

/// Each flag is declared here and nowhere else: name, default, unit and meaning.
void declare_flags(CLI::App& app, Settings& settings) {
  app.add_option("--seeds", settings.seeds)
      ->type_name("N")
      ->description("How many seeds; 1000, unless --minutes is given");
  app.add_option("--minutes", settings.minutes)
      ->type_name("M")
      ->check(CLI::PositiveNumber.description(""))
      ->description("No new seed is begun after that time");
  app.add_option("--first-seed", settings.first_seed)
      ->type_name("S")
      ->capture_default_str()
      ->description("Seeds count from there");
  app.add_option("--jobs", settings.jobs)
      ->type_name("J")
      ->check(CLI::Range(1, 4096).description(""))
      ->description("Worker processes; one a core, if not given");
  app.add_option("--seed", settings.seed)
      ->type_name("S")
      ->description("Only that seed, in this process and in every detail");
  app.add_flag("--stop-at-failure", settings.stop_at_failure)
      ->description("Begin no new seed after one that failed");
  app.add_flag("--verify", settings.verify)
      ->description("Run each seed twice: both histories must be the same");
  app.set_help_flag("--help,-h", "Print this and exit");
  app.get_formatter()->column_width(28);
  app.footer(examples);
}

/// What is wrong with a seed; empty if nothing is.
std::string test_seed(const sim::Scenario& scenario, uint64_t seed, bool verify) {
  if (verify) {
    auto once = sim::play(scenario, {seed}), again = sim::play(scenario, {seed});
    if (once.trace_hash != again.trace_hash)
      return "seed " + std::to_string(seed) + ": two runs of it differ\n";
  }
  auto finding = sim::check(scenario, {seed});
  return finding ? finding->to_string() : "";
}

int show_seed(uint64_t seed) {
  auto loud = swarm::make_scenario([](const std::string& line) { std::puts(line.c_str()); });
  auto outcome = sim::play(loud, {seed});
  std::puts("\nThe script:");
  for (const auto& fault : outcome.faults) std::printf("  %s\n", fault.to_cpp().c_str());
  std::printf("%lu messages, trace %016lx\n\n", outcome.messages, outcome.trace_hash);
  if (outcome.violation)
    std::printf(
        "%s: %s\n\n%s\n", outcome.violation->name.c_str(), outcome.violation->text.c_str(),
        outcome.diagram.c_str());
  auto wrong = test_seed(swarm::make_scenario(), seed, /*verify=*/true);
  std::puts(wrong.empty() ? "All is well." : wrong.c_str());
  return wrong.empty() ? 0 : exit_failed;
}

swarm::Assignment assign(const Settings& settings) {
  swarm::Assignment assignment{
      .first_seed = settings.first_seed,
      .stop_at_failure = settings.stop_at_failure,
      .workers = settings.jobs};
  assignment.seeds = settings.seeds;
  if (settings.minutes)
    assignment.time = std::chrono::seconds(static_cast<int64_t>(*settings.minutes * 60));
  else if (!settings.seeds) assignment.seeds = seeds_by_default;
  return assignment;
}

swarm::Progress progress_of(
    const swarm::Tally& tally, const swarm::Assignment& assignment, double seconds) {
  swarm::Progress progress{.done = tally.done, .failed = tally.failed.size(), .seconds = seconds};
  if (assignment.time) progress.share = seconds / static_cast<double>(assignment.time->count());
  if (assignment.seeds)
    progress.share = std::max(
        progress.share, static_cast<double>(tally.done) / static_cast<double>(*assignment.seeds));
  if (progress.share > 0) progress.left = std::max(0.0, seconds / progress.share - seconds);
  return progress;
}

int test_seeds(const Settings& settings) {
  auto assignment = assign(settings);
  auto start = std::chrono::steady_clock::now();
  auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  swarm::Tally tally;
  {
    swarm::ProgressBar bar(stderr);
    tally = swarm::work_on_seeds(
        assignment,
        [verify = settings.verify] {
          return [scenario = swarm::make_scenario(), verify](uint64_t seed) {
            return test_seed(scenario, seed, verify);
          };
        },
        [&](const swarm::Tally& so_far) { bar.show(progress_of(so_far, assignment, seconds())); });
  }
  for (const auto& failed : tally.failed) std::printf("%s\n", failed.text.c_str());
  std::printf(
      "%lu seeds from %lu on in %.1f s (%.0f seeds/s): ", tally.done, assignment.first_seed,
      seconds(), static_cast<double>(tally.done) / seconds());
  if (tally.failed.empty()) return std::puts("all is well"), 0;
  std::printf("%zu failed:", tally.failed.size());
  for (const auto& failed : tally.failed) std::printf(" %lu", failed.seed);
  std::puts("");
  return exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(about, "troupe-swarm");
  declare_flags(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "troupe-swarm: %s; see troupe-swarm --help\n", error.what());
    return exit_usage;
  }
  return settings.seed ? show_seed(*settings.seed) : test_seeds(settings);
}
