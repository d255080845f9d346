#include "troupe/tests/devices/cpu/run_op.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(stacks_by_reference)

BOOST_AUTO_TEST_CASE(what_was_pushed_last_is_popped_first) {
  Builder b;
  auto stack = b.op("Stack", {}, {{"elem_type", DType::float32}});
  auto first = b.op("StackPush", {stack, b.constant(1.0f)});
  auto second = b.after({first}).op("StackPush", {stack, b.constant(2.0f)});
  auto pop = [&](const Value& after) {
    return b.after({after}).op("StackPop", {stack}, {{"elem_type", DType::float32}});
  };
  auto last = pop(second);
  auto before = pop(last);
  auto closed = b.after({before}).op("StackClose", {stack});
  BOOST_TEST(
      show(GraphRunner().run(b, {}, {second, last, before}, {closed})) ==
      "float32[] [2]; float32[] [2]; float32[] [1]");
}

BOOST_AUTO_TEST_CASE(each_step_has_a_stack_of_its_own) {
  Builder b;
  GraphRunner runner;
  auto stack = b.op("Stack", {}, {{"elem_type", DType::float32}});
  auto push = b.op("StackPush", {stack, b.constant(1.0f)});
  auto pop = b.op("StackPop", {stack}, {{"elem_type", DType::float32}});
  BOOST_TEST(show(runner.run(b, {}, {}, {push})) == "");
  BOOST_TEST(show(runner.run(b, {}, {pop})) == "InvalidArgument: the stack is empty");
}

BOOST_AUTO_TEST_SUITE_END()
