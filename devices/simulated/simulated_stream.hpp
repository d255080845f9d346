#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "troupe/devices/stream.hpp"

namespace troupe {

/// A stream whose work is run by a simulation, one after the other, whenever it likes.
class SimulatedStream final : public Stream {
 public:
  /// `later` runs work at some later point of the simulation.
  explicit SimulatedStream(std::function<void(std::function<void()>)> later)
      : later_(std::move(later)) {}

  void enqueue(std::function<Status()> work) override;
  Event record() override;
  void wait(const Event& event) override;
  void when_done(std::function<void(Status)> then) override;
  /// Forgets all that has not run. Nothing may be put on it from then on.
  void drop();

 private:
  struct Position;
  struct Item {
    std::function<Status()> work;             // or
    std::function<void(Status)> done;         // or
    std::shared_ptr<Position> reached;        // or
    std::shared_ptr<const Position> awaited;  // one of these
  };

  void add(Item item);
  void run_next();
  bool must_wait_for(const std::shared_ptr<const Position>& awaited);
  void run(Item& item);

  const std::function<void(std::function<void()>)> later_;
  std::mutex mutex_;
  std::deque<Item> items_;
  bool is_scheduled_ = false;
  Status error_;
};

}  // namespace troupe
