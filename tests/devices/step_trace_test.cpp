#include "troupe/devices/step_trace.hpp"

#include "troupe/tests/devices/plan_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(step_trace)

BOOST_FIXTURE_TEST_CASE(
    what_a_long_loop_does_is_traced_up_to_a_bound_and_counted_after_it, PlanFixture) {
  constexpr int traced_max = 1'000'000, more = 7;
  add_const("one", Tensor::scalar(1.0f));
  add_retval("one");
  auto device = make_cpu_device();
  auto plan = Plan::compile(graph, *device, {});
  BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
  int64_t ticks = 0;
  StepTrace trace([&] { return StepTrace::Time(++ticks); });
  for (int i = 0; i < traced_max + more; ++i)
    trace.add(**plan, /*node=*/0, StepTrace::Time(i), StepTrace::Time(i), /*bytes=*/4);
  auto run = trace.take(**plan);
  BOOST_TEST_REQUIRE(run.nodes.size() == traced_max + 1u);
  BOOST_TEST(run.nodes[traced_max - 1].node == "one");
  BOOST_TEST(run.nodes[traced_max - 1].bytes == 4u);
  const auto& rest = run.nodes.back();
  BOOST_TEST(rest.op == "_NotTraced");
  BOOST_TEST(rest.tensor == "7 more nodes");
  BOOST_TEST(rest.begin.count() == traced_max);
  BOOST_TEST(rest.end.count() == traced_max + more);
}

BOOST_AUTO_TEST_SUITE_END()
