#include "troupe/capnp/server/porter.hpp"

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

#include "troupe/capnp/frame_stream.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/check.hpp"

namespace troupe {
namespace {

constexpr auto question = protocol::heartbeat;

}  // namespace

Porter::Porter(kj::AutoCloseFd listening, uint64_t incarnation, HandOn hand_on, size_t visitors_max)
    : incarnation_(incarnation),
      hand_on_(std::move(hand_on)),
      visitors_max_(visitors_max),
      listening_(kj::mv(listening)),
      end_(::eventfd(0, EFD_CLOEXEC)),
      events_(::epoll_create1(EPOLL_CLOEXEC)) {
  watch(end_, EPOLLIN);
  watch(listening_, EPOLLIN);
  thread_ = std::thread([this] { run(); });
}

Porter::~Porter() noexcept {
  CHECK(::eventfd_write(end_, 1) == 0);
  thread_.join();
}

void Porter::watch(int file, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = file;
  CHECK(::epoll_ctl(events_, EPOLL_CTL_ADD, file, &event) == 0);
}

void Porter::run() {
  std::array<epoll_event, 16> happened;
  for (;;) {
    dismiss_late();
    auto count = ::epoll_wait(events_, happened.data(), happened.size(), milliseconds_until_late());
    for (int i = 0; i < count; ++i) {
      int file = happened[i].data.fd;
      if (file == end_.get()) return;
      if (file == listening_.get()) take_next();
      else look_at(file, (happened[i].events & EPOLLRDHUP) != 0);
    }
  }
}

void Porter::take_next() {
  kj::AutoCloseFd socket(::accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.get() < 0) {
    // The other end may be gone already.
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
    // Most likely the process has no descriptor left; a connection that ends frees one.
    log_.warn(std::string("cannot take a connection: ") + std::strerror(errno));
    pollfd end{.fd = end_, .events = POLLIN, .revents = 0};
    ::poll(&end, 1, /*timeout, ms=*/50);
    return;
  }
  if (visitors_.size() >= visitors_max_) {
    if (strangers_.empty())
      return log_.warn("refused a connection: " + std::to_string(visitors_max_) + " are open");
    dismiss(visitors_.find(strangers_.begin()->second.file));
  }
  tune_socket(socket);
  int file = socket;
  auto number = visitor_count_++;
  visitors_.emplace(file, Visitor{.socket = kj::mv(socket), .number = number});
  strangers_.emplace(number, Stranger{.came = Clock::now(), .file = file});
  watch(file, EPOLLIN | EPOLLRDHUP | EPOLLET);
}

void Porter::dismiss(std::map<int, Visitor>::iterator visitor) {
  strangers_.erase(visitor->second.number);
  visitors_.erase(visitor);
}

int Porter::milliseconds_until_late() const {
  if (strangers_.empty()) return -1;
  auto late = strangers_.begin()->second.came + protocol::login_time;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(late - Clock::now());
  return std::max(static_cast<int>(left.count()), 0);
}

void Porter::dismiss_late() {
  while (!strangers_.empty() &&
         strangers_.begin()->second.came + protocol::login_time <= Clock::now())
    dismiss(visitors_.find(strangers_.begin()->second.file));
}

/// What comes first says what a connection is for.
void Porter::look_at(int file, bool has_finished) {
  auto found = visitors_.find(file);
  if (found == visitors_.end()) return;  // it was dismissed since that happened
  auto& visitor = found->second;
  if (!visitor.is_known) {
    std::array<char, question.size()> first;
    auto got = ::recv(file, first.data(), first.size(), MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return dismiss(found);
    auto size = static_cast<size_t>(got);
    if (std::string_view(first.data(), size) != question.substr(0, size)) {
      auto socket = kj::mv(visitor.socket);
      dismiss(found);
      ::epoll_ctl(events_, EPOLL_CTL_DEL, socket, nullptr);
      return hand_on_(kj::mv(socket));
    }
    if (size < first.size()) {
      if (has_finished) dismiss(found);
      return;
    }
    visitor.is_known = true;
    strangers_.erase(visitor.number);
  }
  if (!answer(visitor)) dismiss(found);
}

/// False when the connection has ended, or its other end says what it should not, or reads nothing.
bool Porter::answer(Visitor& visitor) const {
  for (;;) {
    std::array<char, 4 * question.size()> bytes;
    auto got = ::recv(visitor.socket, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    for (ssize_t i = 0; i < got; ++i)
      if (bytes[i] != question[visitor.bytes++ % question.size()]) return false;
    auto due = visitor.bytes / question.size();
    visitor.bytes %= question.size();
    for (; due > 0; --due)
      if (::send(visitor.socket, &incarnation_, sizeof incarnation_, MSG_NOSIGNAL) !=
          sizeof incarnation_)
        return false;
  }
}

}  // namespace troupe
