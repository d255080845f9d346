#include "troupe/graph/ops/handle.hpp"
#include "troupe/tests/devices/cpu/data_flow/resource_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

Attrs staging_of(DTypes dtypes, int64_t capacity = 0, int64_t memory_limit = 0) {
  return {{"dtypes", std::move(dtypes)}, {"capacity", capacity}, {"memory_limit", memory_limit}};
}

Tensors index_of(int32_t index) { return {Tensor::scalar(index)}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(staging_ops)

BOOST_AUTO_TEST_CASE(tuples_are_taken_in_the_order_in_which_they_were_put) {
  ResourceSteps run("", staging_of({DType::float32, DType::string}));
  BOOST_TEST(run("Stage", {vec({1, 2}), Tensor::string("a")}) == "ok");
  BOOST_TEST(run("Stage", {vec({3}), Tensor::string("b")}) == "ok");
  BOOST_TEST(run("StageSize") == "int32[] [2]");
  BOOST_TEST(run("StagePeek", index_of(1)) == "float32[1] [3]; string[] [\"b\"]");
  BOOST_TEST(run("Unstage") == "float32[2] [1 2]; string[] [\"a\"]");
  BOOST_TEST(run("Unstage") == "float32[1] [3]; string[] [\"b\"]");
  BOOST_TEST(run("StageSize") == "int32[] [0]");
}

BOOST_AUTO_TEST_CASE(who_takes_waits_for_a_tuple_and_who_peeks_for_the_one_at_its_index) {
  ResourceSteps run("", staging_of({DType::float32}));
  auto peek = run.start("StagePeek", index_of(1));
  auto first = run.start("Unstage");
  BOOST_TEST(first.awaits() == "a tuple of a staging area");
  run("Stage", {vec({1})});
  BOOST_TEST(first.end() == "float32[1] [1]");
  run("Stage", {vec({2})});
  BOOST_TEST(peek.end() == "waits");
  run("Stage", {vec({3})});
  BOOST_TEST(peek.end() == "float32[1] [3]");
}

BOOST_AUTO_TEST_CASE(who_puts_waits_in_turn_for_room) {
  ResourceSteps run("", staging_of({DType::float32}, /*capacity=*/1));
  run("Stage", {vec({1})});
  auto second = run.start("Stage", {vec({2})}), third = run.start("Stage", {vec({3})});
  BOOST_TEST(second.awaits() == "room in a staging area");
  BOOST_TEST(run("Unstage") == "float32[1] [1]");
  BOOST_TEST(second.end() == "ok");
  BOOST_TEST(third.end() == "waits");
  BOOST_TEST(run("StageClear") == "ok");
  BOOST_TEST(third.end() == "ok");
  BOOST_TEST(run("Unstage") == "float32[1] [3]");
}

BOOST_AUTO_TEST_CASE(tuples_have_to_fit_into_the_memory_limit) {
  ResourceSteps run("", staging_of({DType::float32}, 0, /*memory_limit=*/12));
  BOOST_TEST(
      run("Stage", {vec({1, 2, 3, 4})}) ==
      "ResourceExhausted: Attempted to insert tensors with combined size of '16' bytes into "
      "Staging Area with a memory limit of '12'.");
  BOOST_TEST(run("Stage", {vec({1, 2})}) == "ok");
  auto second = run.start("Stage", {vec({3, 4})});
  BOOST_TEST(second.end() == "waits");
  BOOST_TEST(run("Unstage") == "float32[2] [1 2]");
  BOOST_TEST(second.end() == "ok");
}

BOOST_AUTO_TEST_CASE(a_wait_can_be_cancelled) {
  ResourceSteps run("", staging_of({DType::float32}, /*capacity=*/1));
  auto take = run.start("Unstage"), peek = run.start("StagePeek", index_of(0));
  BOOST_TEST(take.cancel() == "Cancelled: not wanted any more");
  BOOST_TEST(peek.cancel() == "Cancelled: not wanted any more");
  run("Stage", {vec({1})});
  auto put = run.start("Stage", {vec({2})}), other = run.start("Stage", {vec({3})});
  BOOST_TEST(put.cancel() == "Cancelled: not wanted any more");
  run("Unstage");
  BOOST_TEST(other.end() == "ok");
  BOOST_TEST(run("Unstage") == "float32[1] [3]");
}

BOOST_AUTO_TEST_CASE(a_container_that_is_reset_ends_what_waits) {
  ResourceSteps run("", staging_of({DType::float32}, /*capacity=*/1));
  run("Stage", {vec({1})});
  auto put = run.start("Stage", {vec({2})}), peek = run.start("StagePeek", index_of(1));
  run.resource().drop();
  const auto* gone = "Aborted: staging area 'r' is gone: its container was reset";
  for (const auto& step : {put, peek}) BOOST_TEST(step.end() == gone);
  BOOST_TEST(run("Unstage") == gone);
  BOOST_TEST(run("StageSize") == gone);
}

BOOST_AUTO_TEST_CASE(a_tuple_that_is_taken_as_another_one_stays) {
  ResourceSteps run("", staging_of({DType::float32, DType::int32}));
  run("Stage", {vec({1}), Tensor::scalar<int32_t>(2)});
  BOOST_TEST(
      run("Unstage", {}, staging_of({DType::float32})) ==
      "InvalidArgument: Mismatch stage/unstage: 2 vs. 1");
  BOOST_TEST(
      run("Unstage", {}, staging_of({DType::float32, DType::float32})) ==
      "InvalidArgument: component 1 was staged as int32, not float32");
  BOOST_TEST(run("StagePeek", index_of(-1)) == "InvalidArgument: there is no tuple at index -1");
  BOOST_TEST(run("Unstage") == "float32[1] [1]; int32[] [2]");
}

BOOST_AUTO_TEST_CASE(a_staging_area_tells_how_much_it_holds) {
  ResourceSteps run("", staging_of({DType::float32}));
  run("Stage", {vec({1, 2})});
  run("Stage", {vec({3})});
  auto held = run.resource().describe();
  BOOST_TEST(held.bytes == 12u);
  BOOST_TEST((held.shape == Shape{2}));
}

BOOST_AUTO_TEST_CASE(a_staging_area_without_a_name_has_that_of_its_node) {
  Graph graph(op_catalog());
  auto id = graph.add({.name = "area", .op = "StageSize", .attrs = staging_of({DType::float32})});
  BOOST_REQUIRE(id.ok());
  auto name = resource_of(graph.node(*id));
  BOOST_REQUIRE(name.has_value());
  BOOST_TEST(name->name == "area");
  BOOST_TEST(!is_unshared(*name));
}

BOOST_AUTO_TEST_SUITE_END()
