#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/data/dataset.hpp"
#include "troupe/devices/data/iteration.hpp"

namespace troupe::data {

/// Deals out the elements of a source in turns. Tasks of the device compute them ahead, for each
/// receiver at most `buffer_size`: one who takes none keeps the others waiting. An error goes to
/// the receiver of the element in whose place it is. Thread-safe.
class Dealer final : public std::enable_shared_from_this<Dealer> {
 public:
  Dealer(
      std::shared_ptr<Iteration> iteration, SharedSource source, size_t count, size_t buffer_size);

  /// The next element of a receiver, as ElementSource::pull().
  std::optional<Pulled> pull(size_t receiver, ElementSource::Done done);
  /// Nobody wants the elements any more: who waits hears Cancelled.
  void stop();

 private:
  struct Receiver {
    std::deque<Pulled> elements;
    ElementSource::Done done;  // of a pull that waits
  };

  void begin_reading();
  void read();
  bool may_read();
  bool take(Pulled answer);
  void end();

  const std::shared_ptr<Iteration> iteration_;
  const SharedSource source_;
  const size_t buffer_size_;

  std::mutex mutex_;
  std::vector<Receiver> receivers_;
  size_t next_ = 0;  // who gets the next element
  bool is_reading_ = false;
  bool is_ended_ = false;
};

/// The elements that a dealer has for that receiver.
SharedSource dealt_source(std::shared_ptr<Dealer> dealer, size_t receiver);

}  // namespace troupe::data
