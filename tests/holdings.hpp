#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace troupe::testing {

/// What a process has of the machine.
struct Holdings {
  double memory_mib = 0;
  int threads = 0;
  int descriptors = 0;
};

inline Holdings holdings_of(pid_t pid) {
  Holdings holdings;
  auto process = "/proc/" + std::to_string(pid);
  std::ifstream status(process + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) holdings.memory_mib = std::stod(line.substr(6)) / 1024;
    if (line.starts_with("Threads:")) holdings.threads = std::stoi(line.substr(8));
  }
  for (const auto& descriptor : std::filesystem::directory_iterator(process + "/fd"))
    holdings.descriptors += !descriptor.path().empty();
  return holdings;
}

}  // namespace troupe::testing
