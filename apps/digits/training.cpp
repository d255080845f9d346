#include "troupe/apps/digits/training.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace troupe::digits {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds draw_period{100};
// After a stop, steps that are under way get that long before they are cancelled.
constexpr milliseconds stop_grace{1000};

/// The sum of losses over rows.
struct LossSum {
  double loss = 0;
  int64_t rows = 0;

  void add(double mean_loss, int64_t row_count) {
    loss += mean_loss * static_cast<double>(row_count);
    rows += row_count;
  }
  void add(const LossSum& other) {
    loss += other.loss;
    rows += other.rows;
  }
  double mean() const { return rows > 0 ? loss / static_cast<double>(rows) : 0; }
};

/// What the workers' threads write down while they train. Thread-safe.
class Record {
 public:
  Record(size_t worker_count, int epochs, int64_t steps_in_all)
      : sums_(worker_count, std::vector<LossSum>(static_cast<size_t>(epochs))),
        epochs_done_(worker_count),
        running_(worker_count),
        steps_in_all_(steps_in_all) {}

  void step_done(size_t worker, size_t epoch, double loss, int64_t rows) {
    std::lock_guard lock(mutex_);
    sums_[worker][epoch].add(loss, rows);
    ++steps_;
  }

  void epoch_done(size_t worker) {
    std::lock_guard lock(mutex_);
    ++epochs_done_[worker];
  }

  void worker_ended(const Status& status) {
    std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
    if (!status.ok()) stopped_ = true;
    --running_;
    changed_.notify_all();
  }

  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }

  /// Waits for the end of all workers, at most that long; true if they have ended.
  bool wait(milliseconds most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, [this] { return running_ == 0; });
  }

  /// The first error.
  Status status() const {
    std::lock_guard lock(mutex_);
    return status_;
  }

  Progress progress() const {
    std::lock_guard lock(mutex_);
    Progress progress;
    auto epochs_done = std::ranges::min(epochs_done_);
    for (size_t epoch = 0; epoch < epochs_done; ++epoch)
      progress.losses.push_back(sum_of(epoch).mean());
    if (epochs_done < sums_[0].size()) progress.loss = sum_of(epochs_done).mean();
    progress.steps = steps_;
    progress.steps_in_all = steps_in_all_;
    progress.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return progress;
  }

 private:
  LossSum sum_of(size_t epoch) const {
    LossSum sum;
    for (const auto& worker : sums_) sum.add(worker[epoch]);
    return sum;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<LossSum>> sums_;  // by worker, then epoch: sums do not depend on timing
  std::vector<size_t> epochs_done_;         // by worker
  size_t running_;
  int64_t steps_ = 0;
  const int64_t steps_in_all_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<bool> stopped_ = false;
  Status status_;
};

int64_t steps_of_epoch(const Digits& part, int batch) {
  return (static_cast<int64_t>(part.size()) + batch - 1) / batch;
}

/// One worker's training, from its first epoch to its last.
Status train_worker(
    size_t worker, Session& session, const Model& model, Digits digits,
    const TrainingOptions& options, Record& record) {
  std::seed_seq seeds{options.seed, static_cast<uint64_t>(worker)};
  std::mt19937_64 random(seeds);
  auto batch_size = static_cast<size_t>(options.batch);
  for (size_t epoch = 0; epoch < static_cast<size_t>(options.epochs); ++epoch) {
    std::ranges::shuffle(digits, random);
    std::span<const Digit> rest = digits;
    while (!rest.empty()) {
      if (record.is_stopped()) return {};
      auto rows = rest.first(std::min(batch_size, rest.size()));
      rest = rest.subspan(rows.size());
      auto batch = make_batch(rows);
      auto fetched = session.run(
          {{model.images, batch.images}, {model.labels, batch.labels}}, {model.loss},
          {model.train});
      if (!fetched) return fetched.status();
      record.step_done(
          worker, epoch, (*fetched)[0].value<float>(), static_cast<int64_t>(rows.size()));
    }
    record.epoch_done(worker);
  }
  return {};
}

/// Shows the progress until all workers have ended.
void watch(
    Record& record, Workers& workers, const std::function<void(const Progress&)>& show,
    const std::atomic<bool>& interrupted) {
  while (!record.wait(draw_period)) {
    if (interrupted) record.stop();
    if (record.is_stopped()) break;
    show(record.progress());
  }
  // The steps that nothing else ends are ended by closing their sessions. How that went adds
  // nothing to the reason for the stop.
  if (!record.wait(stop_grace)) static_cast<void>(workers.close());
}

}  // namespace

Result<Progress> train(
    Workers& workers, const std::vector<Model>& models, const std::vector<Digits>& parts,
    const TrainingOptions& options, const std::function<void(const Progress&)>& show,
    const std::atomic<bool>& interrupted) {
  int64_t steps_in_all = 0;
  for (const auto& part : parts)
    steps_in_all += options.epochs * steps_of_epoch(part, options.batch);
  Record record(models.size(), options.epochs, steps_in_all);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < models.size(); ++i)
      threads.emplace_back([&, i] {
        auto& session = workers.session(static_cast<int>(i));
        record.worker_ended(train_worker(i, session, models[i], parts[i], options, record));
      });
    watch(record, workers, show, interrupted);
  }
  if (interrupted)
    return cancelled("interrupted after " + std::to_string(record.progress().steps) + " steps");
  if (!record.status().ok()) return record.status();
  auto progress = record.progress();
  show(progress);
  return progress;
}

}  // namespace troupe::digits
