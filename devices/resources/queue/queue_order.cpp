#include "troupe/devices/resources/queue/queue_order.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <utility>

#include "troupe/devices/cpu/random/philox.hpp"

namespace troupe {
namespace {

class FifoOrder final : public QueueOrder {
  /// What is put back belongs near the front.
  void add(QueueRun run) override {
    if (runs_.empty() || runs_.back().position < run.position) {
      runs_.push_back(std::move(run));
      return;
    }
    auto behind = std::ranges::upper_bound(runs_, run.position, {}, &QueueRun::position);
    runs_.insert(behind, std::move(run));
  }

  QueueRun take_some(int64_t most) override {
    auto is_last = runs_.front().count <= most;
    auto taken = runs_.front().take(most);
    if (is_last) runs_.pop_front();
    return taken;
  }

  std::deque<QueueRun> runs_;
};

cpu::Philox random_start(const QueueSpec& spec) {
  if (spec.seed != 0 || spec.seed2 != 0)
    return {static_cast<uint64_t>(spec.seed), static_cast<uint64_t>(spec.seed2)};
  std::random_device device;
  auto seed = [&device] { return uint64_t{device()} << 32 | device(); };
  return {seed(), seed()};
}

/// Takes the random numbers, and moves the last element into each gap, as TensorFlow does: one seed
/// gives one order.
class RandomOrder final : public QueueOrder {
 public:
  explicit RandomOrder(const QueueSpec& spec) : numbers_(random_start(spec)) {}

 private:
  void add(QueueRun run) override { runs_.push_back(std::move(run)); }

  QueueRun take_some(int64_t) override {
    auto& chosen = runs_[numbers_.next() % runs_.size()];
    std::swap(chosen, runs_.back());
    auto taken = std::move(runs_.back());
    runs_.pop_back();
    return taken;
  }

  std::vector<QueueRun> runs_;
  cpu::PhiloxNumbers numbers_;
};

/// Elements of one priority keep the order in which they came.
class PriorityOrder final : public QueueOrder {
  void add(QueueRun run) override {
    std::pair key(run.components[0].value<int64_t>(), run.position);
    runs_.emplace(key, std::move(run));
  }

  QueueRun take_some(int64_t) override {
    auto first = runs_.begin();
    auto taken = std::move(first->second);
    runs_.erase(first);
    return taken;
  }

  std::map<std::pair<int64_t, int64_t>, QueueRun> runs_;  // by priority and position
};

}  // namespace

void QueueOrder::push(QueueRun run) {
  size_ += run.count;
  bytes_ += run.bytes();
  run.position = std::exchange(next_position_, next_position_ + run.count);
  add(std::move(run));
}

void QueueOrder::take(int64_t count, QueueRuns& to) {
  while (count > 0) {
    to.push_back(take_some(count));
    count -= to.back().count;
    size_ -= to.back().count;
    bytes_ -= to.back().bytes();
  }
}

void QueueOrder::put_back(QueueRuns runs) {
  for (auto& run : runs) {
    size_ += run.count;
    bytes_ += run.bytes();
    add(std::move(run));
  }
}

std::unique_ptr<QueueOrder> make_queue_order(const QueueSpec& spec) {
  switch (spec.kind) {
    case QueueKind::fifo:
    case QueueKind::padding_fifo: return std::make_unique<FifoOrder>();
    case QueueKind::random_shuffle: return std::make_unique<RandomOrder>(spec);
    case QueueKind::priority: return std::make_unique<PriorityOrder>();
  }
  CHECK(false);
}

}  // namespace troupe
