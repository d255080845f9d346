#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>

#include "troupe/apps/swarm/process_pool.hpp"
#include "troupe/apps/swarm/progress.hpp"
#include "troupe/apps/swarm/scenario.hpp"

namespace {

using namespace troupe;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr uint64_t seeds_by_default = 1000;

constexpr auto about =
    R"(Tests many small simulated clusters, each determined by a number, its seed: clients
run random graphs while tasks crash and freeze, links break and messages are late.
Results, counters and errors are checked, and that nothing leaks. A failure is
printed with the messages before it and the smallest script of faults that causes
it, as C++ for a test.
)";

constexpr auto examples =
    R"(Examples:
  A thousand seeds:
    troupe-swarm
  Ten minutes of seeds that were not tried before:
    troupe-swarm --minutes 10 --first-seed 5000000
  One seed, with each step of each client:
    troupe-swarm --seed 1726
  Check that a history depends on nothing but the seed:
    troupe-swarm --seeds 200 --verify

Progress goes to standard error, everything else to standard output.

Exit codes: 0 no failure, 1 a seed failed, 2 wrong flags.)";

/// The command line.
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
      ->description("Start no seed after that time");
  app.add_option("--first-seed", settings.first_seed)
      ->type_name("S")
      ->capture_default_str()
      ->description("The first seed");
  app.add_option("--jobs", settings.jobs)
      ->type_name("J")
      ->check(CLI::Range(1, 4096).description(""))
      ->description("Worker processes; one a core, if not given");
  app.add_option("--seed", settings.seed)
      ->type_name("S")
      ->description("Run only that seed, in this process, and print each step");
  app.add_flag("--stop-at-failure", settings.stop_at_failure)
      ->description("Start no seed after one has failed");
  app.add_flag("--verify", settings.verify)
      ->description("Run each seed twice, and compare the histories");
  app.set_help_flag("--help,-h", "Print this and exit");
  app.get_formatter()->column_width(28);
  app.footer(examples);
}

/// Tests a seed: the text of the failure, empty if there is none.
std::string test_seed(const sim::Scenario& scenario, uint64_t seed, bool verify) {
  if (verify) {
    auto once = sim::run_once(scenario, {seed}), again = sim::run_once(scenario, {seed});
    if (once.trace_hash != again.trace_hash)
      return "seed " + std::to_string(seed) + ": two runs of it differ\n";
  }
  auto counterexample = sim::check(scenario, {seed});
  return counterexample ? counterexample->to_string() : "";
}

int show_seed(uint64_t seed) {
  auto logging = swarm::make_scenario([](const std::string& line) { std::puts(line.c_str()); });
  auto outcome = sim::run_once(logging, {seed});
  std::puts("\nThe script:");
  for (const auto& fault : outcome.faults) std::printf("  %s\n", fault.to_cpp().c_str());
  std::printf("%lu messages, trace %016lx\n\n", outcome.messages, outcome.trace_hash);
  if (outcome.violation)
    std::printf(
        "%s: %s\n\n%s\n", outcome.violation->name.c_str(), outcome.violation->text.c_str(),
        outcome.diagram.c_str());
  auto failure = test_seed(swarm::make_scenario(), seed, /*verify=*/true);
  std::puts(failure.empty() ? "All is well." : failure.c_str());
  return failure.empty() ? 0 : exit_failed;
}

swarm::SwarmOptions options_of(const Settings& settings) {
  swarm::SwarmOptions options{
      .first_seed = settings.first_seed,
      .stop_at_failure = settings.stop_at_failure,
      .processes = settings.jobs};
  options.seeds = settings.seeds;
  if (settings.minutes)
    options.time = std::chrono::seconds(static_cast<int64_t>(*settings.minutes * 60));
  else if (!settings.seeds) options.seeds = seeds_by_default;
  return options;
}

swarm::Progress progress_of(
    const swarm::SeedResults& results, const swarm::SwarmOptions& options, double seconds) {
  swarm::Progress progress{
      .done = results.done, .failed = results.failed.size(), .seconds = seconds};
  if (options.time) progress.share = seconds / static_cast<double>(options.time->count());
  if (options.seeds)
    progress.share = std::max(
        progress.share, static_cast<double>(results.done) / static_cast<double>(*options.seeds));
  if (progress.share > 0) progress.left = std::max(0.0, seconds / progress.share - seconds);
  return progress;
}

int run_seeds(const Settings& settings) {
  auto options = options_of(settings);
  auto start = std::chrono::steady_clock::now();
  auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  swarm::SeedResults results;
  {
    swarm::ProgressBar bar(stderr);
    results = swarm::run_seeds(
        options,
        [verify = settings.verify] {
          return [scenario = swarm::make_scenario(), verify](uint64_t seed) {
            return test_seed(scenario, seed, verify);
          };
        },
        [&, shown = size_t{0}](const swarm::SeedResults& so_far) mutable {
          for (; shown < so_far.failed.size(); ++shown) {
            bar.clear();
            std::printf("%s\n", so_far.failed[shown].text.c_str());
            std::fflush(stdout);
          }
          bar.show(progress_of(so_far, options, seconds()));
        });
  }
  std::printf(
      "%lu seeds from %lu on in %.1f s (%.0f seeds/s): ", results.done, options.first_seed,
      seconds(), static_cast<double>(results.done) / seconds());
  if (results.failed.empty()) return std::puts("all is well"), 0;
  std::printf("%zu failed:", results.failed.size());
  for (const auto& failed : results.failed) std::printf(" %lu", failed.seed);
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
  return settings.seed ? show_seed(*settings.seed) : run_seeds(settings);
}
