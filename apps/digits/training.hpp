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
  bool is_recovered;  // lost tasks are waited for, so the chief runs until all workers are done
};

/// The progress of a training.
struct Progress {
  size_t epochs_before = 0;    // done by an earlier run
  std::vector<double> losses;  // of each epoch that all workers have finished: the mean over rows
  double loss = 0;             // mean of the steps since then; 0 before the first
  int64_t steps = 0;
  int64_t steps_in_all = 0;
  double seconds = 0;

  double steps_per_second() const { return seconds > 0 ? static_cast<double>(steps) / seconds : 0; }
};

/// Trains asynchronously: a thread for each worker runs steps over its rows, shuffled for each
/// epoch, without waiting for the others. Skips the epochs that the global step counts as done.
/// Calls `show` about ten times a second, from this thread. The first step that fails without
/// recovery stops all workers, and its error is returned; Cancelled if the host is interrupted.
Result<Progress> train(
    Workers& workers, std::vector<Trainer>& trainers, const TrainingOptions& options,
    StoppableHost& host, const std::function<void(const Progress&)>& show);

}  // namespace troupe::digits
