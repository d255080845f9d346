#include "troupe/devices/resources/variable.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(references)

/// A variable w of TensorFlow's older graphs, float32[2], without a value yet.
struct ReferenceFixture {
  Builder b;
  GraphRunner runner;
  Value w = variable("w", {2});
  Value initialize = b.op("Assign", {w, b.constant(vec({1, 2}))});

  Value variable(
      const std::string& name, const Shape& shape, DType dtype = DType::float32,
      const char* op = "VariableV2") {
    return b.named(name).op(op, {}, {{"dtype", dtype}, {"shape", shape}});
  }
  std::string run(const Values& fetches, const Values& targets = {}) {
    return show(
        runner.run(b, {}, {fetches.begin(), fetches.end()}, {targets.begin(), targets.end()}));
  }
};

BOOST_FIXTURE_TEST_CASE(a_reference_is_read_where_a_value_is_wanted, ReferenceFixture) {
  run({}, {initialize});
  BOOST_TEST(run({b.op("Identity", {w})}) == "float32[2] [1 2]");
  BOOST_TEST(run({w + w}) == "float32[2] [2 4]");
  BOOST_TEST(run({w}) == "float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(an_assignment_gives_the_assigned_value, ReferenceFixture) {
  BOOST_TEST(run({initialize}) == "float32[2] [1 2]");
  BOOST_TEST(run({b.neg(initialize)}) == "float32[2] [-1 -2]");
  auto more = b.op("AssignAdd", {initialize, b.constant(vec({10, 20}))});
  BOOST_TEST(run({more}) == "float32[2] [11 22]");
  auto less = b.op("AssignSub", {more, b.constant(vec({1, 1}))});
  BOOST_TEST(run({less}) == "float32[2] [10 21]");
  BOOST_TEST(run({w}) == "float32[2] [10 21]");
}

BOOST_FIXTURE_TEST_CASE(a_value_is_read_when_its_user_runs, ReferenceFixture) {
  run({}, {initialize});
  auto bump = b.op("AssignAdd", {w, b.constant(vec({1, 1}))});
  BOOST_TEST(run({b.after({bump}).op("Identity", {w})}) == "float32[2] [2 3]");
  BOOST_TEST(run({w + b.neg(bump)}) == "float32[2] [0 0]");
  auto before = b.op("Identity", {w});
  auto later = b.after({before}).op("AssignAdd", {w, b.constant(vec({1, 1}))});
  BOOST_TEST(run({before, later}) == "float32[2] [3 4]; float32[2] [4 5]");
}

BOOST_FIXTURE_TEST_CASE(an_uninitialized_reference_is_named, ReferenceFixture) {
  auto error = "FailedPrecondition: Attempting to use uninitialized value w";
  BOOST_TEST(run({w}) == error);
  BOOST_TEST(run({b.neg(w)}) == error);
  BOOST_TEST(run({b.op("AssignAdd", {w, b.constant(vec({1, 1}))})}) == error);
  auto asked = b.op("IsVariableInitialized", {w});
  BOOST_TEST(run({asked}) == "bool[] [0]");
  run({}, {initialize});
  BOOST_TEST(run({asked}) == "bool[] [1]");
}

BOOST_FIXTURE_TEST_CASE(an_update_is_told_which_reference_is_uninitialized, ReferenceFixture) {
  run({}, {initialize});
  auto sum = variable("sum", {2});
  auto one = b.constant(1.0f);
  auto train = b.op("ApplyMomentum", {w, sum, one, b.constant(vec({1, 1})), one});
  BOOST_TEST(run({}, {train}) == "FailedPrecondition: Attempting to use uninitialized value sum");
}

BOOST_FIXTURE_TEST_CASE(a_handle_and_a_reference_of_one_name_are_one_variable, ReferenceFixture) {
  run({}, {initialize});
  auto handle = b.op(
      "VarHandleOp", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}, {"shared_name", "w"}});
  BOOST_TEST(
      run({b.op("ReadVariableOp", {handle}, {{"dtype", DType::float32}})}) == "float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(only_an_assignment_without_validation_changes_a_shape, ReferenceFixture) {
  auto v = variable("v", Shape::unknown_rank());
  auto assign = [&](const Tensor& value, bool validates) {
    return show(runner.run(
        b, {{"value", value}},
        {b.op(
            "Assign", {v, b.value(*b.graph().find_output("value"))},
            {{"validate_shape", validates}})}));
  };
  b.named("value").placeholder(DType::float32);
  BOOST_TEST(assign(vec({1, 2}), true) == "float32[2] [1 2]");
  BOOST_TEST(
      assign(vec({1}), true) ==
      "InvalidArgument: the variable is float32[2], but the value is float32[1]");
  BOOST_TEST(assign(vec({1}), false) == "float32[1] [1]");
  BOOST_TEST(assign(vec({3}), true) == "float32[1] [3]");
  BOOST_TEST(run({v}) == "float32[1] [3]");
}

