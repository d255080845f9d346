#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

namespace troupe::testing {

/// Steps of single ops on queues of one CPU device, which need not end when they are started: the
/// test's thread runs all of them. "FIFOQueue" and so on by reference, with V2 by handle.
class QueueSteps {
 public:
  /// A step, and how it has ended: "waits", its outputs, or its error.
  struct Step {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<TestPort> port = std::make_shared<TestPort>();
    std::shared_ptr<Execution> execution;
    std::shared_ptr<std::string> text = std::make_shared<std::string>("waits");

    std::string end() const {
      port->run_posted();
      return *text;
    }
    void cancel(Status why = cancelled("not wanted any more")) const {
      execution->cancel(std::move(why));
      port->run_posted();
    }
  };

  explicit QueueSteps(std::string op = "FIFOQueueV2", Attrs attrs = {})
      : op_(std::move(op)), attrs_(std::move(attrs)) {
    attrs_.try_emplace("component_types", DTypes{DType::float32});
    attrs_.try_emplace("shapes", Shapes{Shape()});
    attrs_.try_emplace("shared_name", "q");
  }

  /// An op on the queue and on those tensors.
  struct Use {
    std::string op;
    Tensors inputs;
    Attrs attrs;
  };

  /// Runs the ops in one step, and shows the outputs of the first.
  Step start(const std::vector<Use>& uses) {
    auto graph = std::make_shared<Graph>(op_catalog());
    add(*graph, {.name = "q", .op = op_, .attrs = attrs_});
    for (size_t i = 0; i < uses.size(); ++i)
      if (auto added = add_use(*graph, "use" + std::to_string(i), uses[i]); !added)
        return failed(added.status());
    return run(graph);
  }
  Step start(const std::string& op, const Tensors& inputs = {}, const Attrs& attrs = {}) {
    return start({{op, inputs, attrs}});
  }
  std::string operator()(
      const std::string& name, const Tensors& inputs = {}, const Attrs& attrs = {}) {
    return start(name, inputs, attrs).end();
  }

  /// The same queue as another node may declare it.
  std::string declare(const std::string& op, const Attrs& changes) {
    auto graph = std::make_shared<Graph>(op_catalog());
    auto attrs = attrs_;
    if (!op.starts_with("RandomShuffle"))
      for (auto name : {"min_after_dequeue", "seed", "seed2"}) attrs.erase(name);
    for (const auto& [name, value] : changes) attrs.insert_or_assign(name, value);
    add(*graph, {.name = "other", .op = op, .attrs = attrs});
    auto uses = resources_of(graph, device_->resource_kinds());
    BOOST_TEST_REQUIRE(uses.ok(), uses.status().to_string());
    auto status = (*uses)[0].kind->check_declared(
        *resources_.at((*uses)[0].name), (*uses)[0].name, (*uses)[0].handle());
    return status.ok() ? "ok" : show(Result<Tensors>(status));
  }

  Resource& queue() { return *resources_.begin()->second; }

 private:
  DTypes dtypes() const {
    auto dtypes = *attrs_.at("component_types").get<DTypes>();
    if (op_.starts_with("Priority")) dtypes.insert(dtypes.begin(), DType::int64);
    return dtypes;
  }
  std::string form_of(const std::string& name) const {
    return op_.ends_with("V2") ? name + "V2" : name;
  }

  static void add(Graph& graph, NodeDef def) {
    auto id = graph.add(std::move(def));
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
  }
  static void add_const(Graph& graph, const std::string& name, const Tensor& value) {
    add(graph,
        {.name = name, .op = "Const", .attrs = {{"value", value}, {"dtype", value.dtype()}}});
  }
  static Step failed(const Status& status) {
    Step step;
    *step.text = show(Result<Tensors>(status));
    return step;
  }

  Result<NodeId> add_use(Graph& graph, const std::string& name, const Use& use) const {
    NodeDef def{.name = name, .op = form_of(use.op), .inputs = {"q"}, .attrs = use.attrs};
    for (size_t i = 0; i < use.inputs.size(); ++i) {
      auto constant = name + "_input" + std::to_string(i);
      add_const(graph, constant, use.inputs[i]);
      def.inputs.push_back(constant);
    }
    if (use.op.starts_with("QueueDequeue")) def.attrs.try_emplace("component_types", dtypes());
    return graph.add(std::move(def));
  }

  /// Sends the outputs to the port, which keeps what is sent.
  Step run(const std::shared_ptr<Graph>& graph) {
    auto count = graph->node(*graph->find("use0")).output_dtypes.size();
    for (size_t i = 0; i < count; ++i)
      add(*graph, {.name = "send" + std::to_string(i),
                   .op = transfer::send,
                   .inputs = {"use0:" + std::to_string(i)},
                   .attrs = {{"edge", static_cast<int64_t>(i)}, {"to_device", "there"}}});
    auto plan = compile(graph);
    if (!plan) return failed(plan.status());
    Step step{.graph = graph, .execution = nullptr};
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
      auto& resource = resources_[use.name];
      if (!resource) {
        auto made = use.kind->make(use.handle());
        if (!made) {
          resources_.erase(use.name);
          return made.status();
        }
        resource = *std::move(made);
      }
      bindings[use.node] = resource;
    }
    return Plan::compile(graph, *device_, bindings);
  }

  const std::string op_;
  Attrs attrs_;
  std::unique_ptr<Device> device_ = make_cpu_device({.threads = 1});
  std::map<ResourceName, std::shared_ptr<Resource>> resources_;
};

}  // namespace troupe::testing
