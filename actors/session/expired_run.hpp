#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/cluster/cluster_view.hpp"

namespace troupe {

/// The error of a run whose deadline has passed: it names the devices that it runs on, and the
/// devices or tasks that it waits for to be compiled.
Status expired_error(std::set<std::string> running, std::set<std::string> compiling);

/// A run whose deadline has passed, while its devices are asked what it waits for. Its destructor
/// ends the run, with their answers as notes of the error, so each pending request shares it.
class ExpiredRun {
 public:
  /// How long devices have to answer: the run ends late by that much at most.
  static constexpr std::chrono::milliseconds answer_time{20};

  /// `owner`: without it, `end` is not called.
  ExpiredRun(Status error, std::weak_ptr<void> owner, std::function<void(const Status&)> end)
      : error_(std::move(error)), owner_(std::move(owner)), end_(std::move(end)) {}
  ExpiredRun(const ExpiredRun&) = delete;
  ~ExpiredRun() {
    if (!owner_.expired()) end_(error_);
  }

  void add(const std::vector<Wait>& waits);

 private:
  Status error_;
  const std::weak_ptr<void> owner_;
  const std::function<void(const Status&)> end_;
};

}  // namespace troupe
