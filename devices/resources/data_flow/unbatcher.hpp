#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "troupe/devices/step_port.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

// What belongs to one launch of Batch bears its id. The tensors and ids that wait in one of these
// are bounded by waiting_ids_max.
inline constexpr size_t waiting_ids_max = size_t{1} << 20;

/// Where each launch waits for its piece of a batch, which one of them brings. Thread-safe; no call
/// waits. (TensorFlow: UnbatchResource.)
class UnbatcherResource final : public Resource,
                                public std::enable_shared_from_this<UnbatcherResource> {
 public:
  static constexpr const char* kind_name = "unbatcher";
  using Answered = std::function<void(Result<Tensor>)>;
  using Pieces = std::vector<std::pair<int64_t, Tensor>>;

  /// `timeout`: how long a launch waits for its piece, and a piece for its launch.
  explicit UnbatcherResource(std::chrono::microseconds timeout) : timeout_(timeout) {}

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }
  Description describe() const override { return {.dtype = DType::resource}; }

  /// Answers once with the piece of that id, or with DeadlineExceeded. `pieces` are those that the
  /// launch brings. AlreadyExists: another launch waits for that id, or another piece has come.
  void take(int64_t id, Pieces pieces, const Timer& timer, Answered answered);
  /// Answers the launch that waits for that id with Cancelled.
  void give_up(int64_t id);

 private:
  struct Waiting {
    uint64_t number;  // of the launch
    Answered answered;
  };
  struct Piece {
    uint64_t number;  // of the launch that brought it
    Tensor tensor;
  };
  using Answers = std::vector<std::pair<Answered, Result<Tensor>>>;

  Status give_pieces(uint64_t number, Pieces pieces, Answers& answers);
  void time_is_up(uint64_t number);

  const std::chrono::microseconds timeout_;
  std::mutex mutex_;
  std::map<int64_t, Waiting> waiting_;
  std::map<int64_t, Piece> pieces_;
  uint64_t count_ = 0;
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

/// Where the gradients of the pieces of a batch are gathered again. Thread-safe; no call waits.
/// (TensorFlow: UnbatchGradResource.)
class RebatcherResource final : public Resource {
 public:
  static constexpr const char* kind_name = "rebatcher";
  /// Called with the gradients of a batch, in its order.
  using Gathered = std::function<void(Result<Tensors>)>;

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }
  Description describe() const override { return {.dtype = DType::resource}; }

  /// Adds the gradient of the piece of that id. InvalidArgument: it is there already.
  Status add(int64_t id, Tensor gradient);
  /// Answers once all of those ids have been added, and takes them out. InvalidArgument: another
  /// batch waits for one of them.
  void gather(int64_t id, std::vector<int64_t> ids, Gathered gathered);
  /// Answers the batch of the launch of that id with Cancelled.
  void give_up(int64_t id);

 private:
  struct Batch {
    std::vector<int64_t> ids;
    std::set<int64_t> missing;
    Gathered gathered;
  };

  Result<Tensors> take_all(const std::vector<int64_t>& ids);

  std::mutex mutex_;
  std::map<int64_t, Tensor> gradients_;
  std::map<int64_t, Batch> batches_;      // that wait, by the ids of their launches
  std::map<int64_t, int64_t> wanted_by_;  // missing ids, and the batches that want them
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

}  // namespace troupe
