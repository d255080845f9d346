#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ranges>

#include "troupe/graph/ops/loops.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Writes loops node by node, as TensorFlow's while_loop makes them.
struct LoopFixture : PlanFixture {
  std::unique_ptr<Device> device = make_cpu_device({.threads = 2});

  void add_enter(
      const std::string& name, const std::string& input, const std::string& frame,
      bool is_constant = false, int64_t parallel = 10) {
    add(
        {.name = name,
         .op = "Enter",
         .inputs = {input},
         .attrs = {
             {"frame_name", frame},
             {"is_constant", is_constant},
             {"parallel_iterations", parallel}}});
  }

  /// A variable of the loop that is `prefix`; its body gives "prefix_body".
  void begin_variable(
      const std::string& prefix, const std::string& initial, const std::string& frame,
      int64_t parallel = 10) {
    add_enter(prefix + "_enter", initial, frame, false, parallel);
    add(
        {.name = prefix + "_merge",
         .op = "Merge",
         .inputs = {prefix + "_enter", prefix + "_next"},
         .attrs = {{loops::shape_attr, Shape()}}});
  }
  void add_switch(const std::string& prefix, const std::string& cond) {
    add({.name = prefix + "_switch", .op = "Switch", .inputs = {prefix + "_merge", cond}});
    add({.name = prefix + "_exit", .op = "Exit", .inputs = {prefix + "_switch:0"}});
  }
  void end_variable(const std::string& prefix, const std::string& value) {
    add({.name = prefix + "_next", .op = "NextIteration", .inputs = {value}});
  }

  void add_constants() {
    add_const("zero", Tensor::scalar(0));
    add_const("one", Tensor::scalar(1));
  }

  /// "i_exit" counts from `initial` to the value of `limit`, which is in the frame.
  void add_counter(
      const std::string& initial, const std::string& limit, const std::string& frame,
      int64_t parallel = 10) {
    begin_variable("i", initial, frame, parallel);
    add({.name = "less", .op = "Less", .inputs = {"i_merge", limit}});
    add({.name = "cond", .op = "LoopCond", .inputs = {"less"}});
    add_switch("i", "cond");
    add({.name = "i_add", .op = "AddV2", .inputs = {"i_switch:1", "one"}});
    end_variable("i", "i_add");
  }

