#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// A position in a stream: all work that was put there before. Copies share it.
using Event = std::shared_ptr<const void>;

/// An ordered queue of work of an asynchronous device: what is put there runs one after the other,
/// while the host goes on. Thread-safe; no call waits.
///
/// ST-1: the first error of its work is kept, skips the work behind it, and is told to every
///       when_done() from then on: a step that used the stream can find it.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Runs `work` on the device behind all that was put here before.
  virtual void enqueue(std::function<Status()> work) = 0;

  /// The present end of the stream.
  virtual Event record() = 0;
  /// What is put here from now on runs behind that event of any stream.
  virtual void wait(const Event& event) = 0;

  /// Calls `then` once all that was put here so far is done, on any thread: with Ok, or with the
  /// stream's error.
  virtual void when_done(std::function<void(Status)> then) = 0;
};

}  // namespace troupe
