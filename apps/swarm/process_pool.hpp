#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "troupe/apps/swarm/child_process.hpp"

namespace troupe::swarm {

struct SwarmOptions {
  uint64_t first_seed = 1;
  std::optional<uint64_t> seeds;             // how many; absent: until the time is over
  std::optional<std::chrono::seconds> time;  // no seed is started after it; absent: unlimited
  bool stop_at_failure = false;              // start no seed after the first failure
  int processes = 1;
  std::chrono::seconds seed_timeout{60};
};

/// A seed whose test failed, with the text of the failure.
struct FailedSeed {
  uint64_t seed;
  std::string text;
};

/// The results of the seeds tested so far; `failed` is in the order in which they failed, and by
/// seed at the end.
struct SeedResults {
  uint64_t done = 0;
  std::vector<FailedSeed> failed;
};

/// Tests all seeds on a pool of child processes, until SIGINT. A process that crashes, or takes
/// longer than `seed_timeout`, fails its seed and is replaced. Calls `watch` with the results so
/// far after each seed, and ten times a second, also after the last.
SeedResults run_seeds(
    const SwarmOptions& options, const ChildProcess::MakeTest& make_test,
    const std::function<void(const SeedResults&)>& watch);

}  // namespace troupe::swarm
