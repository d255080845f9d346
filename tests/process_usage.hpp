#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace troupe::testing {

/// The resources that a process uses.
struct ProcessUsage {
  double memory_mib = 0;
  int threads = 0;
  int descriptors = 0;
};

inline ProcessUsage usage_of(pid_t pid) {
  ProcessUsage usage;
  auto process = "/proc/" + std::to_string(pid);
  std::ifstream status(process + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) usage.memory_mib = std::stod(line.substr(6)) / 1024;
    if (line.starts_with("Threads:")) usage.threads = std::stoi(line.substr(8));
  }
  for (const auto& descriptor : std::filesystem::directory_iterator(process + "/fd"))
    usage.descriptors += !descriptor.path().empty();
  return usage;
}

}  // namespace troupe::testing
