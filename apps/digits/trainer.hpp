#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "troupe/apps/digits/dataset.hpp"
#include "troupe/apps/digits/model.hpp"
#include "troupe/apps/digits/workers.hpp"
#include "troupe/graph/train/monitored_session.hpp"

namespace troupe::digits {

/// What one worker trains with: graph, session and rows.
struct Trainer {
  Model model;
  std::unique_ptr<train::MonitoredSession> session;
  Digits rows;
};

/// How lost tasks are handled.
struct RecoveryOptions {
  std::string checkpoint_folder;  // empty: no recovery, the first lost task ends the training
  int64_t save_steps;             // global steps from one checkpoint to the next
  std::chrono::milliseconds give_up_after;

  bool is_on() const { return !checkpoint_folder.empty(); }
};

struct TrainersOptions {
  Optimizer optimizer;
  int64_t seed;
  RecoveryOptions recovery;
};

/// Makes a trainer for each worker; the first is the chief, which initializes and saves the
/// variables. Continues from the latest checkpoint of the folder; without one, initializes the
/// variables even if they have values.
Result<std::vector<Trainer>> make_trainers(
    Workers& workers, std::vector<Digits> parts, const TrainersOptions& options, train::Host& host);

}  // namespace troupe::digits