BOOST_FIXTURE_TEST_CASE(a_legacy_variable_of_a_scalars_shape_has_any_shape, ReferenceFixture) {
  auto v = variable("v", {}, DType::float32, "Variable");
  BOOST_TEST(run({b.op("Assign", {v, b.constant(vec({1, 2}))})}) == "float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(a_value_is_no_reference, ReferenceFixture) {
  Builder other;
  auto x = other.named("x").constant(vec({1, 2}));
  other.op("Assign", {x, x});
  BOOST_TEST(
      other.status().message() ==
      "input 0 expects a reference to a variable, but 'x:0' is a value");
}

BOOST_FIXTURE_TEST_CASE(a_fed_reference_has_that_value_and_cannot_be_written, ReferenceFixture) {
  auto negative = b.neg(w);
  auto got = runner.run(b, {{w, vec({5, 6})}}, {negative, w});
  BOOST_TEST(show(got) == "float32[2] [-5 -6]; float32[2] [5 6]");
  BOOST_TEST(
      show(runner.run(b, {{w, vec({5, 6})}}, {initialize})) ==
      "InvalidArgument: input 0 expects a reference to a variable, but 'w:0' is fed a value");
}

BOOST_FIXTURE_TEST_CASE(gradients_are_with_respect_to_references, ReferenceFixture) {
  run({}, {initialize});
  auto gradient = gradients(b, {b.op("Square", {w})}, {w});
  BOOST_REQUIRE(gradient.ok());
  BOOST_TEST(run({(*gradient)[0]}) == "float32[2] [2 4]");
}

BOOST_FIXTURE_TEST_CASE(strings_and_scalars_can_be_referred_to, ReferenceFixture) {
  auto text = variable("text", {}, DType::string);
  auto hello = b.constant(Tensor::scalar(std::string("hello")));
  BOOST_TEST(run({b.op("Assign", {text, hello})}) == "string[] [\"hello\"]");
  auto count = variable("count", {}, DType::int32);
  run({}, {b.op("Assign", {count, b.constant(int32_t(1))})});
  auto up = b.op("CountUpTo", {count}, {{"limit", 2}});
  BOOST_TEST(run({up}) == "int32[] [1]");
  BOOST_TEST(run({up}) == "OutOfRange: Reached limit of 2");
}

BOOST_FIXTURE_TEST_CASE(a_temporary_variable_lives_for_one_step, ReferenceFixture) {
  auto temporary =
      b.named("t").op("TemporaryVariable", {}, {{"dtype", DType::float32}, {"shape", Shape{2}}});
  auto set = b.op("Assign", {temporary, b.constant(vec({1, 2}))});
  auto added = b.op("AssignAdd", {set, b.constant(vec({1, 1}))});
  auto end = b.op("DestroyTemporaryVariable", {added}, {{"var_name", "t"}});
  BOOST_TEST(run({end}) == "float32[2] [2 3]");
  BOOST_TEST(run({end}) == "float32[2] [2 3]");
  BOOST_TEST(run({temporary}) == "FailedPrecondition: Attempting to use uninitialized value t#0");
  auto other = b.op("DestroyTemporaryVariable", {added}, {{"var_name", "s"}});
  BOOST_TEST(run({other}) == "NotFound: 't#0' is no temporary variable 's' of this step");
}

BOOST_FIXTURE_TEST_CASE(a_plan_refuses_a_reference_for_a_value, ReferenceFixture) {
  auto compile = [&](const std::string& op) {
    auto graph = std::make_shared<Graph>(b.graph().shared_catalog());
    auto id = graph->add(b.graph().def_of(w.output().node));
    BOOST_REQUIRE(id.ok());
    BOOST_REQUIRE(graph->add({.name = "n", .op = op, .device = "", .inputs = {"w"}}).ok());
    auto device = make_cpu_device();
    Plan::Bindings bindings = {{*id, std::make_shared<VariableResource>(DType::float32, Shape{2})}};
    return Plan::compile(graph, *device, bindings).status().message();
  };
  BOOST_TEST(compile("_ReadReference") == "");
  BOOST_TEST(compile("Neg") == "input 0 must be a value, but 'w:0' is a reference to a variable");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
