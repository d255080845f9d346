#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "troupe/devices/data/dataset.hpp"

namespace troupe::data {

class Iteration;

/// The elements of another source, computed before they are asked for: at most `capacity` of them,
/// by tasks of the device. With a function, each becomes what that makes of it; calls run beside
/// each other, and the order is kept. Where the function answers with the end of the sequence,
/// there is nothing behind it. It begins with start() or the first pull. In an iteration without
/// order, or where that is said, results come as soon as they are there.
///
/// BS-1: at most one task pulls from the input.
/// BS-2: of the elements that are computed or under way, the pulled ones excluded, there are never
///       more than `capacity`.
class BufferedSource final : public ElementSource,
                             public std::enable_shared_from_this<BufferedSource> {
 public:
  /// Answers as ElementSource::pull() does.
  using Transform = std::function<std::optional<Pulled>(Element, Done)>;

  BufferedSource(
      std::shared_ptr<Iteration> iteration, SharedSource input, size_t capacity,
      Transform transform = nullptr, bool keeps_order = true);

  void start();
  std::optional<Pulled> pull(Done done) override;

 private:
  struct Slot {
    std::optional<Pulled> value;  // absent while it is computed
  };
  using SharedSlot = std::shared_ptr<Slot>;

  void begin_filling();
  void fill();
  void end_stopped(std::unique_lock<std::mutex> lock);
  bool take(Pulled answer);
  void transform(const SharedSlot& slot, Element element);
  void set(const SharedSlot& slot, Pulled value);
  std::deque<SharedSlot>::iterator find_ready();
  Pulled pop(std::deque<SharedSlot>::iterator slot);
  void answer_waiting(std::unique_lock<std::mutex> lock);

  const std::shared_ptr<Iteration> iteration_;
  const SharedSource input_;
  const size_t capacity_;
  const Transform transform_;
  const bool keeps_order_;

  std::mutex mutex_;
  std::deque<SharedSlot> slots_;
  bool is_filling_ = false;
  bool is_ended_ = false;
  Done done_;  // of a pull that waits
};

}  // namespace troupe::data
