#pragma once

#include <kj/io.h>

#include <cstdint>
#include <functional>
#include <map>
#include <thread>

namespace troupe {

/// Takes connections, on a thread of its own, which does little else and so is always there. It
/// answers those that are for heartbeats itself, however busy the door's thread is, and hands on
/// the others.
class Porter {
 public:
  static constexpr size_t visitors_max = 4096;

  using HandOn = std::function<void(kj::AutoCloseFd)>;

  /// Calls `hand_on` on its thread, for each connection on which the first bytes have come.
  Porter(kj::AutoCloseFd listening, uint64_t incarnation, HandOn hand_on);
  /// Closes the port and the connections for heartbeats.
  ~Porter() noexcept;
  Porter(const Porter&) = delete;
  Porter& operator=(const Porter&) = delete;

 private:
  struct Visitor {
    kj::AutoCloseFd socket;
    bool is_known = false;  // for heartbeats
    size_t bytes = 0;       // of them, so far
  };

  void run();
  void watch(int file, uint32_t events);
  void take_next();
  void look_at(int file, bool has_finished);
  bool answer(Visitor& visitor) const;

  const uint64_t incarnation_;
  const HandOn hand_on_;
  kj::AutoCloseFd listening_;
  kj::AutoCloseFd end_;
  kj::AutoCloseFd events_;
  std::map<int, Visitor> visitors_;
  std::thread thread_;
};

}  // namespace troupe
