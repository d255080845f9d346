#pragma once

#include <map>
#include <memory>
#include <vector>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/graph/passes/inline_functions.hpp"
#include "troupe/graph/passes/partition.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

/// Runs steps of a graph on one CPU device, without actors. It owns the resources.
class GraphRunner {
 public:
  explicit GraphRunner(std::unique_ptr<Device> device = make_cpu_device())
      : device_(std::move(device)) {}
  GraphRunner(GraphRunner&&) = default;
  /// As a container does: an iterator holds functions that may hold it.
  ~GraphRunner() {
    for (auto& [name, resource] : resources_) resource->drop();
  }

  Result<Tensors> run(
      const Builder& b, const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}) {
    if (!b.status().ok()) return b.status();
    StepSignature signature;
    for (const auto& feed : feeds) signature.feeds.push_back(feed.output.name);
    for (const auto& fetch : fetches) signature.fetches.push_back(fetch.name);
    for (const auto& target : targets) signature.targets.push_back(target.name);
    auto step = prune(b.graph(), signature);
    if (!step) return step.status();
    auto inlined = inline_functions(b.graph(), signature, *step);
    if (!inlined) return inlined.status();
    const auto& graph = *inlined ? *(*inlined)->graph : b.graph();
    const auto& placed = *inlined ? (*inlined)->step : *step;
    std::map<NodeId, DeviceName> places;
    for (auto id : placed.nodes) places[id] = DeviceName{"local", 0, "CPU", 0};
    Tensors answers(fetches.size());
    for (size_t i = 0; i < fetches.size(); ++i)
      for (size_t j = 0; j < feeds.size(); ++j)
        if (step->fetches[i] == step->feeds[j]) answers[i] = feeds[j].value;
    auto parts = partition(graph, placed, places);
    if (!parts) return parts.status();
    for (const auto& part : *parts) {
      auto status = run_partition(b.graph(), part, feeds, answers);
      if (!status.ok()) return status;
    }
    return answers;
  }

 private:
  /// Feeds in, fetches out; there is no other device to talk to.
  struct Port final : StepPort {
    Port(Device& device, const Partition& part, const std::vector<Feed>& feeds, Tensors& answers)
        : device(device), part(part), feeds(feeds), answers(answers) {}
    Tensor feed(int index) override { return feeds[part.feeds[index]].value; }
    void fetch(int index, Tensor value) override {
      answers[part.fetches[index]] = std::move(value);
    }
    Status send(const EdgeKey&, Tensor) override {
      CHECK(false);
      return {};
    }
    std::optional<Result<Tensor>> try_receive(const EdgeKey&) override { return {}; }
    void receive(const EdgeKey&, Arrived) override { CHECK(false); }
    void fail(const Status&) override {}
    void post(std::function<void()> work) override { device.enqueue(std::move(work)); }
    Device& device;
    const Partition& part;
    const std::vector<Feed>& feeds;
    Tensors& answers;
  };

  Status run_partition(
      const Graph& whole, const Partition& part, const std::vector<Feed>& feeds, Tensors& answers) {
    auto graph = std::make_shared<Graph>(whole.shared_catalog(), whole.shared_library());
    for (const auto& def : part.nodes)
      if (auto id = graph->add(def); !id) return id.status();
    Plan::Bindings bindings;
    auto uses = resources_of(graph, device_->resource_kinds());
    if (!uses) return uses.status();
    for (const auto& use : *uses) {
      auto made = use.make();
      if (!made) return made.status();
      bindings[use.node] = resources_.emplace(use.name, *std::move(made)).first->second;
    }
    auto plan = Plan::compile(graph, *device_, bindings);
    if (!plan) return plan.status();
    auto port = std::make_shared<Port>(*device_, part, feeds, answers);
    Waiting<Status> done;
    auto execution = start(*plan, port, done.callback());
    return done.wait();
  }

  std::unique_ptr<Device> device_;
  std::map<ResourceName, std::shared_ptr<Resource>> resources_;
};

/// One step of a graph without variables.
inline Result<Tensors> run_graph(
    const Builder& b, const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets = {}) {
  return GraphRunner().run(b, feeds, fetches, targets);
}

}  // namespace troupe::testing
