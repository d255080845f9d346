#pragma once

#include <deque>
#include <span>

#include "troupe/devices/resources/data_flow/awaited_resource.hpp"
#include "troupe/devices/resources/data_flow/staging_limits.hpp"

namespace troupe {

/// Tuples of tensors in the order in which they were put. Who puts waits for room, who takes waits
/// for a tuple; each are served in turn. Thread-safe.
/// (TensorFlow: the buffer of Stage and Unstage.)
class StagingArea final : public AwaitedResource {
 public:
  static constexpr const char* kind_name = "staging area";
  /// Called with a tuple.
  using Taken = std::function<void(Result<Tensors>)>;

  explicit StagingArea(const StagingLimits& limits) : limits_(limits) {}

  const char* kind() const override { return kind_name; }
  Description describe() const override;

  // Each returns what give_up() takes. InvalidArgument: the tuple is not of those dtypes; it stays.
  /// ResourceExhausted: the tuple is larger than the memory limit.
  uint64_t put(Tensors tuple, Done done);
  uint64_t take(DTypes dtypes, Taken taken);
  /// The tuple at that position, as soon as there is one.
  uint64_t peek(int32_t index, DTypes dtypes, Taken taken);

  int32_t size() const;
  Status remove_all();

 private:
  void clear() override;

  const StagingLimits limits_;
  std::deque<Tensors> tuples_;
  int64_t bytes_ = 0;
};

/// InvalidArgument unless the tensors have those dtypes.
Status check_staged(std::span<const Tensor> tensors, const DTypes& dtypes);

}  // namespace troupe
