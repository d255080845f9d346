#include "troupe/capnp/server/listen/acceptor.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"
#include "troupe/capnp/stream/local_socket.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

constexpr auto request = protocol::heartbeat;
static_assert(protocol::link.size() == request.size());

}  // namespace

Acceptor::Acceptor(
    kj::AutoCloseFd listening, kj::AutoCloseFd unix_listening, uint64_t incarnation,
    std::shared_ptr<Credentials> credentials, Dispatch dispatch, size_t connections_max)
    : incarnation_(incarnation),
      dispatch_(std::move(dispatch)),
      connections_max_(connections_max),
      listening_(kj::mv(listening)),
      unix_listening_(kj::mv(unix_listening)),
      stop_event_(::eventfd(0, EFD_CLOEXEC)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (credentials) tunnels_.emplace(std::move(credentials));
  watch(stop_event_, EPOLLIN);
  watch(listening_, EPOLLIN);
  if (unix_listening_ != nullptr) watch(unix_listening_, EPOLLIN);
  thread_ = std::thread([this] { run(); });
}

Acceptor::~Acceptor() noexcept {
  CHECK(::eventfd_write(stop_event_, 1) == 0);
  thread_.join();
}

void Acceptor::watch(int file, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = file;
  CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, file, &event) == 0);
}

void Acceptor::run() {
  std::array<epoll_event, 16> events;
  for (;;) {
    close_overdue();
    auto count = ::epoll_wait(epoll_, events.data(), events.size(), milliseconds_until_overdue());
    for (int i = 0; i < count; ++i) {
      int file = events[i].data.fd;
      if (file == stop_event_.get()) return;
      if (file == listening_.get() || file == unix_listening_.get()) accept_next(file);
      else on_readable(file, (events[i].events & EPOLLRDHUP) != 0);
    }
  }
}

void Acceptor::accept_next(int listening) {
  kj::AutoCloseFd socket(::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.get() < 0) {
    // The other end may have closed it already.
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
    // Most likely the process has no descriptor left; wait until a connection frees one.
    log_.warn(std::string("cannot accept a connection: ") + std::strerror(errno));
    pollfd stop{.fd = stop_event_, .events = POLLIN, .revents = 0};
    ::poll(&stop, 1, /*timeout, ms=*/50);
    return;
  }
  if (held_.size() >= connections_max_) {
    if (pending_.empty())
      return log_.warn("refused a connection: " + std::to_string(connections_max_) + " are open");
    close(held_.find(pending_.begin()->second.file));
  }
  tune_socket(socket);
  if (tunnels_ && !begin_tls(socket, listening)) return;
  int file = socket;
  auto number = accepted_count_++;
  held_.emplace(file, HeldConnection{.socket = kj::mv(socket), .number = number});
  pending_.emplace(number, PendingConnection{.accepted_at = Clock::now(), .file = file});
  watch(file, EPOLLIN | EPOLLRDHUP | EPOLLET);
}

/// False where the connection is dropped.
bool Acceptor::begin_tls(kj::AutoCloseFd& socket, int listening) {
  if (listening == unix_listening_.get()) return is_of_this_user(socket);
  socket = tunnels_->open(kj::mv(socket));
  if (socket != nullptr) return true;
  log_.warn(std::string("cannot accept a connection: ") + std::strerror(errno));
  return false;
}

void Acceptor::close(std::map<int, HeldConnection>::iterator connection) {
  pending_.erase(connection->second.number);
  held_.erase(connection);
}

int Acceptor::milliseconds_until_overdue() const {
  if (pending_.empty()) return -1;
  auto deadline = pending_.begin()->second.accepted_at + protocol::login_time;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return std::max(static_cast<int>(left.count()), 0);
}

void Acceptor::close_overdue() {
  while (!pending_.empty() &&
         pending_.begin()->second.accepted_at + protocol::login_time <= Clock::now())
    close(held_.find(pending_.begin()->second.file));
}

/// Finds out from its first bytes what a pending connection is for, and answers heartbeats.
void Acceptor::on_readable(int file, bool has_finished) {
  auto found = held_.find(file);
  if (found == held_.end()) return;  // closed since the event was reported
  auto& connection = found->second;
  if (!connection.is_heartbeat) {
    std::array<char, request.size()> first;
    auto got = ::recv(file, first.data(), first.size(), MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return close(found);
    std::string_view begin(first.data(), static_cast<size_t>(got));
    if (begin == protocol::link) return dispatch(found, Purpose::link);
    if (!request.starts_with(begin) && !protocol::link.starts_with(begin))
      return dispatch(found, Purpose::client);
    if (begin.size() < first.size()) {
      if (has_finished) close(found);
      return;
    }
    connection.is_heartbeat = true;
    pending_.erase(connection.number);
  }
  if (!answer_heartbeats(connection)) close(found);
}

void Acceptor::dispatch(std::map<int, HeldConnection>::iterator connection, Purpose purpose) {
  auto socket = kj::mv(connection->second.socket);
  close(connection);
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
  dispatch_(kj::mv(socket), purpose);
}

/// False where the connection is to be closed: it has ended, it sent something else than
/// heartbeats, or it does not read the answers.
bool Acceptor::answer_heartbeats(HeldConnection& connection) const {
  for (;;) {
    std::array<char, 4 * request.size()> bytes;
    auto got = ::recv(connection.socket, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    for (ssize_t i = 0; i < got; ++i)
      if (bytes[i] != request[connection.request_bytes++ % request.size()]) return false;
    auto due = connection.request_bytes / request.size();
    connection.request_bytes %= request.size();
    for (; due > 0; --due)
      if (::send(connection.socket, &incarnation_, sizeof incarnation_, MSG_NOSIGNAL) !=
          sizeof incarnation_)
        return false;
  }
}

}  // namespace troupe
