#include "troupe/devices/control_flow.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/plan_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct ControlFlowFixture : PlanFixture {
  std::unique_ptr<Device> device = make_cpu_device({.threads = 2});

  void add_switch(bool pred) {
    add_const("data", Tensor::scalar(2.0f));
    add_const("pred", Tensor::scalar(pred));
    add({.name = "switch", .op = "Switch", .inputs = {"data", "pred"}});
  }
  /// Both branches compute something and are merged again.
  void add_branches() {
    add({.name = "on_false", .op = "Neg", .inputs = {"switch:0"}});
    add({.name = "on_true", .op = "Square", .inputs = {"switch:1"}});
    add({.name = "merge", .op = "Merge", .inputs = {"on_false", "on_true"}});
  }
  Status run() {
    auto execution = start_plan(*device);
    return done.wait();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(control_flow, ControlFlowFixture)

BOOST_AUTO_TEST_CASE(a_merge_gives_the_value_of_the_branch_that_a_switch_chose) {
  for (auto pred : {false, true}) {
    ControlFlowFixture fixture;
    fixture.add_switch(pred);
    fixture.add_branches();
    fixture.add_retval("merge");
    BOOST_TEST(fixture.run().ok());
    BOOST_TEST(fixture.port->fetched.value<float>() == (pred ? 4.0f : -2.0f));
  }
}

BOOST_AUTO_TEST_CASE(a_merge_tells_which_input_it_took) {
  add_switch(true);
  add_branches();
  add_retval("merge:1");
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.value<int32_t>() == 1);
}

BOOST_AUTO_TEST_CASE(a_fetch_of_the_other_branch_is_an_error_that_names_it) {
  add_switch(true);
  add_branches();
  add_retval("on_false");
  auto status = run();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "out");
}

BOOST_AUTO_TEST_CASE(a_dead_value_is_sent_as_one_that_is_not_set) {
  add_switch(false);
  add_send("switch:0", 1);
  add_send("switch:1", 2);
  BOOST_TEST(run().ok());
  BOOST_REQUIRE(port->sent.size() == 2u);
  for (const auto& [edge, value] : port->sent) BOOST_TEST(value.is_set() == (edge == 1));
}

BOOST_AUTO_TEST_CASE(what_receives_a_dead_value_does_not_run_and_neither_do_nodes_behind_it) {
  port->early[1] = Tensor();
  add_recv("dead", 1);
  add({.name = "after", .op = "NoOp", .inputs = {"^dead"}});
  add_const("never", Tensor::scalar(1.0f));
  add({.name = "sum", .op = "AddV2", .inputs = {"never", "never", "^after"}});
  add_send("sum", 7);
  BOOST_TEST(run().ok());
  BOOST_REQUIRE(port->sent.size() == 1u);
  BOOST_TEST(!port->sent[0].second.is_set());
}

BOOST_AUTO_TEST_CASE(a_dead_control_input_keeps_a_node_from_running) {
  add_switch(true);
  add({.name = "chosen", .op = "Neg", .inputs = {"data", "^switch"}});
  add({.name = "other", .op = "Identity", .inputs = {"switch:0"}});
  add({.name = "kept", .op = "Neg", .inputs = {"data", "^other"}});
  add_send("kept", 1);
  add_send("chosen", 2);
  BOOST_TEST(run().ok());
  for (const auto& [edge, value] : port->sent) BOOST_TEST(value.is_set() == (edge == 2));
}

BOOST_AUTO_TEST_CASE(a_merge_whose_inputs_are_all_dead_is_dead) {
  add_switch(true);
  add({.name = "a", .op = "Neg", .inputs = {"switch:0"}});
  add({.name = "b", .op = "Square", .inputs = {"switch:0"}});
  add({.name = "merge", .op = "Merge", .inputs = {"a", "b"}});
  add_send("merge", 1);
  BOOST_TEST(run().ok());
  BOOST_TEST(!port->sent.at(0).second.is_set());
}

BOOST_AUTO_TEST_CASE(a_merge_does_not_wait_for_an_input_that_is_not_there) {
  add_recv("never", 1);
  add_const("now", Tensor::scalar(5.0f));
  add({.name = "merge", .op = "Merge", .inputs = {"never", "now"}});
  add_send("merge", 2);
  auto execution = start_plan(*device);
  BOOST_REQUIRE(port->sent.size() == 1u);
  BOOST_TEST(port->sent[0].second.value<float>() == 5.0f);
  port->arrive(1, Tensor::scalar(1.0f));
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_stack_gives_back_in_reverse_and_ends_with_its_step) {
  add_const("size", Tensor::scalar(int32_t{2}));
  add_const("one", Tensor::scalar(1.0f));
  add(
      {.name = "stack",
       .op = "StackV2",
       .inputs = {"size"},
       .attrs = {{"elem_type", DType::float32}}});
  add({.name = "two", .op = "Exp", .inputs = {"one"}});
  add({.name = "push1", .op = "StackPushV2", .inputs = {"stack", "two"}});
  add({.name = "push2", .op = "StackPushV2", .inputs = {"stack", "one", "^push1"}});
  add(
      {.name = "pop",
       .op = "StackPopV2",
       .inputs = {"stack", "^push2"},
       .attrs = {{"elem_type", DType::float32}}});
  add_retval("pop");
  auto before = device->allocator().use().bytes_in_use;
  {
    auto execution = start_plan(*device);
    BOOST_TEST(done.wait().ok());
    BOOST_TEST(port->fetched.value<float>() == 1.0f);
  }
  port->fetched = Tensor();
  BOOST_TEST(device->allocator().use().bytes_in_use == before);
}

BOOST_AUTO_TEST_CASE(a_full_stack_and_an_empty_one_are_errors_that_say_so) {
  add_const("size", Tensor::scalar(int32_t{0}));
  add_const("one", Tensor::scalar(1.0f));
  add(
      {.name = "stack",
       .op = "StackV2",
       .inputs = {"size"},
       .attrs = {{"elem_type", DType::float32}}});
  add({.name = "push", .op = "StackPushV2", .inputs = {"stack", "one"}});
  auto status = run();
  BOOST_TEST(status.where().node == "push");
  BOOST_TEST(status.message().find("at most 0 elements") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stack_that_was_closed_takes_and_gives_nothing) {
  add_const("size", Tensor::scalar(int32_t{2}));
  add_const("one", Tensor::scalar(1.0f));
  add(
      {.name = "stack",
       .op = "StackV2",
       .inputs = {"size"},
       .attrs = {{"elem_type", DType::float32}}});
  add({.name = "close", .op = "StackCloseV2", .inputs = {"stack"}});
  add({.name = "push", .op = "StackPushV2", .inputs = {"stack", "one", "^close"}});
  auto status = run();
  BOOST_TEST(status.where().node == "push");
  BOOST_TEST(status.message() == "the stack is closed");
}

BOOST_AUTO_TEST_SUITE_END()
