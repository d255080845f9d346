#include "troupe/capnp/client/client_name.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace troupe {
namespace {

/// From the environment: the system's list of users may be on a network.
std::string user_name() {
  for (const auto* variable : {"USER", "LOGNAME"})
    if (const auto* name = std::getenv(variable); name && *name) return name;
  return "user " + std::to_string(getuid());
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "an unknown host";
  return name.data();
}

}  // namespace

std::string client_name(std::string program) {
  if (program.empty()) program = program_invocation_short_name;
  return program + " (process " + std::to_string(getpid()) + ") of " + user_name() + "@" +
         host_name();
}

}  // namespace troupe
