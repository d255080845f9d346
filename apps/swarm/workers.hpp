#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "troupe/apps/swarm/worker.hpp"

namespace troupe::swarm {

struct Assignment {
  uint64_t first_seed = 1;
  std::optional<uint64_t> seeds;             // absent: as many as there is time for
  std::optional<std::chrono::seconds> time;  // to begin new seeds in; absent: any
  bool stop_at_failure = false;              // begin none after the first that failed
  int workers = 1;
  std::chrono::seconds patience{60};  // with one seed
};

/// A seed with which something is wrong, in words.
struct FailedSeed {
  uint64_t seed;
  std::string text;
};

struct Tally {
  uint64_t done = 0;
  std::vector<FailedSeed> failed;
};

/// Has the workers work on all the seeds, or until SIGINT comes. A worker that crashes, or is
/// silent for too long, is a failure of its seed, and another takes its place. `watch` is called
/// with what is done so far, after each seed and now and then.
Tally work_on_seeds(
    const Assignment& assignment, const Worker::Begin& begin,
    const std::function<void(const Tally&)>& watch);

}  // namespace troupe::swarm
