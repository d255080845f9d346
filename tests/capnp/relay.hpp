#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "troupe/capnp/server/listen/listening_socket.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe::testing {

/// Forwards connections to a port of this machine, and can be cut or slowed down. As with a broken
/// network, connections over it stay open meanwhile.
class Relay {
 public:
  explicit Relay(int to_port) : to_port_(to_port), listening_(*listen_on("", 0)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Relay() { stop(); }

  int port() const { return listening_.port; }
  void cut() { bytes_per_ms_ = 0; }
  void restore() { bytes_per_ms_ = 1 << 20; }
  void slow_down(size_t bytes_per_ms) { bytes_per_ms_ = bytes_per_ms; }
  /// Stops forwarding, except for the first connection.
  void cut_all_but_the_first() { is_first_only_ = true; }
  /// Closes both ends of all connections.
  void close_all() {
    closes_all_ = true;
    while (closes_all_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// The bytes that the client of the first connection has sent; after stop().
  const std::string& bytes_of_first() const { return bytes_of_first_; }
  /// How many were accepted.
  int connections() const { return connections_; }
  /// Bytes forwarded, in both directions.
  uint64_t bytes_passed() const { return bytes_passed_; }

 private:
  struct Pipe {
    int from;
    int to;
  };

  void run() {
    std::vector<Pipe> pipes;
    auto close_pipes = [&pipes] {
      for (auto& pipe : pipes) ::close(pipe.from);
      pipes.clear();
    };
    while (!is_over_) {
      if (closes_all_) close_pipes();
      closes_all_ = false;
      if (int client = ::accept(listening_.socket, nullptr, nullptr); client >= 0) {
        ++connections_;
        int node = connect_to_node();
        for (int socket : {client, node}) limit_buffer(socket);
        pipes.push_back({client, node});
        pipes.push_back({node, client});
      }
      for (size_t i = 0; i < pipes.size(); ++i)
        if (i < 2 || !is_first_only_) forward(pipes[i], /*is_first=*/i == 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    close_pipes();
  }

  int connect_to_node() const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(to_port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    return socket;
  }

  /// A small buffer, so that a sender notices at once when the relay is cut or slow.
  static void limit_buffer(int socket) {
    int bytes = 1 << 18;
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }

  void forward(Pipe& pipe, bool is_first) {
    std::vector<char> bytes(std::min<size_t>(bytes_per_ms_, 1 << 20));
    if (bytes.empty()) return;
    auto got = ::recv(pipe.from, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got == 0) ::shutdown(pipe.to, SHUT_WR);
    for (ssize_t sent = 0; sent < got;) {
      auto count = ::send(pipe.to, bytes.data() + sent, got - sent, MSG_NOSIGNAL);
      if (count < 0) return;
      sent += count;
    }
    if (got > 0 && is_first) bytes_of_first_.append(bytes.data(), static_cast<size_t>(got));
    if (got > 0) bytes_passed_ += static_cast<uint64_t>(got);
  }

  const int to_port_;
  BoundSocket listening_;
  std::atomic<size_t> bytes_per_ms_ = 1 << 20;
  std::atomic<uint64_t> bytes_passed_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> is_first_only_ = false;
  std::atomic<bool> closes_all_ = false;
  std::atomic<bool> is_over_ = false;
  std::string bytes_of_first_;
  std::thread thread_;
};

}  // namespace troupe::testing
