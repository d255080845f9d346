#pragma once

#include <kj/io.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>

#include "troupe/capnp/server/guest_log.hpp"

namespace troupe {

/// Takes connections, on a thread of its own, which does little else and so is always there. It
/// answers those that are for heartbeats itself, however busy the door's thread is, and hands on
/// the others. Those that say nothing for protocol::login_time are closed, and the oldest of them
/// sooner where there are too many.
class Porter {
 public:
  using HandOn = std::function<void(kj::AutoCloseFd)>;

  /// Calls `hand_on` on its thread, for each connection on which the first bytes have come.
  Porter(
      kj::AutoCloseFd listening, uint64_t incarnation, HandOn hand_on, size_t visitors_max = 4096);
  /// Closes the port and the connections for heartbeats.
  ~Porter() noexcept;
  Porter(const Porter&) = delete;
  Porter& operator=(const Porter&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  struct Visitor {
    kj::AutoCloseFd socket;
    uint64_t number;        // in the order in which they came
    bool is_known = false;  // for heartbeats
    size_t bytes = 0;       // of them, so far
  };

  void run();
  void watch(int file, uint32_t events);
  void take_next();
  void look_at(int file, bool has_finished);
  int milliseconds_until_late() const;
  void dismiss_late();
  bool answer(Visitor& visitor) const;

  const uint64_t incarnation_;
  const HandOn hand_on_;
  const size_t visitors_max_;
  kj::AutoCloseFd listening_;
  kj::AutoCloseFd end_;
  kj::AutoCloseFd events_;
  struct Stranger {
    Clock::time_point came;
    int file;
  };

  void dismiss(std::map<int, Visitor>::iterator visitor);

  std::map<int, Visitor> visitors_;
  std::map<uint64_t, Stranger> strangers_;  // visitors that nothing is known of, by their numbers
  uint64_t visitor_count_ = 0;
  GuestLog log_;
  std::thread thread_;
};

}  // namespace troupe
