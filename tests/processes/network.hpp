#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "troupe/graph/status.hpp"

namespace troupe::testing {

/// A host of its own inside this machine: a network namespace with one interface, whose packets go
/// to whoever holds the other end of it.
class Host {
 public:
  /// FailedPrecondition says what this machine does not have or permit.
  static Result<std::unique_ptr<Host>> make(const std::string& address);

  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const std::string& address() const { return address_; }
  /// Reads and writes whole IP packets, and never waits.
  int packets() const { return packets_; }

  /// While it lives, the sockets and processes that the current thread makes are on the host.
  class Visit {
   public:
    explicit Visit(const Host& host);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    int home_;
  };

 private:
  explicit Host(std::string address) : address_(std::move(address)) {}
  Status set_up();

  std::string address_;
  int network_ = -1;
  int packets_ = -1;
};

/// Joins two hosts.
class Cable {
 public:
  Cable(const Host& a, const Host& b);
  ~Cable();

  /// Of what is sent from now on: how long it takes one way, and which share of it is lost.
  void set(std::chrono::milliseconds delay, double loss);
  /// Nothing passes until set(), and nobody is told.
  void cut() { set({}, /*loss=*/1); }

 private:
  void carry(int a, int b);

  std::atomic<std::chrono::milliseconds> delay_{};
  std::atomic<double> loss_ = 0;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace troupe::testing
