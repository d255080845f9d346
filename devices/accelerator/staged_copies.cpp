#include "troupe/devices/accelerator/staged_copies.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::accelerator {
namespace {

/// What the calling thread copies to pinned memory itself.
constexpr size_t inline_bytes = 256 << 10;
/// What is more goes through pinned memory by pieces: to pin as much as a large tensor has would
/// take the system longer than the copies. With the header of a tensor, a piece is at most a power
/// of 2.
constexpr size_t piece_bytes = (4 << 20) - 4096;

std::byte* bytes_of(Tensor& tensor) { return static_cast<std::byte*>(tensor.mutable_raw()); }
const std::byte* bytes_of(const Tensor& tensor) {
  return static_cast<const std::byte*>(tensor.raw());
}

}  // namespace

Result<Tensor> StagedCopies::allocate(size_t bytes) {
  return Tensor::allocate(DType::uint8, {static_cast<int64_t>(bytes)}, pinned_);
}

/// Calls put(pinned memory, offset, bytes) for each piece between the two places. Only work of the
/// lane may use the memory, which is then done with a piece when the next one comes.
template <class Put>
Status StagedCopies::put_pieces(Lane lane, size_t begin, size_t end, const Put& put) {
  auto staged = allocate(std::min(end - begin, piece_bytes));
  if (!staged) return staged.status();
  for (auto offset = begin; offset < end; offset += piece_bytes)
    put(bytes_of(*staged), offset, std::min(piece_bytes, end - offset));
  driver_->when_reached(lane, [staged = *std::move(staged)](const Status&) {});
  return {};
}

Status StagedCopies::put_at_once_in(
    Lane lane, Tensor& to, const Tensor& from, size_t begin, size_t end) {
  auto is_pinned = from.memory() == MemoryKind::pinned;
  auto bytes = end - begin;
  auto staged = is_pinned ? Result<Tensor>(from) : allocate(bytes);
  if (!staged) return staged.status();
  if (!is_pinned) std::memcpy(staged->mutable_raw(), bytes_of(from) + begin, bytes);
  const auto* pinned = bytes_of(std::as_const(*staged)) + (is_pinned ? begin : 0);
  driver_->copy_in(lane, bytes_of(to) + begin, pinned, bytes);
  driver_->when_reached(lane, [staged = *std::move(staged)](const Status&) {});
  return {};
}

Status StagedCopies::put_in(Lane lane, Tensor& to, const Tensor& from, size_t begin, size_t end) {
  if (from.memory() == MemoryKind::pinned || end - begin <= inline_bytes)
    return put_at_once_in(lane, to, from, begin, end);
  auto* memory = bytes_of(to);
  return put_pieces(lane, begin, end, [&](std::byte* piece, size_t offset, size_t bytes) {
    driver_->call_host(
        lane, [from, piece, offset, bytes] { std::memcpy(piece, bytes_of(from) + offset, bytes); });
    driver_->copy_in(lane, memory + offset, piece, bytes);
  });
}

Status StagedCopies::put_out(Lane lane, Tensor& to, const Tensor& from, const Reached& reached) {
  if (from.bytes() == 0) return {};
  auto* memory = bytes_of(to);
  auto tell = [&](size_t bytes) {
    if (reached)
      driver_->when_reached(
          lane, [reached, bytes](const Status& status) { reached(bytes, status); });
  };
  if (to.memory() == MemoryKind::pinned) {
    auto bytes_max = reached ? piece_bytes : from.bytes();
    for (size_t offset = 0; offset < from.bytes(); offset += bytes_max) {
      auto bytes = std::min(bytes_max, from.bytes() - offset);
      driver_->copy_out(lane, memory + offset, bytes_of(from) + offset, bytes);
      tell(offset + bytes);
    }
    return {};
  }
  return put_pieces(lane, 0, from.bytes(), [&](std::byte* piece, size_t offset, size_t bytes) {
    driver_->copy_out(lane, piece, bytes_of(from) + offset, bytes);
    driver_->call_host(
        lane, [memory, piece, offset, bytes] { std::memcpy(memory + offset, piece, bytes); });
    tell(offset + bytes);
  });
}

}  // namespace troupe::accelerator
