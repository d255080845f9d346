#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/accelerator/pinned_pool.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::accelerator {

/// Copies between a card and any memory of the host, which the card reads and writes only where it
/// is pinned: what is not goes through pinned memory. It may outlive the device. Thread-safe.
class StagedCopies {
 public:
  StagedCopies(std::shared_ptr<Driver> driver, PinnedPool pinned)
      : driver_(std::move(driver)), pinned_(std::move(pinned)) {}

  /// Puts a copy of all bytes on the lane. `to` lies on the card and `from` on the host, which must
  /// not change until the lane has reached the copy; it may be given up before. ResourceExhausted
  /// where no memory can be pinned.
  Status put_in(Lane lane, Tensor& to, const Tensor& from) {
    return put_in(lane, to, from, 0, from.bytes());
  }
  /// As that, of the bytes from `begin` to `end`; of the others `from` may change.
  Status put_in(Lane lane, Tensor& to, const Tensor& from, size_t begin, size_t end);
  using Reached = std::function<void(size_t bytes, const Status& status)>;
  /// The other way; both must live until the lane has reached the copy. Where there is a `reached`,
  /// the copy is made in pieces, from the first byte on, and it is told after each how many bytes
  /// are there, or the error of the card, as by Driver::when_reached().
  Status put_out(Lane lane, Tensor& to, const Tensor& from, const Reached& reached = {});

 private:
  Result<Tensor> allocate(size_t bytes);
  template <class Put>
  Status put_pieces(Lane lane, size_t begin, size_t end, const Put& put);
  Status put_at_once_in(Lane lane, Tensor& to, const Tensor& from, size_t begin, size_t end);

  std::shared_ptr<Driver> driver_;
  PinnedPool pinned_;
};

}  // namespace troupe::accelerator
