#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/session.hpp"

namespace troupe::testing {

/// What fake sessions share: the variables and their values, and what is to go wrong.
struct FakeCluster {
  std::set<std::string> initialized;                // variables
  int64_t global_step = 0;                          // what a fetch of "global_step" gives
  std::deque<Status> failures;                      // of the next steps of "train"
  std::deque<Status> refusals;                      // of the next connections
  std::vector<std::string> log;                     // "open", "run TARGETS", "close"
  std::map<std::string, Tensor> fetched;            // by name
  std::vector<std::chrono::milliseconds> timeouts;  // of the steps that have one
};

/// Runs nothing: answers as the cluster says. The target "v/assign" gives v a value, "train"
/// counts.
class FakeSession final : public BasicSession {
 public:
  explicit FakeSession(FakeCluster& cluster) : cluster_(cluster) {}

  static Result<std::unique_ptr<BasicSession>> open(FakeCluster& cluster) {
    if (!cluster.refusals.empty()) {
      auto status = cluster.refusals.front();
      cluster.refusals.pop_front();
      return status;
    }
    cluster.log.push_back("open");
    return std::unique_ptr<BasicSession>(std::make_unique<FakeSession>(cluster));
  }

  Status extend(const Graph&) override { return {}; }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets, const RunOptions& options) override {
    for (const auto& target : targets) {
      cluster_.log.push_back("run " + target.name);
      if (target.name == "train" && !cluster_.failures.empty()) {
        auto status = cluster_.failures.front();
        cluster_.failures.pop_front();
        if (!status.ok()) return status;
      }
      if (target.name == "train") ++cluster_.global_step;
      if (target.name.ends_with("/assign"))
        cluster_.initialized.insert(target.name.substr(0, target.name.rfind('/')));
    }
    Tensors values;
    for (const auto& fetch : fetches) values.push_back(value_of(fetch.name));
    last_options = options;
    if (options.timeout.count() > 0) cluster_.timeouts.push_back(options.timeout);
    return values;
  }

  Status close() override {
    cluster_.log.push_back("close");
    return {};
  }

  RunOptions last_options;

 private:
  Tensor value_of(const std::string& name) const {
    if (auto end = name.find("/is_initialized"); end != std::string::npos)
      return Tensor::scalar<bool>(cluster_.initialized.contains(name.substr(0, end)));
    if (name == "global_step") return Tensor::scalar<int64_t>(cluster_.global_step);
    auto found = cluster_.fetched.find(name);
    return found == cluster_.fetched.end() ? Tensor::scalar<float>(0) : found->second;
  }

  FakeCluster& cluster_;
};

}  // namespace troupe::testing
