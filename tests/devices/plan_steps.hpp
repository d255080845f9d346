#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "troupe/devices/executor.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

/// A partition of float32 nodes, by hand.
class PartGraph {
 public:
  std::string arg(int index) {
    return add(
        transfer::arg, {},
        {{"T", DType::float32}, {"index", index}, {"shape", Shape::unknown_rank()}});
  }
  std::string op(const std::string& name, std::vector<std::string> inputs, Attrs attrs = {}) {
    return add(name, std::move(inputs), std::move(attrs));
  }
  void retval(int index, const std::string& value) {
    add(transfer::retval, {value}, {{"index", index}});
  }
  std::shared_ptr<const Graph> graph() const { return graph_; }

 private:
  std::string add(const std::string& op, std::vector<std::string> inputs, Attrs attrs) {
    auto name = "n" + std::to_string(count_++);
    auto id = graph_->add(
        {.name = name, .op = op, .inputs = std::move(inputs), .attrs = std::move(attrs)});
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
    return name;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(op_catalog());
  int count_ = 0;
};

/// Steps of one plan of such a graph on a device with threads, which may run at once.
class PlanSteps {
 public:
  PlanSteps(std::shared_ptr<const Graph> graph, Device& device) : device_(device) {
    auto plan = Plan::compile(std::move(graph), device, {});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    plan_ = *std::move(plan);
  }

  /// A step that was started. It must be waited for.
  class Running {
   public:
    Result<Tensors> wait() {
      auto status = done_.wait();
      if (!status.ok()) return status;
      Tensors values;
      for (auto& [index, value] : port_->fetched) values.push_back(std::move(value));
      return values;
    }

   private:
    friend PlanSteps;
    struct Port final : StepPort {
      Port(Device& device, Tensors feeds) : device(device), feeds(std::move(feeds)) {}
      Tensor feed(int index) override { return feeds[static_cast<size_t>(index)]; }
      void fetch(int index, Tensor value) override {
        std::lock_guard lock(mutex);
        fetched[index] = std::move(value);
      }
      Status send(const EdgeKey&, Tensor) override { return {}; }
      std::optional<Result<Tensor>> try_receive(const EdgeKey&) override { return {}; }
      void receive(const EdgeKey&, Arrived) override {}
      void fail(const Status&) override {}
      void post(std::function<void()> work) override { device.enqueue(std::move(work)); }
      Device& device;
      const Tensors feeds;
      std::mutex mutex;
      std::map<int, Tensor> fetched;
    };

    std::shared_ptr<Port> port_;
    Waiting<Status> done_;
    std::shared_ptr<Execution> execution_;
  };

  std::unique_ptr<Running> start_step(Tensors feeds) {
    auto running = std::make_unique<Running>();
    running->port_ = std::make_shared<Running::Port>(device_, std::move(feeds));
    running->execution_ = start(plan_, running->port_, running->done_.callback());
    return running;
  }
  Result<Tensors> run(Tensors feeds) { return start_step(std::move(feeds))->wait(); }

 private:
  Device& device_;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace troupe::testing
