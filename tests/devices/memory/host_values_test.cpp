#include "troupe/devices/memory/host_values.hpp"

#include "troupe/tests/devices/simulated/accelerator_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A loop on the device that adds a fed value to a sum, and counts.
struct HostValuesFixture : AcceleratorFixture {
  void add_enter(const std::string& name, const std::string& input, bool is_constant) {
    add(
        {.name = name,
         .op = "Enter",
         .inputs = {input},
         .attrs = {{"frame_name", "loop"}, {"is_constant", is_constant}}});
  }
  void begin_variable(const std::string& name, const std::string& initial) {
    add_enter(name + "_enter", initial, /*is_constant=*/false);
    add({.name = name, .op = "Merge", .inputs = {name + "_enter", name + "_next"}});
  }
  void end_variable(const std::string& name, const std::string& value) {
    add({.name = name + "_next", .op = "NextIteration", .inputs = {value}});
  }
  void add_switch(const std::string& name) {
    add({.name = name + "_switch", .op = "Switch", .inputs = {name, "go_on"}});
  }

  /// The variables "i" and "sum" of a loop, of which "less" says whether i is less than `times`.
  void begin_loop(int32_t times) {
    add_feed(DType::float32, {2});
    add_const("zero", Tensor::scalar(0));
    add_const("one", Tensor::scalar(1));
    add_const("times", Tensor::scalar(times));
    begin_variable("i", "zero");
    begin_variable("sum", "feed");
    add_enter("added", "feed", /*is_constant=*/true);
    add({.name = "less", .op = "Less", .inputs = {"i", "times"}});
  }
  /// The body: "next_i" and "next_sum".
  void add_body(const std::string& condition) {
    add({.name = "go_on", .op = "LoopCond", .inputs = {condition}});
    add_switch("i");
    add_switch("sum");
    add({.name = "next_i", .op = "AddV2", .inputs = {"i_switch:1", "one"}});
    add({.name = "next_sum", .op = "AddV2", .inputs = {"sum_switch:1", "added"}});
  }
  void end_loop(const std::string& i) {
    end_variable("i", i);
    end_variable("sum", "next_sum");
    add({.name = "sum_exit", .op = "Exit", .inputs = {"sum_switch:0"}});
  }
  /// A loop of three iterations, the counters of which a stack keeps; "popped" is the last of them.
  void add_loop_with_stack() {
    add_const("most", Tensor::scalar(-1));
    Attrs ints{{"elem_type", DType::int32}};
    add({.name = "stack", .op = "StackV2", .inputs = {"most"}, .attrs = ints});
    begin_loop(3);
    add_body("less");
    add_enter("in_loop", "stack", /*is_constant=*/true);
    add({.name = "pushed", .op = "StackPushV2", .inputs = {"in_loop", "next_i"}});
    end_loop("pushed");  // so the condition needs it
    add({.name = "popped", .op = "StackPopV2", .inputs = {"stack", "^sum_exit"}, .attrs = ints});
  }
  void run_well() {
    port->fed = Tensor::of<float>({2}, {1, 2});
    auto status = run();
    BOOST_TEST(status.ok(), status.to_string());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(host_values, HostValuesFixture)

BOOST_AUTO_TEST_CASE(a_loop_that_counts_does_not_wait_for_the_device) {
  begin_loop(20);
  add_body("less");
  end_loop("next_i");
  add_retval("sum_exit");
  run_well();
  BOOST_TEST(port->fetched.to_string() == "float32[2] [21 42]");
  BOOST_TEST(device->copies_in() == 1u);
  BOOST_TEST(device->copies_to_host() == 1u);
}

BOOST_AUTO_TEST_CASE(a_condition_on_what_the_device_computes_is_copied_in_each_iteration) {
  begin_loop(20);
  add_const("limit", Tensor::scalar(9.0f));
  add_const("axis", Tensor::scalar(0));
  add({.name = "small", .op = "Less", .inputs = {"sum", "limit"}});
  add({.name = "all_small", .op = "All", .inputs = {"small", "axis"}});
  add_body("all_small");
  end_loop("next_i");
  add_retval("sum_exit");
  run_well();
  BOOST_TEST(port->fetched.to_string() == "float32[2] [5 10]");
  BOOST_TEST(device->copies_to_host() == 6u);
}

BOOST_AUTO_TEST_CASE(counters_that_a_stack_keeps_are_popped_on_the_host) {
  add_loop_with_stack();
  add({.name = "sizes", .op = "Pack", .inputs = {"popped", "one"}, .attrs = {{"N", 2}}});
  add_const("value", Tensor::scalar(7.0f));
  add({.name = "filled", .op = "Fill", .inputs = {"sizes", "value"}});
  add_retval("filled");
  run_well();
  BOOST_TEST(port->fetched.to_string() == "float32[3,1] [7 7 7]");
  BOOST_TEST(device->copies_to_host() == 1u);
}

BOOST_AUTO_TEST_CASE(a_list_that_a_loop_fills_has_its_elements_on_the_device) {
  Attrs floats{{"element_dtype", DType::float32}};
  add_const("shape", Tensor::scalar(-1));
  add_const("size", Tensor::scalar(3));
  add({.name = "empty", .op = "TensorListReserve", .inputs = {"shape", "size"}, .attrs = floats});
  begin_loop(3);
  begin_variable("list", "empty");
  add_body("less");
  add_switch("list");
  add(
      {.name = "next_list",
       .op = "TensorListSetItem",
       .inputs = {"list_switch:1", "i_switch:1", "next_sum"}});
  end_loop("next_i");
  end_variable("list", "next_list");
  add({.name = "list_exit", .op = "Exit", .inputs = {"list_switch:0"}});
  add({.name = "rows", .op = "TensorListStack", .inputs = {"list_exit", "shape"}, .attrs = floats});
  add_retval("rows");
  run_well();
  BOOST_TEST(port->fetched.to_string() == "float32[3,2] [2 4 3 6 4 8]");
  BOOST_TEST(device->copies_in() == 1u);
  BOOST_TEST(device->copies_to_host() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_popped_lies_where_it_was_pushed_whoever_needs_it) {
  add_loop_with_stack();
  add({.name = "number", .op = "Cast", .inputs = {"popped"}, .attrs = {{"DstT", DType::float32}}});
  add({.name = "scaled", .op = "Mul", .inputs = {"sum_exit", "number"}});
  add_retval("scaled");
  run_well();
  BOOST_TEST(port->fetched.to_string() == "float32[2] [12 24]");
}

BOOST_AUTO_TEST_CASE(sizes_that_follow_from_shapes_stay_on_the_host) {
  add_feed(DType::float32, {2, 3});
  for (int i : {0, 1}) add_const(std::to_string(i), Tensor::of<int32_t>({1}, {i}));
  add({.name = "shape", .op = "Shape", .inputs = {"feed"}});
  add(
      {.name = "rows",
       .op = "StridedSlice",
       .inputs = {"shape", "0", "1", "1"},
       .attrs = {{"shrink_axis_mask", 1}}});
  add_const("rest", Tensor::scalar(-1));
  add_const("three", Tensor::scalar(3));
  add({.name = "all", .op = "Mul", .inputs = {"rows", "three"}});
  add({.name = "sizes", .op = "Pack", .inputs = {"rest", "all"}, .attrs = {{"N", 2}}});
  add({.name = "reshaped", .op = "Reshape", .inputs = {"feed", "sizes"}});
  add_retval("reshaped");
  port->fed = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.shape().to_string() == "[1,6]");
  BOOST_TEST(device->copies_in() == 1u);
  BOOST_TEST(device->copies_to_host() == 1u);
}

BOOST_AUTO_TEST_CASE(integers_that_only_the_device_uses_stay_there) {
  add_feed(DType::int32, {2});
  add({.name = "twice", .op = "AddV2", .inputs = {"feed", "feed"}});
  for (std::string name : {"feed", "twice"})
    add(
        {.name = name + "_float",
         .op = "Cast",
         .inputs = {name},
         .attrs = {{"DstT", DType::float32}}});
  add({.name = "sum", .op = "AddV2", .inputs = {"feed_float", "twice_float"}});
  add_retval("sum");
  port->fed = Tensor::of<int32_t>({2}, {1, 2});
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.to_string() == "float32[2] [3 6]");
  BOOST_TEST(device->copies_in() == 1u);
}

BOOST_AUTO_TEST_CASE(a_fed_value_that_may_be_large_is_used_on_the_device) {
  for (auto [shape, copies] : {std::pair(Shape{2}, 1u), {Shape{Shape::unknown}, 2u}}) {
    HostValuesFixture one;
    one.add_feed(DType::int32, shape);
    one.add({.name = "sizes", .op = "AddV2", .inputs = {"feed", "feed"}});
    one.add_const("value", Tensor::scalar(1.0f));
    one.add({.name = "ones", .op = "Fill", .inputs = {"sizes", "value"}});
    one.add_retval("ones");
    one.port->fed = Tensor::of<int32_t>({2}, {1, 2});
    BOOST_TEST(one.run().ok());
    BOOST_TEST(one.port->fetched.shape().to_string() == "[2,4]");
    BOOST_TEST(one.device->copies_to_host() == copies);
  }
}

BOOST_AUTO_TEST_SUITE_END()