  int32_t run_to_int(const std::string& fetch) {
    add_retval(fetch);
    auto execution = start_plan(*device);
    auto status = done.wait();
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    return port->fetched.value<int32_t>();
  }
  Status run_to_error() {
    auto execution = start_plan(*device);
    return done.wait();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(loops, LoopFixture)

BOOST_AUTO_TEST_CASE(a_loop_runs_until_its_condition_is_false) {
  add_constants();
  add_const("ten", Tensor::scalar(10));
  add_counter("zero", "ten", "frame");
  BOOST_TEST(run_to_int("i_exit") == 10);
}

BOOST_AUTO_TEST_CASE(a_loop_whose_condition_is_false_at_once_gives_what_entered_it) {
  add_constants();
  add_const("ten", Tensor::scalar(10));
  add_const("eleven", Tensor::scalar(11));
  add_counter("eleven", "ten", "frame");
  BOOST_TEST(run_to_int("i_exit") == 11);
}

BOOST_AUTO_TEST_CASE(a_value_that_enters_as_a_constant_is_there_in_all_iterations) {
  add_constants();
  add_const("value", Tensor::scalar(7));
  add_const("five", Tensor::scalar(5));
  add({.name = "computed", .op = "AddV2", .inputs = {"value", "zero"}});
  add_enter("limit", "five", "frame", true);
  add_enter("step", "computed", "frame", true);
  begin_variable("sum", "zero", "frame");
  add_counter("zero", "limit", "frame");
  add_switch("sum", "cond");
  add({.name = "sum_add", .op = "AddV2", .inputs = {"sum_switch:1", "step"}});
  end_variable("sum", "sum_add");
  BOOST_TEST(run_to_int("sum_exit") == 35);
}

BOOST_AUTO_TEST_CASE(a_long_loop_of_few_parallel_iterations_gives_the_same) {
  for (int64_t parallel : {1, 2, 32}) {
    LoopFixture fixture;
    fixture.add_constants();
    fixture.add_const("many", Tensor::scalar(20'000));
    fixture.add_counter("zero", "many", "frame", parallel);
    BOOST_TEST(fixture.run_to_int("i_exit") == 20'000);
  }
}

/// for i in 0..limit: sum += (for j in 0..i: 1)
BOOST_AUTO_TEST_CASE(a_loop_inside_of_another_runs_once_in_each_of_its_iterations) {
  add_constants();
  add_const("limit", Tensor::scalar(100));
  begin_variable("sum", "zero", "outer");
  add_counter("zero", "limit", "outer");
  add_switch("sum", "cond");
  add({.name = "start", .op = "Sub", .inputs = {"i_switch:1", "i_switch:1"}});
  begin_variable("j", "start", "inner");
  add_enter("inner_limit", "i_switch:1", "inner", true);
  add({.name = "inner_less", .op = "Less", .inputs = {"j_merge", "inner_limit"}});
  add({.name = "inner_cond", .op = "LoopCond", .inputs = {"inner_less"}});
  add_switch("j", "inner_cond");
  add({.name = "j_add", .op = "AddV2", .inputs = {"j_switch:1", "one"}});
  end_variable("j", "j_add");
  add({.name = "sum_add", .op = "AddV2", .inputs = {"sum_switch:1", "j_exit"}});
  end_variable("sum", "sum_add");
  BOOST_TEST(run_to_int("sum_exit") == 4950);
}

BOOST_AUTO_TEST_CASE(a_loop_in_the_branch_that_was_not_chosen_does_not_run_and_its_exits_are_dead) {
  for (auto chosen : {false, true}) {
    LoopFixture fixture;
    fixture.add_constants();
    fixture.add_const("ten", Tensor::scalar(10));
    fixture.add_const("pred", Tensor::scalar(chosen));
    fixture.add({.name = "branch", .op = "Switch", .inputs = {"zero", "pred"}});
    fixture.add_counter("branch:1", "ten", "frame");
    fixture.add({.name = "other", .op = "Sub", .inputs = {"branch:0", "one"}});
    fixture.add({.name = "merge", .op = "Merge", .inputs = {"other", "i_exit"}});
    BOOST_TEST(fixture.run_to_int("merge") == (chosen ? 10 : -1));
  }
}

BOOST_AUTO_TEST_CASE(the_exit_of_a_loop_that_does_not_run_cannot_be_fetched) {
  add_constants();
  add_const("ten", Tensor::scalar(10));
  add_const("never", Tensor::scalar(false));
  add({.name = "branch", .op = "Switch", .inputs = {"zero", "never"}});
  add_counter("branch:1", "ten", "frame");
  add_retval("i_exit");
  auto status = run_to_error();
  BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
}

BOOST_AUTO_TEST_CASE(a_branch_in_a_loop_is_chosen_anew_in_each_iteration) {
  add_constants();
  add_const("limit", Tensor::scalar(10));
  add_const("two", Tensor::scalar(2));
  begin_variable("sum", "zero", "frame");
  add_counter("zero", "limit", "frame");
  add_switch("sum", "cond");
  add({.name = "rest", .op = "FloorMod", .inputs = {"i_switch:1", "two"}});
  add({.name = "is_odd", .op = "Equal", .inputs = {"rest", "one"}});
  add({.name = "branch", .op = "Switch", .inputs = {"sum_switch:1", "is_odd"}});
  add({.name = "plus", .op = "AddV2", .inputs = {"branch:1", "two"}});
  add({.name = "minus", .op = "Sub", .inputs = {"branch:0", "one"}});
  add({.name = "branches", .op = "Merge", .inputs = {"minus", "plus"}});
  end_variable("sum", "branches");
  BOOST_TEST(run_to_int("sum_exit") == 5);
}

BOOST_AUTO_TEST_CASE(an_error_in_an_iteration_names_its_node) {
  add_constants();
  add_const("limit", Tensor::scalar(10));
  add_counter("zero", "limit", "frame");
  add_const("false", Tensor::scalar(false));
  add({.name = "check", .op = "Assert", .inputs = {"less", "i_merge"}});
  BOOST_TEST(run_to_error().where().node == "check");
}

BOOST_AUTO_TEST_CASE(a_value_of_a_loop_that_does_not_leave_it_cannot_be_fetched) {
  add_constants();
  add_const("limit", Tensor::scalar(10));
  add_counter("zero", "limit", "frame");
  add_retval("i_add");
  auto plan = Plan::compile(graph, *device, {});
  BOOST_TEST((plan.status().code() == Code::invalid_argument));
  BOOST_TEST(plan.status().message().find("fetch what leaves the loop") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_endless_loop_ends_when_its_step_is_cancelled) {
  add_constants();
  add_const("limit", Tensor::scalar(-1));
  begin_variable("i", "zero", "frame");
  add({.name = "more", .op = "Greater", .inputs = {"i_merge", "limit"}});
  add({.name = "cond", .op = "LoopCond", .inputs = {"more"}});
  add_switch("i", "cond");
  add({.name = "i_same", .op = "Identity", .inputs = {"i_switch:1"}});
  end_variable("i", "i_same");
  auto execution = start_plan(*device);
  execution->cancel(cancelled("enough"));
  BOOST_TEST((done.wait().code() == Code::cancelled));
}

BOOST_AUTO_TEST_CASE(what_is_sent_and_received_in_a_loop_belongs_to_its_iteration) {
  add_constants();
  add_const("limit", Tensor::scalar(3));
  add_counter("zero", "limit", "frame");
  add_send("i_merge", 5);
  BOOST_TEST(run_to_int("i_exit") == 3);
  BOOST_REQUIRE(port->sent.size() == 4u);
  for (size_t i = 0; i < port->sent.size(); ++i) {
    BOOST_TEST(port->sent_keys[i].at.frame != 0u);
    BOOST_TEST(port->sent[i].second.value<int32_t>() == port->sent_keys[i].at.iteration);
  }
}

BOOST_AUTO_TEST_CASE(no_more_iterations_run_at_once_than_the_loop_allows) {
  add_constants();
  add_const("limit", Tensor::scalar(6));
  add_counter("zero", "limit", "frame", 3);
  add(
      {.name = "received",
       .op = transfer::recv,
       .inputs = {"^i_add"},
       .attrs = {{"tensor_type", DType::int32}, {"edge", 9}, {"from_device", "there"}}});
  add_retval("i_exit");
  auto execution = start_plan(*device);
  for (int64_t iteration = 0; iteration <= 6; ++iteration) {
    BOOST_TEST(port->waiting.size() == std::min<size_t>(3, 7 - static_cast<size_t>(iteration)));
    auto oldest = std::ranges::min(std::views::keys(port->waiting));
    BOOST_TEST(oldest.at.iteration == iteration);
    port->arrive(oldest, iteration < 6 ? Tensor::scalar(0) : Tensor());  // dead in the last one
  }
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->fetched.value<int32_t>() == 6);
}

BOOST_AUTO_TEST_CASE(memory_of_a_loop_does_not_grow_with_its_iterations) {
  device = make_cpu_device({.threads = 2, .memory_limit = 20'000'000});
  add_constants();
  add_const("limit", Tensor::scalar(1000));
  add_const("size", Tensor::of<int32_t>({1}, {100'000}));
  add_counter("zero", "limit", "frame");
  add({.name = "large", .op = "Fill", .inputs = {"size", "i_switch:1"}});
  add_const("axis", Tensor::scalar(0));
  begin_variable("sum", "zero", "frame");
  add_switch("sum", "cond");
  add({.name = "reduced", .op = "Max", .inputs = {"large", "axis"}});
  end_variable("sum", "reduced");
  BOOST_TEST(run_to_int("sum_exit") == 999);
}

BOOST_AUTO_TEST_SUITE_END()
