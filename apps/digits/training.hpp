#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "troupe/apps/digits/stoppable_host.hpp"
#include "troupe/apps/digits/trainer.hpp"
#include "troupe/apps/digits/workers.hpp"

namespace troupe::digits {

struct TrainingOptions {
  int epochs;
  int batch;  // rows of a step
  uint64_t seed;
  bool is_recovered;  // lost tasks are waited for, so the chief stays until all have ended
};

/// How far a training has come.
struct Progress {
  size_t epochs_before = 0;    // that an earlier run has done
  std::vector<double> losses;  // of each epoch that all workers have finished: the mean over rows
  double loss = 0;             // of the steps since then; before the first, 0
  int64_t steps = 0;
  int64_t steps_in_all = 0;
  double seconds = 0;

  double steps_per_second() const { return seconds > 0 ? static_cast<double>(steps) / seconds : 0; }
};

/// Trains asynchronously: a thread for each worker runs steps over its part of the rows, in another
/// order each epoch, and waits for nobody. Epochs that the global step says are done are left out.
/// Calls `show` about ten times a second, from this thread. The first step that fails for good
/// stops all, and is the answer; Cancelled once the host is interrupted.
Result<Progress> train(
    Workers& workers, std::vector<Trainer>& trainers, const TrainingOptions& options,
    StoppableHost& host, const std::function<void(const Progress&)>& show);

}  // namespace troupe::digits
