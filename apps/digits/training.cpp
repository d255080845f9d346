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

constexpr milliseconds show_period{100};
// How often a chief that is done checks for lost variables.
constexpr milliseconds recovery_check_period{100};
// After a stop, pending steps are cancelled after this.
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

/// Collects losses, counts and errors from the threads of the workers. Thread-safe.
class TrainingRecord {
 public:
  TrainingRecord(size_t worker_count, size_t epochs, size_t epochs_before, StoppableHost& host)
      : host_(host),
        epochs_before_(epochs_before),
        sums_(worker_count, std::vector<LossSum>(epochs - epochs_before)),
        epochs_done_(worker_count),
        running_(worker_count) {}

  size_t epochs_before() const { return epochs_before_; }
  size_t epochs() const { return epochs_before_ + sums_[0].size(); }
  void expect(int64_t steps) { steps_in_all_ += steps; }

  void step_done(size_t worker, size_t epoch, double loss, int64_t rows) {
    std::lock_guard lock(mutex_);
    sums_[worker][epoch - epochs_before_].add(loss, rows);
    ++steps_;
  }

  void epoch_done(size_t worker) {
    std::lock_guard lock(mutex_);
    ++epochs_done_[worker];
  }

  void worker_ended(const Status& status) {
    std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
    if (!status.ok()) host_.stop();
    --running_;
    changed_.notify_all();
  }

  bool is_stopped() const { return host_.is_stopped(); }
  bool are_all_others_done() const {
    std::lock_guard lock(mutex_);
    return running_ <= 1;
  }

  /// Waits until all workers have ended, at most `most`; true if they have.
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
    Progress progress{.epochs_before = epochs_before_};
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

  StoppableHost& host_;
  const size_t epochs_before_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<LossSum>> sums_;  // by worker, then epoch: sums do not depend on timing
  std::vector<size_t> epochs_done_;         // by worker
  size_t running_;
  int64_t steps_ = 0;
  int64_t steps_in_all_ = 0;  // of this run
  const Clock::time_point start_ = Clock::now();
  Status status_;
};

int64_t steps_of_epoch(const Digits& part, int batch) {
  return (static_cast<int64_t>(part.size()) + batch - 1) / batch;
}

/// Runs all epochs of one worker.
Status train_worker(
    size_t worker, Trainer& trainer, const TrainingOptions& options, TrainingRecord& record) {
  std::seed_seq seeds{options.seed, static_cast<uint64_t>(worker)};
  std::mt19937_64 random(seeds);
  const auto& model = trainer.model;
  auto batch_size = static_cast<size_t>(options.batch);
  for (auto epoch = record.epochs_before(); epoch < record.epochs(); ++epoch) {
    std::ranges::shuffle(trainer.rows, random);
    std::span<const Digit> rest = trainer.rows;
    while (!rest.empty()) {
      if (record.is_stopped()) return {};
      auto rows = rest.first(std::min(batch_size, rest.size()));
      rest = rest.subspan(rows.size());
      auto batch = make_batch(rows);
      auto fetched = trainer.session->run(
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

/// Runs steps of the chief until all other workers are done: only the chief's session restores lost
/// variables.
Status keep_recovering(Trainer& chief, TrainingRecord& record, StoppableHost& host) {
  Status status;
  while (status.ok() && !record.are_all_others_done() && host.wait(recovery_check_period))
    status = chief.session->run({}, {chief.model.global_step}).status();
  return status;
}

/// Shows the progress until all workers have ended.
void watch(
    TrainingRecord& record, Workers& workers, const std::function<void(const Progress&)>& show) {
  while (!record.wait(show_period) && !record.is_stopped()) show(record.progress());
  // Closing the sessions cancels steps that do not end.
  while (!record.wait(stop_grace)) workers.close_all();
}

}  // namespace

Result<Progress> train(
    Workers& workers, std::vector<Trainer>& trainers, const TrainingOptions& options,
    StoppableHost& host, const std::function<void(const Progress&)>& show) {
  auto& chief = trainers[0];
  auto counted = chief.session->run({}, {chief.model.global_step});
  if (!counted) return counted.status();
  int64_t steps_an_epoch = 0;
  for (const auto& trainer : trainers)
    steps_an_epoch += steps_of_epoch(trainer.rows, options.batch);
  auto epochs = static_cast<size_t>(options.epochs);
  auto done = static_cast<size_t>((*counted)[0].value<int64_t>() / steps_an_epoch);
  TrainingRecord record(trainers.size(), epochs, std::min(done, epochs), host);
  record.expect(static_cast<int64_t>(epochs - record.epochs_before()) * steps_an_epoch);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < trainers.size(); ++i)
      threads.emplace_back([&, i] {
        auto status = train_worker(i, trainers[i], options, record);
        if (status.ok() && i == 0 && options.is_recovered)
          status = keep_recovering(chief, record, host);
        record.worker_ended(status);
      });
    watch(record, workers, show);
  }
  if (host.is_interrupted())
    return cancelled("interrupted after " + std::to_string(record.progress().steps) + " steps");
  if (!record.status().ok()) return record.status();
  auto progress = record.progress();
  show(progress);
  return progress;
}

}  // namespace troupe::digits
