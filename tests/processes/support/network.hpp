#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "troupe/graph/types/status.hpp"

namespace troupe::testing {

/// A virtual host: a network namespace with one tun interface, whose packets are read and written
/// through packets().
class Host {
 public:
  /// FailedPrecondition names what this machine does not have or permit.
  static Result<std::unique_ptr<Host>> make(const std::string& address);

  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const std::string& address() const { return address_; }
  /// The tun device: reads and writes whole IP packets, without waiting.
  int packets() const { return packets_; }

  /// During its lifetime, the current thread is in the host's network namespace: so are the sockets
  /// and processes that it creates.
  class Scope {
   public:
    explicit Scope(const Host& host);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    int previous_;
  };

 private:
  explicit Host(std::string address) : address_(std::move(address)) {}
  Status set_up();

  std::string address_;
  int network_ = -1;
  int packets_ = -1;
};

/// Forwards packets between two hosts.
class Link {
 public:
  Link(const Host& a, const Host& b);
  ~Link();

  /// For packets sent from now on: the latency in one direction, and the fraction that is lost.
  void set(std::chrono::milliseconds delay, double loss);
  /// Drops all packets until set().
  void cut() { set({}, /*loss=*/1); }

 private:
  void forward_packets(int a, int b);

  std::atomic<std::chrono::milliseconds> delay_{};
  std::atomic<double> loss_ = 0;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace troupe::testing
