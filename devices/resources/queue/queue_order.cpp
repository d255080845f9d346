#include "troupe/devices/resources/queue/queue_order.hpp"

#include <deque>
#include <map>
#include <random>
#include <ranges>

#include "troupe/devices/cpu/random/philox.hpp"

namespace troupe {
namespace {

class FifoOrder final : public QueueOrder {
  void add(QueueRun run) override { runs_.push_back(std::move(run)); }
  void add_first(QueueRun run) override { runs_.push_front(std::move(run)); }

  QueueRun take_some(int64_t most) override {
    auto is_last = runs_.front().count <= most;
    auto taken = runs_.front().take(most);
    if (is_last) runs_.pop_front();
    return taken;
  }

  void remove_all() override { runs_.clear(); }

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
  void add_first(QueueRun run) override { runs_.push_back(std::move(run)); }

  QueueRun take_some(int64_t) override {
    auto& chosen = runs_[numbers_.next() % runs_.size()];
    std::swap(chosen, runs_.back());
    auto taken = std::move(runs_.back());
    runs_.pop_back();
    return taken;
  }

  void remove_all() override { runs_.clear(); }

  std::vector<QueueRun> runs_;
  cpu::PhiloxNumbers numbers_;
};

/// Elements of one priority keep the order in which they came.
class PriorityOrder final : public QueueOrder {
  static int64_t priority_of(const QueueRun& run) { return run.components[0].value<int64_t>(); }

  void add(QueueRun run) override {
    auto priority = priority_of(run);
    runs_.emplace(priority, std::move(run));
  }
  void add_first(QueueRun run) override {
    auto priority = priority_of(run);
    runs_.emplace_hint(runs_.lower_bound(priority), priority, std::move(run));
  }

  QueueRun take_some(int64_t) override {
    auto first = runs_.begin();
    auto taken = std::move(first->second);
    runs_.erase(first);
    return taken;
  }

  void remove_all() override { runs_.clear(); }

  std::multimap<int64_t, QueueRun> runs_;
};

}  // namespace

void QueueOrder::push(QueueRun run) {
  size_ += run.count;
  bytes_ += run.bytes();
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
  for (auto& run : std::views::reverse(runs)) {
    size_ += run.count;
    bytes_ += run.bytes();
    add_first(std::move(run));
  }
}

void QueueOrder::clear() {
  remove_all();
  size_ = 0;
  bytes_ = 0;
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
