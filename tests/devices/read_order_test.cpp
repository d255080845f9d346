#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(read_order)

BOOST_AUTO_TEST_CASE(a_variable_is_read_before_the_forward_pass_whose_result_updates_it) {
  Builder b;
  auto x = b.placeholder(DType::float32, {1, 4});
  auto v = b.variable("v", b.constant(1.0f));
  auto change = b.op(
      "Sum", {b.matmul(x, b.constant(Tensor::of<float>({4, 1}, {1, 1, 1, 1}))),
              b.constant(Tensor::of<int32_t>({2}, {0, 1}))});
  auto update = b.op("AssignAddVariableOp", {v.handle, change});
  auto seen = v * 2.0 + change;  // no edge says whether it comes before the update
  GraphRunner runner;
  BOOST_TEST_REQUIRE(runner.run(b, {}, {}, {v.initializer}).ok());
  for (int step = 0; step < 3; ++step) {
    auto fed = Tensor::of<float>({1, 4}, {1, 1, 1, 1});
    auto found = runner.run(b, {{x, fed}}, {seen}, {update});
    BOOST_TEST_REQUIRE(found.ok(), found.status().to_string());
    BOOST_TEST((*found)[0].value<float>() == 2.0f * (1 + 4 * static_cast<float>(step)) + 4);
  }
}

BOOST_AUTO_TEST_SUITE_END()
