#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "troupe/apps/digits/dataset.hpp"
#include "troupe/apps/digits/model.hpp"
#include "troupe/apps/digits/workers.hpp"

namespace troupe::digits {

struct TrainingOptions {
  int epochs;
  int batch;  // rows of a step
  uint64_t seed;
};

/// How far a training has come.
struct Progress {
  std::vector<double> losses;  // of each epoch that all workers have finished: the mean over rows
  double loss = 0;             // of the steps since then; before the first, 0
  int64_t steps = 0;
  int64_t steps_in_all = 0;
  double seconds = 0;

  double steps_per_second() const { return seconds > 0 ? static_cast<double>(steps) / seconds : 0; }
};

/// Trains asynchronously: a thread for each worker runs steps over its part of the rows, in another
/// order each epoch, and waits for nobody. Calls `show` about ten times a second, from this thread.
/// The first step that fails stops all, and is the answer; Cancelled once `interrupted` is set.
Result<Progress> train(
    Workers& workers, const std::vector<Model>& models, const std::vector<Digits>& parts,
    const TrainingOptions& options, const std::function<void(const Progress&)>& show,
    const std::atomic<bool>& interrupted);

}  // namespace troupe::digits
