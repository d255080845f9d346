#include "troupe/devices/resources/variable.hpp"

#include <algorithm>
#include <optional>
#include <thread>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

namespace troupe::testing {

namespace {

/// A variable w = [1, 2] in the device's memory, and a step that reads it. Whatever waits with its
/// thread for an update hangs, as the test's own thread makes the updates.
struct Fixture : PlanFixture, KernelFixture {
  std::shared_ptr<VariableResource> w = variable(in_device_memory({1, 2}));
  std::optional<VariableUpdate> update;

  Tensor in_device_memory(std::initializer_list<float> values) {
    auto tensor = Tensor::allocate(
        DType::float32, {static_cast<int64_t>(values.size())}, device->allocator());
    BOOST_REQUIRE(tensor.ok());
    std::ranges::copy(values, tensor->mutable_data<float>());
    return *std::move(tensor);
  }
  std::shared_ptr<Execution> start_read() {
    add({.name = "w", .op = "VarHandleOp", .attrs = {{"dtype", DType::float32}}});
    add(
        {.name = "read",
         .op = "ReadVariableOp",
         .inputs = {"w"},
         .attrs = {{"dtype", DType::float32}}});
    add_retval("read");
    auto plan = Plan::compile(graph, *device, {{graph->nodes()[0].id, w}});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    return start(*plan, port, done.callback());
  }
  Status end_read() {
    port->run_posted();
    return done.wait();
  }
  std::string value() {
    auto found = w->read();
    return !found ? "is updated" : !found->is_set() ? "none" : found->to_string();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(variable_resource, Fixture)

BOOST_AUTO_TEST_CASE(a_read_that_meets_an_update_waits_without_a_thread_and_gets_the_new_value) {
  update.emplace(*w);
  auto execution = start_read();
  BOOST_REQUIRE(execution->waits().size() == 1u);
  BOOST_TEST(graph->node(execution->waits()[0].node).name == "read");
  BOOST_TEST(execution->waits()[0].what == "the update of its variable");
  BOOST_TEST(update->value().is_sole_owner());
  update->value().mutable_data<float>()[0] = 7;
  BOOST_TEST(port->posted.empty());
  update->value().mutable_data<float>()[1] = 8;
  update.reset();
  BOOST_TEST(end_read().ok());
  BOOST_TEST(port->fetched.to_string() == "float32[2] [7 8]");
}

BOOST_AUTO_TEST_CASE(a_read_that_meets_an_update_in_new_memory_gets_the_old_value_at_once) {
  auto reader = w->read();
  update.emplace(*w);
  BOOST_TEST(!update->value().is_sole_owner());
  start_read();
  BOOST_TEST(port->posted.empty());
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->fetched.to_string() == "float32[2] [1 2]");
  update->value() = vec({7, 8});
  BOOST_TEST(value() == "float32[2] [1 2]");
  update.reset();
  BOOST_TEST(value() == "float32[2] [7 8]");
}

BOOST_AUTO_TEST_CASE(a_step_that_is_cancelled_does_not_wait_for_an_update_and_leaves_nothing) {
  update.emplace(*w);
  auto execution = start_read();
  execution->cancel(cancelled("not wanted any more"));
  BOOST_TEST(end_read().message() == "not wanted any more");
  BOOST_TEST(execution.use_count() == 1);
  BOOST_TEST(w.use_count() == 1 + 1);  // that of the fixture, and of the plan that execution has
  execution.reset();
  BOOST_TEST(w.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(readers_that_wait_for_an_update_of_a_dropped_variable_are_told_at_once) {
  update.emplace(*w);
  auto execution = start_read();
  w->drop();
  BOOST_TEST(end_read().message() == "variable 'w' is gone: its container was reset");
}

BOOST_AUTO_TEST_CASE(an_update_of_a_variable_that_is_dropped_meanwhile_keeps_no_memory) {
  update.emplace(*w);
  w->drop();
  BOOST_TEST(value() == "none");
  BOOST_TEST(!w->has_value());
  BOOST_TEST(w->describe().bytes == 0u);
  update.reset();
  BOOST_TEST(value() == "none");
  BOOST_TEST(device->allocator().use().bytes_in_use == 0u);
  update.emplace(*w);
  BOOST_TEST(!update->value().is_set());
}

BOOST_AUTO_TEST_CASE(an_assignment_does_not_wait_for_an_update_which_then_has_no_effect) {
  update.emplace(*w);
  auto execution = start_read();
  w->assign(vec({3, 4}));
  BOOST_TEST(end_read().ok());
  BOOST_TEST(port->fetched.to_string() == "float32[2] [3 4]");
  VariableUpdate next(*w);  // need not wait for the one that has no effect
  BOOST_TEST(next.value().to_string() == "float32[2] [3 4]");
  update->value() = vec({5, 6});
  update.reset();
  BOOST_TEST(next.value().to_string() == "float32[2] [3 4]");
  BOOST_TEST(w->has_value());
}

BOOST_AUTO_TEST_CASE(a_variable_is_described_while_an_update_writes_over_it) {
  update.emplace(*w);
  BOOST_TEST(value() == "is updated");
  BOOST_TEST(w->describe().bytes == 8u);
  BOOST_TEST((w->describe().shape == Shape{2}));
  BOOST_TEST(w->has_value());
}

BOOST_AUTO_TEST_CASE(a_reader_never_sees_half_an_update) {
  constexpr int64_t count = 100'000;
  w = variable(Tensor::of<float>({count}, std::vector<float>(count, 0)));
  auto ones = Tensor::of<float>({count}, std::vector<float>(count, 1));
  std::jthread updates([&] {
    for (int i = 0; i < 200; ++i) launch("AssignAddVariableOp", {w}, {ones});
  });
  float last = 0;
  while (last < 200) {
    Waiting<Result<Tensor>> read;
    w->read_when_updated(read.callback());
    auto found = read.wait();
    BOOST_REQUIRE(found.ok());
    auto values = found->values<float>();
    BOOST_REQUIRE(values[0] >= last);
    BOOST_REQUIRE(std::ranges::count(values, values[0]) == count);
    last = values[0];
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
