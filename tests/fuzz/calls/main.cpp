#include <sys/resource.h>

#include <cstdio>

#include <CLI/CLI.hpp>

#include "troupe/apps/swarm/process_pool.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/fuzz/calls/call_check.hpp"
#include "troupe/tests/temporary_folder.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace {

using namespace troupe;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr auto about =
    R"(Runs random calls of all ops on a CPU device: recorded ones with some attributes,
shapes, dtypes and elements changed, and others that the definitions of the ops
allow. Whatever a call says, its answer is a value as inferred, or an error with
a canonical code: no crash, no hang, no memory beyond the limit, no element that
nobody set.
)";

constexpr auto examples =
    R"(Examples:
  Ten thousand calls:
    call_fuzz
  An hour of calls that were not tried before:
    call_fuzz --minutes 60 --first-seed 5000000
  Calls of one op; and one call, printed and in this process, as for a debugger:
    call_fuzz --op StridedSlice --seeds 1000
    call_fuzz --op StridedSlice --seed 17

Exit codes: 0 no fault, 1 a fault, 2 wrong flags.)";

/// The command line.
struct Settings {
  std::optional<uint64_t> seeds;
  std::optional<double> minutes;
  uint64_t first_seed = 1;
  int jobs = 1;
  std::optional<uint64_t> seed;
  std::string op;
};

/// Each flag is declared here and nowhere else: name, default, unit and meaning.
void declare_flags(CLI::App& app, Settings& settings) {
  app.add_option("--seeds", settings.seeds)
      ->type_name("N")
      ->description("How many calls; 10000, unless --minutes is given");
  app.add_option("--minutes", settings.minutes)
      ->type_name("M")
      ->check(CLI::PositiveNumber.description(""))
      ->description("Start no call after that time");
  app.add_option("--first-seed", settings.first_seed)
      ->type_name("S")
      ->capture_default_str()
      ->description("The first seed; each determines a call");
  app.add_option("--jobs", settings.jobs)
      ->type_name("J")
      ->check(CLI::Range(1, 4096).description(""))
      ->capture_default_str()
      ->description("Worker processes");
  app.add_option("--op", settings.op)->type_name("NAME")->description("Only calls of that op");
  app.add_option("--seed", settings.seed)
      ->type_name("S")
      ->description("Run only that seed, in this process, and print it");
  app.set_help_flag("--help,-h", "Print this and exit");
  app.get_formatter()->column_width(28);
  app.footer(examples);
}

/// What does not come from the device's memory must be little, too. (A sanitizer reserves
/// terabytes of addresses.)
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t bytes_max = rlim_t{4} << 30;
  rlimit limit{bytes_max, bytes_max};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
}

swarm::ChildProcess::Test make_test(
    const fuzz::CallSource& source, const std::shared_ptr<const OpCatalog>& catalog) {
  std::shared_ptr<Device> device = make_cpu_device({.threads = 2});
  return [&source, catalog, device](uint64_t seed) {
    return fuzz::fault_of(source.draw(seed), catalog, *device);
  };
}

int run_seed(
    const fuzz::CallSource& source, const std::shared_ptr<const OpCatalog>& catalog,
    uint64_t seed) {
  std::printf("%s\n", source.draw(seed).to_string().c_str());
  std::fflush(stdout);
  auto fault = make_test(source, catalog)(seed);
  std::puts(fault.empty() ? "all is well" : fault.c_str());
  return fault.empty() ? 0 : exit_failed;
}

swarm::SwarmOptions options_of(const Settings& settings) {
  constexpr uint64_t seeds_by_default = 10000;
  swarm::SwarmOptions options{.first_seed = settings.first_seed, .processes = settings.jobs};
  options.seed_timeout = testing::stretched(std::chrono::seconds(20));
  options.seeds = settings.seeds;
  if (settings.minutes)
    options.time = std::chrono::seconds(static_cast<int64_t>(*settings.minutes * 60));
  else if (!settings.seeds) options.seeds = seeds_by_default;
  return options;
}

int run_seeds(
    const fuzz::CallSource& source, const std::shared_ptr<const OpCatalog>& catalog,
    const Settings& settings) {
  size_t printed = 0;
  auto results = swarm::run_seeds(
      options_of(settings),
      [&] {
        limit_memory();
        return make_test(source, catalog);
      },
      [&](const swarm::SeedResults& so_far) {
        for (; printed < so_far.failed.size(); ++printed) {
          const auto& [seed, text] = so_far.failed[printed];
          std::printf(
              "seed %lu: %s\n  %s\n\n", seed, source.draw(seed).to_string().c_str(), text.c_str());
          std::fflush(stdout);
        }
      });
  std::printf("%lu calls, %zu faults\n", results.done, results.failed.size());
  return results.failed.empty() ? 0 : exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(about, "call_fuzz");
  declare_flags(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "call_fuzz: %s; see call_fuzz --help\n", error.what());
    return exit_usage;
  }
  // Some ops write files.
  testing::TemporaryFolder folder;
  std::filesystem::current_path(folder.path());
  std::shared_ptr<const OpCatalog> catalog = op_catalog();
  fuzz::CallSource source(*catalog, settings.op);
  if (source.empty()) {
    std::fprintf(stderr, "call_fuzz: there is no op '%s'\n", settings.op.c_str());
    return exit_usage;
  }
  return settings.seed ? run_seed(source, catalog, *settings.seed)
                       : run_seeds(source, catalog, settings);
}
