#pragma once

#include <deque>

#include "troupe/devices/resources/data_flow/awaited_resource.hpp"
#include "troupe/devices/resources/data_flow/gradient_sum.hpp"

namespace troupe {

/// Adds up gradients until enough of them are there to be taken as one. A gradient that was
/// computed from older values than those that the accumulator waits for is dropped. Thread-safe:
/// gradients are added one at a time, by one thread for all that arrive meanwhile, and no call
/// waits for that with its thread.
/// (TensorFlow: ConditionalAccumulator, SparseConditionalAccumulator.)
class AccumulatorResource final : public AwaitedResource {
 public:
  static constexpr const char* kind_name = "accumulator";
  /// Called with the gradients that were taken, whose result() is left to be computed.
  using Taken = std::function<void(Result<std::shared_ptr<GradientSum>>)>;
  /// Runs that, now or on another thread.
  using Run = std::function<void(std::function<void()>)>;

  explicit AccumulatorResource(std::unique_ptr<GradientSum> sum)
      : options_(sum->options()), sum_(std::move(sum)) {}

  const char* kind() const override { return kind_name; }
  const GradientSum::Options& options() const { return options_; }
  Description describe() const override;

  /// Adds the gradient, unless `local_step` is below the accumulator's step. `run` runs what adds
  /// it, and others that wait for that; `owner` is this.
  void apply(
      int64_t local_step, Tensors gradient, Allocator& allocator, Done done, const Run& run,
      std::shared_ptr<Resource> owner);

  /// Takes what was added, as soon as that is `required` gradients; those who take are served in
  /// turn. The accumulator's step then is one more. Returns what give_up() takes.
  uint64_t take(int32_t required, Taken taken);

  /// Sets the accumulator's step: gradients of older ones are dropped from now on.
  Status set_step(int64_t step);
  int32_t count() const;

 private:
  struct Applied {
    int64_t local_step;
    Tensors gradient;
    Allocator* allocator;
    Done done;
  };

  void clear() override;
  void add_waiting();
  Status add(Applied& applied, std::unique_lock<std::mutex>& lock);

  const GradientSum::Options options_;
  // One thread uses the sum while is_adding_, without the mutex; what is known of it is here.
  std::unique_ptr<GradientSum> sum_;
  bool is_adding_ = false;
  int32_t count_ = 0;
  uint64_t bytes_ = 0;
  int64_t step_ = 0;
  std::deque<Applied> waiting_;  // to be added; each is a running kernel's
  bool has_adder_ = false;       // a thread adds them
};

}  // namespace troupe
