#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

namespace troupe::testing {

/// Steps of single ops on one resource of a CPU device, which need not end when they are started:
/// the test's thread runs all of them.
class ResourceSteps {
 public:
  /// A step, and how it has ended: "waits", its outputs, or its error.
  struct Step {
    std::shared_ptr<TestPort> port = std::make_shared<TestPort>();
    std::shared_ptr<Execution> execution;
    std::shared_ptr<std::string> text = std::make_shared<std::string>("waits");

    std::string end() const {
      port->run_posted();
      return *text;
    }
    std::string cancel() const {
      execution->cancel(cancelled("not wanted any more"));
      return end();
    }
    std::string awaits() const { return execution->waits().at(0).what; }
  };

  /// `handle` makes the handle of the resource; "" for ops that name it by those attributes.
  explicit ResourceSteps(std::string handle, Attrs attrs)
      : handle_(std::move(handle)), attrs_(std::move(attrs)) {
    attrs_.try_emplace("shared_name", "r");
  }

  Step start(const std::string& op, const Tensors& inputs = {}, const Attrs& attrs = {}) {
    auto graph = std::make_shared<Graph>(op_catalog());
    NodeDef def{.name = "use", .op = op, .attrs = attrs};
    if (handle_.empty()) {
      for (const auto& [name, value] : attrs_) def.attrs.try_emplace(name, value);
    } else {
      add(*graph, {.name = "handle", .op = handle_, .attrs = attrs_});
      def.inputs = {"handle"};
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto name = "input" + std::to_string(i);
      add(*graph, {.name = name,
                   .op = "Const",
                   .attrs = {{"value", inputs[i]}, {"dtype", inputs[i].dtype()}}});
      def.inputs.push_back(name);
    }
    if (auto added = graph->add(std::move(def)); !added) return failed(added.status());
    return run(graph);
  }
  std::string operator()(
      const std::string& op, const Tensors& inputs = {}, const Attrs& attrs = {}) {
    return start(op, inputs, attrs).end();
  }

  /// The resource as another node would declare it.
  std::string declare(const std::string& handle, const Attrs& attrs) {
    auto graph = std::make_shared<Graph>(op_catalog());
    add(*graph, {.name = "other", .op = handle, .attrs = attrs});
    auto uses = resources_of(graph, device_->resource_kinds());
    BOOST_TEST_REQUIRE(uses.ok(), uses.status().to_string());
    auto status = (*uses)[0].kind->check_declared(resource(), {"", "r"}, (*uses)[0].handle());
    return status.ok() ? "ok" : show(Result<Tensors>(status));
  }

  Resource& resource() { return *resource_; }

 private:
  static void add(Graph& graph, NodeDef def) {
    auto id = graph.add(std::move(def));
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
  }
  static Step failed(const Status& status) {
    Step step;
    *step.text = show(Result<Tensors>(status));
    return step;
  }

  /// Sends the outputs to the port, which keeps what is sent.
  Step run(const std::shared_ptr<Graph>& graph) {
    auto count = graph->node(*graph->find("use")).output_dtypes.size();
    for (size_t i = 0; i < count; ++i)
      add(*graph, {.name = "send" + std::to_string(i),
                   .op = transfer::send,
                   .inputs = {"use:" + std::to_string(i)},
                   .attrs = {{"edge", static_cast<int64_t>(i)}, {"to_device", "there"}}});
    auto plan = compile(graph);
    if (!plan) return failed(plan.status());
    Step step;
    auto end = [text = step.text, port = step.port.get(), count](const Status& status) {
      Tensors outputs(count);
      for (auto& [edge, value] : port->sent) outputs[static_cast<size_t>(edge)] = value;
      if (!status.ok()) *text = show(Result<Tensors>(status));
      else *text = count == 0 ? "ok" : show(outputs);
    };
    step.execution = troupe::start(*plan, step.port, end);
    return step;
  }

  Result<std::shared_ptr<const Plan>> compile(const std::shared_ptr<Graph>& graph) {
    auto uses = resources_of(graph, device_->resource_kinds());
    if (!uses) return uses.status();
    Plan::Bindings bindings;
    for (const auto& use : *uses) {
      if (!resource_) {
        auto made = use.kind->make(use.handle());
        if (!made) return made.status();
        resource_ = *std::move(made);
      }
      bindings[use.node] = resource_;
    }
    return Plan::compile(graph, *device_, bindings);
  }

  const std::string handle_;
  Attrs attrs_;
  std::unique_ptr<Device> device_ = make_cpu_device({.threads = 1});
  std::shared_ptr<Resource> resource_;
};

}  // namespace troupe::testing
