#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(state)

/// A variable w = [1, 2] that has not been initialized.
struct StateFixture {
  Builder b;
  GraphRunner runner;
  Value initial = b.constant(vec({1, 2}));
  Variable w = b.variable("w", initial);

  std::string run(const Values& fetches, const Values& targets = {}) {
    return show(
        runner.run(b, {}, {fetches.begin(), fetches.end()}, {targets.begin(), targets.end()}));
  }
};

BOOST_FIXTURE_TEST_CASE(a_variable_has_the_value_that_was_assigned_last, StateFixture) {
  auto three = w.assign(b.constant(vec({3, 3})));
  BOOST_TEST(run({}, {w.initializer}) == "");
  BOOST_TEST(run({w.value()}) == "float32[2] [1 2]");
  BOOST_TEST(run({}, {three}) == "");
  BOOST_TEST(run({w.value()}) == "float32[2] [3 3]");
}

BOOST_FIXTURE_TEST_CASE(reading_before_the_first_assignment_names_the_variable, StateFixture) {
  BOOST_TEST(
      run({w.value()}) ==
      "FailedPrecondition: variable 'w' has no value yet: its initializer must be run first");
  auto other = b.container("jobs").variable("v", b.constant(1.0f));
  BOOST_TEST(
      run({other.value()}) ==
      "FailedPrecondition: variable 'v' of container 'jobs' has no value yet: its "
      "initializer must be run first");
  auto added = w.assign_add(initial);
  BOOST_TEST(starts_with(run({}, {added}), "FailedPrecondition: variable 'w' has no value yet"));
}

BOOST_FIXTURE_TEST_CASE(it_can_be_asked_whether_a_variable_has_a_value, StateFixture) {
  auto asked = b.op("VarIsInitializedOp", {w.handle});
  BOOST_TEST(run({asked}) == "bool[] [0]");
  run({}, {w.initializer});
  BOOST_TEST(run({asked}) == "bool[] [1]");
}

BOOST_FIXTURE_TEST_CASE(updates_add_and_subtract, StateFixture) {
  auto added = w.assign_add(b.constant(vec({10, 20})));
  auto subtracted = w.assign_sub(b.constant(vec({1, 1})));
  run({}, {w.initializer});
  run({}, {added});
  BOOST_TEST(run({w.value()}) == "float32[2] [11 22]");
  run({}, {subtracted});
  BOOST_TEST(run({w.value()}) == "float32[2] [10 21]");
}

BOOST_FIXTURE_TEST_CASE(an_update_changes_neither_the_constant_nor_what_was_read, StateFixture) {
  auto added = w.assign_add(b.constant(vec({10, 20})));
  run({}, {w.initializer});
  auto before = runner.run(b, {}, {w.value()});
  run({}, {added});
  BOOST_TEST(show(before) == "float32[2] [1 2]");
  BOOST_TEST(run({initial}) == "float32[2] [1 2]");
  run({}, {w.initializer});
  BOOST_TEST(run({w.value()}) == "float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(an_update_writes_in_place_where_nobody_reads, KernelFixture) {
  auto w = variable(vec({1, 2}));
  auto memory = w->read()->raw();
  BOOST_TEST(launch("AssignAddVariableOp", {w}, {vec({1, 1})}) == "Ok");
  BOOST_TEST(w->read()->raw() == memory);
  auto reader = *w->read();
  BOOST_TEST(launch("AssignAddVariableOp", {w}, {vec({1, 1})}) == "Ok");
  BOOST_TEST(w->read()->raw() != memory);
  BOOST_TEST(reader.to_string() == "float32[2] [2 3]");
  BOOST_TEST(w->read()->to_string() == "float32[2] [3 4]");
}

BOOST_FIXTURE_TEST_CASE(values_must_fit_the_variable, KernelFixture) {
  auto w = variable(vec({1, 2}), {2});
  BOOST_TEST(
      launch("AssignVariableOp", {w}, {vec({1})}) ==
      "InvalidArgument: the variable is float32[2], but the value is float32[1]");
  BOOST_TEST(
      launch("AssignAddVariableOp", {w}, {vec({1, 2, 3})}) ==
      "InvalidArgument: the variable is float32[2], but the value is float32[3]");
  BOOST_TEST(
      launch("AssignVariableOp", {w}, {vec<int32_t>({1, 2})}, DType::int32) ==
      "InvalidArgument: the variable is float32[2], but the value is int32[2]");
  BOOST_TEST(
      launch("ReadVariableOp", {w}, {}, DType::int32) ==
      "InvalidArgument: the variable is float32, but is read as int32");
  BOOST_TEST(w->read()->to_string() == "float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_variable_is_refused, KernelFixture) {
  struct Queue final : Resource {
    const char* kind() const override { return "queue"; }
    void drop() override {}
    bool is_dropped() const override { return false; }
    Description describe() const override { return {}; }
  };
  BOOST_TEST(
      launch("ReadVariableOp", {std::make_shared<Queue>()}, {}) ==
      "InvalidArgument: 'w' is a queue, but a variable is needed");
  BOOST_TEST(starts_with(launch("ReadVariableOp", {nullptr}, {}), "FailedPrecondition"));
}

BOOST_FIXTURE_TEST_CASE(a_dropped_variable_aborts_whoever_uses_it, KernelFixture) {
  auto w = variable(vec({1, 2}));
  w->drop();
  auto gone = "Aborted: variable 'w' is gone: its container was reset";
  BOOST_TEST(launch("ReadVariableOp", {w}, {}) == gone);
  BOOST_TEST(launch("AssignVariableOp", {w}, {vec({1, 2})}) == gone);
  BOOST_TEST(launch("AssignSubVariableOp", {w}, {vec({1, 2})}) == gone);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
