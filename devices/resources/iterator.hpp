#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "troupe/devices/data/dataset_function.hpp"
#include "troupe/devices/data/iteration.hpp"
#include "troupe/devices/resources/iterator_state.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// A place in the elements of a dataset, from which any number of steps take the next one: each
/// element goes to one of them, in the order in which they asked. Thread-safe.
/// (TensorFlow: IteratorResource.)
class IteratorResource final : public Resource,
                               public std::enable_shared_from_this<IteratorResource> {
 public:
  static constexpr const char* kind_name = "iterator";

  /// Where an element was, for put_back().
  struct Place {
    std::weak_ptr<const void> position;  // what begin() has begun
    uint64_t number = 0;
  };
  /// What comes next, and where it was.
  using Done = std::function<void(data::Pulled, const Place&)>;

  IteratorResource(DTypes dtypes, Shapes shapes)
      : dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}

  ~IteratorResource() override;

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override;
  Description describe() const override;

  const DTypes& dtypes() const { return dtypes_; }
  const Shapes& shapes() const { return shapes_; }

  /// Goes to the first element of that dataset, or to where restore_state() says. InvalidArgument:
  /// its elements are others than those of the iterator.
  Status begin(const data::SharedDataset& dataset, Device& device);
  /// Lets the first get_next() begin with the dataset that this function returns. Without effect
  /// where it has one, or has begun.
  void begin_later(data::SharedFunction factory);

  /// Where it is, for restore_state(), now or in another process. FailedPrecondition before
  /// begin(); ResourceExhausted: it has put back, or drawn seeds for, more than a state can hold.
  Result<std::string> serialize_state() const;
  /// Goes to where an iterator over the same dataset was: at once, or with the next begin() where
  /// it has no dataset yet. The elements before that place are computed again, and left out.
  /// InvalidArgument: that is no state.
  Status restore_state(const std::string& state, Device& device);

  /// One who waits for an element.
  struct Waiter {
    Done done;
    Device* device;  // which computes what it waits for
  };
  using Ticket = std::shared_ptr<Waiter>;

  /// Gives the next element, or nothing at the end, to `done`, from any thread, maybe before this
  /// returns. FailedPrecondition before begin(); Aborted once it is dropped.
  Ticket get_next(Device& device, Done done);
  /// Answers Cancelled, unless it has been answered. An element that only this one has waited for
  /// goes to the next one.
  void cancel(const Ticket& ticket);
  /// Puts an element back that get_next() has given, to where it was, or gives it to who waits: as
  /// if it had not been taken. Without effect once the iterator has begun anew.
  void put_back(const Place& place, data::Element element);
  /// Elements are about to be put back: until what is returned is gone, calls at the end wait,
  /// instead of hearing that there is nothing.
  static std::shared_ptr<void> await_return(std::shared_ptr<IteratorResource> iterator);

 private:
  /// What begin() has begun.
  struct Position {
    data::SharedDataset dataset;
    std::shared_ptr<data::Iteration> iteration;
    data::SharedSource source;
  };
  /// An answer that was pulled, by its number in the position.
  struct Numbered {
    uint64_t number = 0;
    data::Pulled answer;
  };
  using SharedPosition = std::shared_ptr<const Position>;

  void serve(Device& device);
  bool serve_next(Device& device);
  Status begin_at(const IteratorState& place, const data::SharedDataset& dataset, Device& device);
  bool make_dataset(Device& device, const data::SharedFunction& factory);
  void take_dataset(Device& device, data::Pulled made);
  std::optional<Numbered> take_kept();
  void give_kept(std::unique_lock<std::mutex>& lock);
  bool is_end_held() const;
  void end_return();
  void answer(const SharedPosition& from, Numbered answer);
  void answer_all(const Status& status);

  const DTypes dtypes_;
  const Shapes shapes_;

  mutable std::mutex mutex_;
  SharedPosition position_;       // null before begin()
  IteratorState restored_;        // where the position, or the next one, is to go on
  data::SharedFunction factory_;  // of a dataset, until it is called
  std::list<Ticket> waiting_;
  bool is_serving_ = false;  // somebody pulls for those who wait
  int64_t returning_ = 0;    // how many await_return()s there are
  uint64_t pulled_ = 0;      // answers of the position
  // Answers that were pulled and that nobody has, the first of them first.
  std::map<uint64_t, data::Pulled> kept_;
  bool is_dropped_ = false;
};

}  // namespace troupe
