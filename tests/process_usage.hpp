#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace troupe::testing {

/// The resources that a process uses.
struct ProcessUsage {
  double memory_mib = 0;
  double shared_mib = 0;  // part of it: of files without a name
  double peak_mib = 0;    // the most that it ever was
  int threads = 0;
  int descriptors = 0;
};

/// A bound of memory that suffices where nothing is instrumented, as one that suffices here:
/// sanitizers keep memory of their own for all that is allocated, and for a while what was freed.
inline double with_instrumentation(double mib) {
#if defined(__SANITIZE_THREAD__)
  return 12 * mib;
#elif defined(__SANITIZE_ADDRESS__)
  return 6 * mib;
#else
  return mib;
#endif
}

/// Zeros if it has ended.
inline ProcessUsage usage_of(pid_t pid) {
  ProcessUsage usage;
  auto process = "/proc/" + std::to_string(pid);
  std::ifstream status(process + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) usage.memory_mib = std::stod(line.substr(6)) / 1024;
    if (line.starts_with("RssShmem:")) usage.shared_mib = std::stod(line.substr(9)) / 1024;
    if (line.starts_with("VmHWM:")) usage.peak_mib = std::stod(line.substr(6)) / 1024;
    if (line.starts_with("Threads:")) usage.threads = std::stoi(line.substr(8));
  }
  std::error_code has_ended;
  for (const auto& descriptor : std::filesystem::directory_iterator(process + "/fd", has_ended))
    usage.descriptors += !descriptor.path().empty();
  return usage;
}

}  // namespace troupe::testing
