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

/// One worker's part: its graph, a session that it trains through, and the rows that it trains on.
struct Trainer {
  Model model;
  std::unique_ptr<train::MonitoredSession> session;
  Digits rows;
};

/// What is done about tasks that die.
struct RecoveryOptions {
  std::string checkpoint_folder;  // empty: the first lost task ends the training
  int64_t save_steps;             // global steps from one checkpoint to the next
  std::chrono::milliseconds give_up_after;

  bool is_on() const { return !checkpoint_folder.empty(); }
};

struct TrainersOptions {
  Optimizer optimizer;
  int64_t seed;
  RecoveryOptions recovery;
};

/// A trainer for each worker; the first is the chief, which gives the variables their values and
/// saves them. A folder with checkpoints is gone on from; without them the training begins anew,
/// whatever values the variables have.
Result<std::vector<Trainer>> make_trainers(
    Workers& workers, std::vector<Digits> parts, const TrainersOptions& options, train::Host& host);

}  // namespace troupe::digits
