#pragma once

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/tests/devices/test_port.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

/// Builds a partition by hand, and runs steps of it with a TestPort.
struct PlanFixture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>(op_catalog());
  std::shared_ptr<TestPort> port = std::make_shared<TestPort>();
  Waiting<Status> done;

  void add(NodeDef def) {
    auto id = graph->add(std::move(def));
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
  }
  void add_const(const std::string& name, Tensor value) {
    auto dtype = value.dtype();
    add({.name = name, .op = "Const", .attrs = {{"value", std::move(value)}, {"dtype", dtype}}});
  }
  void add_recv(const std::string& name, int64_t edge, DType dtype = DType::float32) {
    add(
        {.name = name,
         .op = transfer::recv,
         .attrs = {{"tensor_type", dtype}, {"edge", edge}, {"from_device", "there"}}});
  }
  void add_send(const std::string& input, int64_t edge) {
    add(
        {.name = "send_" + std::to_string(edge),
         .op = transfer::send,
         .inputs = {input},
         .attrs = {{"edge", edge}, {"to_device", "there"}}});
  }
  void add_retval(const std::string& input) {
    add({.name = "out", .op = transfer::retval, .inputs = {input}, .attrs = {{"index", 0}}});
  }
  std::shared_ptr<Execution> start_plan(Device& device) {
    auto plan = Plan::compile(graph, device, {});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    return start(*plan, port, done.callback());
  }
};

}  // namespace troupe::testing
