#include "troupe/apps/cli/ports.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <string>
#include <utility>

namespace troupe::cli {

Result<std::vector<int>> free_ports(size_t count) {
  // Below the range from which the system takes the ports of outgoing connections.
  constexpr int first = 20'000, last = 31'999;
  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<int> next(first, last);
  // All stay bound until the last one is found: no port is found twice.
  std::vector<int> sockets, ports;
  for (int tries = 0; ports.size() < count && tries <= last - first; ++tries) {
    auto port = next(random);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockets.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      ports.push_back(port);
    else close(std::exchange(sockets.back(), -1));
  }
  for (auto each : sockets)
    if (each >= 0) close(each);
  if (ports.size() == count) return ports;
  return resource_exhausted(
      "there are no " + std::to_string(count) + " free ports; name some with --port-base");
}

}  // namespace troupe::cli
