#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "troupe/devices/accelerator/driver.hpp"

namespace troupe::testing {

inline constexpr uint64_t MiB = uint64_t{1} << 20;

/// A range of memory that work reads or writes.
struct Access {
  const void* begin;
  size_t bytes;
  bool writes;
};

/// Cards that exist in this process only, for tests of one thread: their lanes run under a virtual
/// clock, each as soon as it can, and the time that work takes is a given one. Each access to
/// memory is compared with all before it: of two accesses of which one writes, one must be ordered
/// before the other, by a lane, by events, or by a callback that the host got between them. One
/// that is not is a fault, in whatever order the clock runs them.
class VirtualCards {
 public:
  struct Options {
    uint64_t memory_bytes = uint64_t{1} << 30;  // of each card
    double bytes_per_ns = 10;                   // of copies
    bool share_memory = true;                   // with other "processes": devices of this one
    bool open_memory = true;
  };

  VirtualCards() : VirtualCards(Options()) {}
  explicit VirtualCards(Options options) : options_(options) {}

  class Card;
  std::shared_ptr<Card> add_card();

  /// Runs all that is on the lanes.
  void run();
  /// Runs what is next. False: nothing is.
  bool run_next();
  std::chrono::nanoseconds now() const { return std::chrono::nanoseconds(now_ns_); }
  /// The first access without an order, in words; empty if there was none.
  const std::string& fault() const { return fault_; }
  /// Regions that are open: memory that is given back while it is, is a fault, too.
  size_t opened() const { return opened_.size(); }

 private:
  friend Card;
  using Clock = std::map<int, uint64_t>;  // by lane: how much of its work is known to be done
  struct Reached {
    Clock clock;
    std::optional<int64_t> at_ns;
  };
  struct Item {
    int64_t duration_ns = 0;
    std::function<Status()> work = {};            // or
    std::function<void(Status)> then = {};        // or
    std::shared_ptr<Reached> reached = {};        // or
    std::shared_ptr<const Reached> awaited = {};  // one of these
    Clock clock = {};
  };
  struct Line {
    Card* card;
    std::deque<Item> items = {};
    Clock clock = {};
    int64_t free_ns = 0;
  };
  struct Done {
    Access access;
    int line;
    uint64_t position;
    std::string what;
  };

  Clock& advance(int line);
  void check(int line, const std::string& what, const std::vector<Access>& accesses);
  void forget(const void* begin, size_t bytes);
  void run_item(Line& line, Item item);
  static void merge(Clock& into, const Clock& from);

  const Options options_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Done> done_;
  Clock host_;  // what the host knows to be done
  int64_t now_ns_ = 0;
  std::string fault_;
  std::multiset<const void*> opened_;
  int cards_ = 0;
  bool is_running_ = false;
};

class VirtualCards::Card final : public accelerator::Driver {
 public:
  using Lane = accelerator::Lane;

  Card(VirtualCards& cards, int ordinal);

  /// Puts a kernel on the compute lane.
  void launch(
      const std::string& what, std::chrono::nanoseconds duration, std::vector<Access> accesses,
      std::function<Status()> work);
  /// The next start of a kernel fails at once.
  void fail_next_launch(Status status) { launch_error_ = std::move(status); }
  uint64_t allocated_bytes() const { return allocated_bytes_; }
  uint64_t allocations() const { return allocations_; }
  uint64_t pinned_allocations() const { return pinned_allocations_; }
  uint64_t pinned_bytes() const { return pinned_bytes_; }
  /// Kernels, also those that are replayed, and copies within the card.
  uint64_t launches() const { return launches_; }
  uint64_t replays() const { return replays_; }
  /// Captured work can be changed into other work.
  void allow_updates(bool allow) { allows_updates_ = allow; }
  void fail_next_replay(Status status) { replay_error_ = std::move(status); }

  const accelerator::CardFacts& facts() const override { return facts_; }
  void* allocate(size_t bytes) override;
  void deallocate(void* memory, size_t bytes) noexcept override;
  void* allocate_pinned(size_t bytes) override;
  void deallocate_pinned(void* memory, size_t bytes) noexcept override;
  Result<std::string> share(void* memory) override;
  Result<void*> open_shared(const std::string& handle) override;
  void close_shared(void* memory) noexcept override;
  Event record(Lane lane) override;
  void wait(Lane lane, const Event& event) override;
  void when_reached(Lane lane, std::function<void(Status)> then) override;
  void call_host(Lane lane, std::function<void()> work) override;
  void finish() override { cards_.run(); }
  void copy_in(Lane lane, void* to, const void* from, size_t bytes) override;
  void copy_out(Lane lane, void* to, const void* from, size_t bytes) override;
  void copy_peer(
      Lane lane, void* to, const Driver& source, const void* from, size_t bytes) override;
  void copy_within(void* to, const void* from, size_t bytes) override;
  Status begin_capture() override;
  Result<accelerator::Captured> end_capture(accelerator::CapturedWork before) override;
  Status replay(const accelerator::CapturedWork& work) override;
  void make_current() override {}
  Status take_launch_error() override { return std::exchange(launch_error_, Status()); }
  Status error() const override { return error_; }
  bool has_failed() const override { return !error_.ok(); }

 private:
  friend VirtualCards;

  struct Work {
    std::string what;
    std::chrono::nanoseconds duration;
    std::vector<Access> accesses;
    std::function<Status()> work;
  };
  struct Capture {
    std::vector<Work> works;
    Status error;  // DR-3
  };

  /// Notes what must not be called in a capture.
  void forbid_in_capture(const char* what);
  int line_of(Lane lane) const { return first_line_ + static_cast<int>(lane); }
  Line& line(Lane lane) { return *cards_.lines_[static_cast<size_t>(line_of(lane))]; }
  void add(Lane lane, Item item);
  void copy(Lane lane, const std::string& what, void* to, const void* from, size_t bytes);

  VirtualCards& cards_;
  const int first_line_;
  accelerator::CardFacts facts_;
  Status error_;
  Status launch_error_;
  uint64_t allocated_bytes_ = 0;
  uint64_t allocations_ = 0;
  uint64_t pinned_allocations_ = 0;
  uint64_t pinned_bytes_ = 0;
  std::optional<Capture> capture_;
  uint64_t launches_ = 0;
  uint64_t replays_ = 0;
  bool allows_updates_ = true;
  Status replay_error_;
};

}  // namespace troupe::testing
