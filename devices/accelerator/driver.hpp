#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "troupe/devices/stream.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::accelerator {

/// The streams of one card. Work of one runs in order, and two of them run at once.
enum class Lane : uint8_t {
  compute,   // kernels
  copy_in,   // host memory to the card's
  copy_out,  // and back
  peer,      // from another card of the process
};
constexpr size_t lane_count = 4;

/// What a card is.
struct CardFacts {
  int ordinal = 0;   // among those that the driver shows
  std::string name;  // of the hardware
  std::string bus;   // its place in the machine
  uint64_t memory_bytes = 0;
  int capability = 0;  // of its kernels: 90 for 9.0
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  size_t shared_bytes_per_block = 0;  // what a kernel may ask for at most
};

/// Work of the compute lane that was captured, and can be put there any number of times. What is on
/// the lane goes on when it ends.
using CapturedWork = std::shared_ptr<void>;

struct Captured {
  CapturedWork work;
  bool is_updated = false;  // it is what was captured before, which now does the new work
};

/// The calls of a vendor's driver that a device needs, for one card. All else of a device, as the
/// order of its streams and its memory, is above it, and is the same for every driver.
///
/// DR-1: only those calls that allocate and deallocate may wait for the card, and finish().
/// DR-2: the first error of work on the card stays: error() tells it, and so does each
///       when_reached() from then on, which is called all the same.
/// DR-3: a thread that captures calls only copy_within(), allocations and what starts kernels;
///       where other work gets among it, end_capture() fails.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual const CardFacts& facts() const = 0;

  // -- memory

  /// Of the card, aligned to 256 bytes; null where there is not as much.
  virtual void* allocate(size_t bytes) = 0;
  /// Waits until no work uses it.
  virtual void deallocate(void* memory, size_t bytes) noexcept = 0;
  /// Of the host, which the card reads and writes by itself.
  virtual void* allocate_pinned(size_t bytes) = 0;
  virtual void deallocate_pinned(void* memory, size_t bytes) noexcept = 0;

  // -- memory of other processes of the machine

  /// By which another process can open memory that allocate() gave; it is valid as long as the
  /// memory is. Unavailable where the driver shares none.
  virtual Result<std::string> share(void* memory) = 0;
  /// Opens memory of another process, of this card or of one that this card can reach. Unavailable
  /// where that cannot be: the machine is another, or the driver or the system does not allow it.
  virtual Result<void*> open_shared(const std::string& handle) = 0;
  /// What open_shared() gave. No work uses it any more.
  virtual void close_shared(void* memory) noexcept = 0;

  // -- order

  /// The present end of a lane.
  virtual Event record(Lane lane) = 0;
  /// What is put on the lane from now on runs behind that event, of this or another card.
  virtual void wait(Lane lane, const Event& event) = 0;
  /// Calls `then` once all that was put on the lane so far is done, from any thread, in the order
  /// of the calls; with the card's error, if it has one (DR-2). `then` must be short.
  virtual void when_reached(Lane lane, std::function<void(Status)> then) = 0;
  /// Runs `work` on the host behind what is on the lane, and what is put there later behind it.
  /// `work` must be short, and must not call the driver.
  virtual void call_host(Lane lane, std::function<void()> work) = 0;
  /// Waits until all lanes are done. Not from a callback of when_reached().
  virtual void finish() = 0;

  // -- copies, which are put on a lane. Host memory is pinned.

  virtual void copy_in(Lane lane, void* to, const void* from, size_t bytes) = 0;
  virtual void copy_out(Lane lane, void* to, const void* from, size_t bytes) = 0;
  /// `from` is memory of another card of the same kind of driver.
  virtual void copy_peer(
      Lane lane, void* to, const Driver& source, const void* from, size_t bytes) = 0;

  /// From the card's memory to the card's, on the compute lane.
  virtual void copy_within(void* to, const void* from, size_t bytes) = 0;

  // -- captured work

  /// What this thread puts on the compute lane from now on is kept and does not run; what others
  /// put there does. Waits while another thread captures.
  virtual Status begin_capture() = 0;
  /// The work since then; an error says why there is none. `before` is work that was captured
  /// before and is not needed any more: what differs from it is changed where that can be done,
  /// which costs less. Null for none.
  virtual Result<Captured> end_capture(CapturedWork before) = 0;
  /// Puts the work on the compute lane, or says why it could not.
  virtual Status replay(const CapturedWork& work) = 0;

  // -- kernels

  /// To be called on a thread before it starts kernels.
  virtual void make_current() = 0;
  /// The error of starting kernels on this thread since the last call, which is then forgotten.
  virtual Status take_launch_error() = 0;
  /// The first error of work on the card (DR-2), and whether there is one, which costs nothing.
  virtual Status error() const = 0;
  virtual bool has_failed() const = 0;
};

}  // namespace troupe::accelerator
