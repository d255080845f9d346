#pragma once

#include <string>
#include <vector>

#include "troupe/graph/train/host.hpp"

namespace troupe::testing {

/// Its time passes while somebody waits, and stands still else.
struct FakeHost final : train::Host {
  Time now() override { return time; }
  bool wait(Time wanted) override {
    waits.push_back(wanted);
    time += wanted;
    return !is_stopped;
  }
  void log(const std::string& message) override { messages.push_back(message); }
  void warn(const std::string& message) override { warnings.push_back(message); }

  Time time{0};
  bool is_stopped = false;
  std::vector<Time> waits;
  std::vector<std::string> messages, warnings;
};

}  // namespace troupe::testing
