#include "troupe/tests/processes/support/network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "troupe/graph/support/check.hpp"

namespace troupe::testing {
namespace {

using Clock = std::chrono::steady_clock;

Status missing(const std::string& what) {
  return failed_precondition(what + ": " + strerror(errno));
}

/// The network namespace of the calling thread.
int open_network() { return ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }

/// The descriptor of a new tun interface in the calling thread's namespace.
int make_interface(ifreq request) {
  int end = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (end < 0 || ioctl(end, TUNSETIFF, &request) == 0) return end;
  auto error = errno;
  close(end);
  errno = error;
  return -1;
}

ifreq request_of(const char* interface) {
  ifreq request{};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  return request;
}

bool set_address(int socket, ifreq request, unsigned long what, const std::string& address) {
  auto& to = reinterpret_cast<sockaddr_in&>(request.ifr_addr);
  to.sin_family = AF_INET;
  return inet_pton(AF_INET, address.c_str(), &to.sin_addr) == 1 &&
         ioctl(socket, what, &request) == 0;
}

bool bring_up(const char* interface, const std::string& address) {
  int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  auto request = request_of(interface);
  bool is_set = set_address(socket, request, SIOCSIFADDR, address) &&
                set_address(socket, request, SIOCSIFNETMASK, "255.255.255.0");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  bool is_up = is_set && ioctl(socket, SIOCSIFFLAGS, &request) == 0;
  close(socket);
  return is_up;
}

struct Packet {
  Clock::time_point due;
  int to;
  std::vector<char> bytes;
};

}  // namespace

Result<std::unique_ptr<Host>> Host::make(const std::string& address) {
  int previous = open_network();
  CHECK(previous >= 0);
  auto host = std::unique_ptr<Host>(new Host(address));
  auto status = host->set_up();
  CHECK(setns(previous, CLONE_NEWNET) == 0 || !status.ok());
  close(previous);
  if (!status.ok()) return status;
  return host;
}

Status Host::set_up() {
  if (unshare(CLONE_NEWNET) != 0) return missing("no network namespace can be made");
  network_ = open_network();
  packets_ = make_interface(request_of("link"));
  if (packets_ < 0) return missing("no interface can be made by /dev/net/tun");
  if (!bring_up("lo", "127.0.0.1") || !bring_up("link", address_))
    return missing("no interface can be set up");
  return {};
}

Host::~Host() {
  for (int file : {packets_, network_})
    if (file >= 0) close(file);
}

Host::Scope::Scope(const Host& host) : previous_(open_network()) {
  CHECK(setns(host.network_, CLONE_NEWNET) == 0);
}

Host::Scope::~Scope() {
  CHECK(setns(previous_, CLONE_NEWNET) == 0);
  close(previous_);
}

Link::Link(const Host& a, const Host& b) {
  thread_ = std::thread([this, a = a.packets(), b = b.packets()] { forward_packets(a, b); });
}

Link::~Link() {
  is_over_ = true;
  thread_.join();
}

void Link::set(std::chrono::milliseconds delay, double loss) {
  delay_ = delay;
  loss_ = loss;
}

void Link::forward_packets(int a, int b) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> chance;
  std::deque<Packet> in_flight;
  std::array<char, 65536> bytes;
  while (!is_over_) {
    std::array<pollfd, 2> ends = {pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
    poll(ends.data(), ends.size(), /*timeout, ms=*/1);
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      for (ssize_t size; (size = read(from, bytes.data(), bytes.size())) > 0;)
        if (chance(random) >= loss_)
          in_flight.push_back(
              {Clock::now() + delay_.load(), to, {bytes.data(), bytes.data() + size}});
    for (; !in_flight.empty() && in_flight.front().due <= Clock::now(); in_flight.pop_front())
      (void)!write(
          in_flight.front().to, in_flight.front().bytes.data(), in_flight.front().bytes.size());
  }
}

}  // namespace troupe::testing
