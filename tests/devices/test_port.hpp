#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "troupe/devices/step_port.hpp"

namespace troupe::testing {

/// A port whose edges the test itself serves, and whose posted work it runs when it likes.
struct TestPort final : StepPort {
  Tensor feed(int) override { return fed; }
  void fetch(int, Tensor value) override { fetched = std::move(value); }
  bool lends(const EdgeKey& key, const Tensor& value) override {
    return value.memory() == MemoryKind::device ? lends_all : lends_filling;
  }
  Status send(const EdgeKey& key, Tensor value) override {
    sent_keys.push_back(key);
    sent.emplace_back(key.edge, std::move(value));
    return {};
  }
  std::optional<Result<Tensor>> try_receive(const EdgeKey& key) override {
    auto found = early.extract(key);
    if (!found) return {};
    return std::move(found.mapped());
  }
  void receive(const EdgeKey& key, Arrived arrived) override { waiting[key] = std::move(arrived); }
  void fail(const Status& status) override {
    for (auto& [key, arrived] : std::exchange(waiting, {})) arrived(status);
    run_posted();
  }
  SessionTensors* session_tensors() override { return kept; }
  void post(std::function<void()> work) override { posted.push_back(std::move(work)); }

  /// Answers a kernel that waits, and runs what follows it.
  void arrive(const EdgeKey& key, Tensor value) {
    auto receiver = std::move(waiting.extract(key).mapped());
    receiver(std::move(value));
    run_posted();
  }
  void run_posted() {
    while (!posted.empty()) {
      auto work = std::move(posted.front());
      posted.pop_front();
      work();
    }
  }

  bool lends_all = false;      // of the device's memory
  bool lends_filling = false;  // what a copy still fills
  SessionTensors* kept = nullptr;
  Tensor fed = Tensor::scalar(1.0f);
  Tensor fetched;
  std::vector<std::pair<EdgeId, Tensor>> sent;
  std::vector<EdgeKey> sent_keys;
  std::map<EdgeKey, Tensor> early;
  std::map<EdgeKey, Arrived> waiting;
  std::deque<std::function<void()>> posted;
};

}  // namespace troupe::testing
