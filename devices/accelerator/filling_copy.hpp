#pragma once

#include <memory>
#include <mutex>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/devices/accelerator/staged_copies.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::accelerator {

/// A copy of a tensor of FillingMemory into the memory of a card, which is made while the tensor is
/// filled. It lives as long as something is to come. Thread-safe.
class FillingCopy {
 public:
  /// Begins to copy `from` into `to`, a tensor of the same size that work of Lane::copy_in writes
  /// first; where there is none, it only waits until `from` is full. `copied` is that of
  /// CopiesInPieces::copy_in_in_pieces().
  static void begin(
      std::shared_ptr<Driver> driver, StagedCopies copies, Result<Tensor> to, Tensor from,
      CopiesInPieces::Copied copied);
  ~FillingCopy();
  FillingCopy(const FillingCopy&) = delete;

 private:
  FillingCopy(
      std::shared_ptr<Driver> driver, StagedCopies copies, Result<Tensor> to, Tensor from,
      CopiesInPieces::Copied copied);
  void put_what_is_ready();
  Status put_until(size_t ready);
  void give_up();

  const std::shared_ptr<Driver> driver_;
  const Tensor from_;
  std::mutex mutex_;
  StagedCopies copies_;
  Result<Tensor> to_;
  CopiesInPieces::Copied copied_;
  size_t put_bytes_ = 0;
};

}  // namespace troupe::accelerator
