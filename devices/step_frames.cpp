#include "troupe/devices/step_frames.hpp"

#include <string_view>

namespace troupe {
namespace {

/// The same on all devices of a step, whatever their programs were built with (FNV-1a).
class FrameHash {
 public:
  void add(std::string_view bytes) {
    for (auto byte : bytes) hash_ = (hash_ ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  void add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) hash_ = (hash_ ^ (number >> shift & 0xff)) * prime;
  }
  /// Never 0, which is what is in no loop.
  uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  static constexpr uint64_t prime = 0x100000001b3;
  uint64_t hash_ = 0xcbf29ce484222325;
};

uint64_t id_of(const Plan::Frame& frame, const FrameIteration& around) {
  FrameHash hash;
  hash.add(around.frame);
  hash.add(static_cast<uint64_t>(around.iteration));
  hash.add(frame.name);
  return hash.value();
}

std::span<const uint64_t> counts_of(const Plan& plan, const Plan::Frame& frame) {
  return std::span(plan.initial_counts())
      .subspan(static_cast<size_t>(frame.first_item), static_cast<size_t>(frame.item_count));
}

}  // namespace

Iteration::Iteration(
    const Plan& plan, const Plan::Frame& frame, FrameIteration at, StepFrame* step_frame)
    : frame_(frame),
      step_frame_(step_frame),
      at_(at),
      slots_(static_cast<size_t>(frame.slot_count)),
      counts_(counts_of(plan, frame), frame.first_item) {
  for (const auto& [slot, value] : frame.constants) this->slot(slot) = value;
}

void Iteration::begin(const Plan& plan, int64_t number, int32_t units) {
  at_.iteration = number;
  units_.store(units, std::memory_order_relaxed);
  if (number == 0) return;
  for (auto& slot : slots_) slot = Tensor();
  for (const auto& [slot, value] : frame_.constants) this->slot(slot) = value;
  counts_.reset(counts_of(plan, frame_));
}

StepFrames::StepFrames(const Plan& plan)
    : plan_(plan), root_(plan, plan.frames()[0], {}, nullptr) {}

Iteration& StepFrames::begin_iteration(StepFrame& frame, int32_t units) {
  auto number = frame.first_ + static_cast<int64_t>(frame.running_.size());
  std::unique_ptr<Iteration> iteration;
  if (frame.unused_.empty()) {
    iteration =
        std::make_unique<Iteration>(plan_, frame.frame_, FrameIteration{frame.id_, number}, &frame);
  } else {
    iteration = std::move(frame.unused_.back());
    frame.unused_.pop_back();
  }
  iteration->begin(plan_, number, units);
  frame.dead_exits_.clear();  // they were not those of the last iteration
  return *frame.running_.emplace_back(std::move(iteration));
}

/// The loop, which begins when the first of its Enters is reached. Its first iteration cannot end
/// before the last one was.
StepFrame& StepFrames::frame_of(Iteration& from, const Plan::NodeItem& item) {
  auto& frame = from.inside_[item.output_frame];
  if (frame) return *frame;
  const auto& of_plan = plan_.frames()[static_cast<size_t>(item.output_frame)];
  frame = std::make_unique<StepFrame>(of_plan, id_of(of_plan, from.at()), from);
  begin_iteration(*frame, of_plan.enter_count);
  from.hold(/*alone=*/false);
  return *frame;
}

Iteration& StepFrames::enter(Iteration& from, const Plan::NodeItem& item) {
  std::lock_guard lock(mutex_);
  return *frame_of(from, item).running_.front();
}

std::vector<Iteration*> StepFrames::enter_all(Iteration& from, const PassedValue& invariant) {
  std::lock_guard lock(mutex_);
  auto& frame = frame_of(from, *invariant.item);
  frame.invariants_.push_back(invariant);
  std::vector<Iteration*> running;
  for (const auto& iteration : frame.running_) running.push_back(iteration.get());
  return running;
}

Iteration* StepFrames::next(
    Iteration& from, const PassedValue& passed, std::vector<PassedValue>& first, bool alone) {
  auto lock = lock_unless(alone);
  auto& frame = *from.frame();
  auto index = static_cast<size_t>(from.at().iteration + 1 - frame.first_);
  if (index < frame.running_.size()) return frame.running_[index].get();
  if (static_cast<int64_t>(frame.running_.size()) >= frame.frame_.parallel_iterations) {
    frame.deferred_.push_back(passed);
    return nullptr;
  }
  first = frame.invariants_;
  return &begin_iteration(frame, 0);
}

void StepFrames::note_dead_exit(Iteration& from, const Plan::NodeItem& item, bool alone) {
  auto lock = lock_unless(alone);
  auto& frame = *from.frame();
  if (frame.running_.back().get() == &from) frame.dead_exits_.push_back(&item);
}

StepFrames::End StepFrames::end_node_of(Iteration& iteration, bool alone) {
  auto lock = lock_unless(alone);
  if (iteration.give_up(alone) > 1) return {};
  auto& frame = *iteration.frame();
  while (!frame.running_.empty() && frame.running_.front()->units_.load() == 0) {
    frame.unused_.push_back(std::move(frame.running_.front()));
    frame.running_.pop_front();
    ++frame.first_;
    if (frame.deferred_.empty()) continue;
    End end{.begun = &begin_iteration(frame, 1), .passed = frame.invariants_, .ended = nullptr};
    for (auto& passed : frame.deferred_) end.passed.push_back(std::move(passed));
    frame.deferred_.clear();
    return end;
  }
  if (!frame.running_.empty()) return {};
  return {.begun = nullptr, .passed = {}, .ended = &frame};
}

Iteration& StepFrames::end_frame(StepFrame& frame) {
  std::lock_guard lock(mutex_);
  auto& around = frame.around_;
  std::erase_if(around.inside_, [&](const auto& item) { return item.second.get() == &frame; });
  return around;
}

void StepFrames::clear() {
  root_.inside_.clear();
  root_.clear();
}

}  // namespace troupe
