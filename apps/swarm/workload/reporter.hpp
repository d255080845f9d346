#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "troupe/actors/sim/cluster.hpp"

namespace troupe::swarm {

/// Where clients report what they do, and what is wrong.
class Reporter {
 public:
  /// Called with a line for each step that starts or ends.
  using Log = std::function<void(const std::string&)>;

  Reporter(sim::Cluster& cluster, Log log) : cluster_(cluster), log_(std::move(log)) {}

  void log(const std::string& text) const {
    if (log_) log_(std::to_string(cluster_.now().count() / 1000) + " us  " + text);
  }
  /// Reports a violation of the cluster, and throws it.
  [[noreturn]] void fail(const std::string& name, const std::string& text) const {
    cluster_.violate(name, text);
    throw std::runtime_error(name + ": " + text);
  }
  /// Fails with "QM-1: what is wrong", unless the text is empty.
  void expect(const std::string& wrong) const {
    auto colon = wrong.find(": ");
    if (!wrong.empty()) fail(wrong.substr(0, colon), wrong.substr(colon + 2));
  }

 private:
  sim::Cluster& cluster_;
  Log log_;
};

}  // namespace troupe::swarm
