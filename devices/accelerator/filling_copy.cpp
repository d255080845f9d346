#include "troupe/devices/accelerator/filling_copy.hpp"

#include <utility>

namespace troupe::accelerator {
namespace {

/// What is ready is put on the lane when it is so much, or the rest: each time costs two starts of
/// work.
constexpr size_t piece_bytes = 4 << 20;

}  // namespace

FillingCopy::FillingCopy(
    std::shared_ptr<Driver> driver, StagedCopies copies, Result<Tensor> to, Tensor from,
    CopiesInPieces::Copied copied)
    : driver_(std::move(driver)),
      from_(std::move(from)),
      copies_(std::move(copies)),
      to_(std::move(to)),
      copied_(std::move(copied)) {}

void FillingCopy::begin(
    std::shared_ptr<Driver> driver, StagedCopies copies, Result<Tensor> to, Tensor from,
    CopiesInPieces::Copied copied) {
  std::shared_ptr<FillingCopy> copy(new FillingCopy(
      std::move(driver), std::move(copies), std::move(to), std::move(from), std::move(copied)));
  FillingMemory::of(copy->from_)->on_change([copy] { copy->put_what_is_ready(); });
  copy->put_what_is_ready();  // what was there before
}

FillingCopy::~FillingCopy() { give_up(); }

/// What was put on the lane still writes the copy: until it has, nobody else gets its memory.
void FillingCopy::give_up() {
  if (put_bytes_ > 0 && to_ && to_->is_set())
    driver_->when_reached(Lane::copy_in, [to = *std::move(to_)](const Status&) {});
}

void FillingCopy::put_what_is_ready() {
  CopiesInPieces::Copied copied;
  {
    std::lock_guard lock(mutex_);
    auto ready = FillingMemory::of(from_)->ready_bytes();
    if (!copied_) return;  // another thread has seen the end first
    if (to_)
      if (auto status = put_until(ready); !status.ok()) {
        give_up();
        to_ = status;
      }
    if (ready < from_.bytes()) return;
    copied.swap(copied_);
  }
  if (!to_) return copied(from_);
  driver_->when_reached(
      Lane::copy_in, [copied = std::move(copied), to = *std::move(to_),
                      from = from_](const Status& status) { copied(status.ok() ? to : from); });
}

Status FillingCopy::put_until(size_t ready) {
  auto bytes = ready - put_bytes_;
  if (bytes == 0 || (bytes < piece_bytes && ready < from_.bytes())) return {};
  auto begin = std::exchange(put_bytes_, ready);
  return copies_.put_in(Lane::copy_in, *to_, from_, begin, ready);
}

}  // namespace troupe::accelerator
