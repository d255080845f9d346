#include <limits>

#include "troupe/tests/devices/cpu/data_flow/resource_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr auto first_index = "-9223372036854775808";
constexpr auto second_index = "-9223372036854775807";

const DTypes component_dtypes = {DType::float32, DType::int32};

Attrs barrier_of(DTypes dtypes, Shapes shapes) {
  return {{"component_types", std::move(dtypes)}, {"shapes", std::move(shapes)}};
}

/// A barrier whose elements are a number and a vector of two integers.
struct Pairs {
  ResourceSteps run{"Barrier", barrier_of(component_dtypes, {{}, {2}})};

  std::string insert(
      int64_t component, std::initializer_list<std::string> keys, const Tensor& values) {
    return run(
        "BarrierInsertMany", {vec<std::string>(keys), values}, {{"component_index", component}});
  }
  std::string numbers(std::initializer_list<std::string> keys, const Tensor& values) {
    return insert(0, keys, values);
  }
  ResourceSteps::Step start_take(int32_t count, bool allow_small_batch = false) {
    return run.start(
        "BarrierTakeMany", {Tensor::scalar(count)},
        {{"component_types", component_dtypes}, {"allow_small_batch", allow_small_batch}});
  }
  std::string take(int32_t count, bool allow_small_batch = false) {
    return start_take(count, allow_small_batch).end();
  }
  std::string close(bool cancels = false) {
    return run("BarrierClose", {}, {{"cancel_pending_enqueues", cancels}});
  }
  std::string sizes() { return run("BarrierReadySize") + "; " + run("BarrierIncompleteSize"); }
};

std::string taken(
    const std::string& indices, const std::string& keys, const std::string& numbers,
    const std::string& vectors, int count) {
  auto size = std::to_string(count);
  return "int64[" + size + "] [" + indices + "]; string[" + size + "] [" + keys + "]; float32[" +
         size + "] [" + numbers + "]; int32[" + size + ",2] [" + vectors + "]";
}

Tensor pairs_of(std::initializer_list<int32_t> values) {
  return vec<int32_t>({static_cast<int64_t>(values.size() / 2), 2}, values);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(barrier_ops)

BOOST_AUTO_TEST_CASE(an_element_is_taken_once_all_its_components_are_there) {
  Pairs pairs;
  BOOST_TEST(pairs.numbers({"a", "b"}, vec({1, 2})) == "ok");
  BOOST_TEST(pairs.sizes() == "int32[] [0]; int32[] [2]");
  BOOST_TEST(pairs.insert(1, {"b"}, pairs_of({3, 4})) == "ok");
  BOOST_TEST(pairs.sizes() == "int32[] [1]; int32[] [1]");
  BOOST_TEST(pairs.take(1) == taken(first_index, "\"b\"", "2", "3 4", 1));
  BOOST_TEST(pairs.take(0) == taken("", "", "", "", 0));
}

BOOST_AUTO_TEST_CASE(elements_are_taken_in_the_order_of_the_insertions_that_began_them) {
  Pairs pairs;
  pairs.numbers({"late"}, vec({1}));
  pairs.insert(1, {"early"}, pairs_of({3, 4}));
  pairs.numbers({"early"}, vec({2}));
  pairs.insert(1, {"late"}, pairs_of({5, 6}));
  BOOST_TEST(
      pairs.take(2) == taken(
                           first_index + std::string(" ") + second_index, "\"late\" \"early\"",
                           "1 2", "5 6 3 4", 2));
}

BOOST_AUTO_TEST_CASE(who_takes_waits_in_turn_for_enough_elements) {
  Pairs pairs;
  auto two = pairs.start_take(2), one = pairs.start_take(1);
  BOOST_TEST(two.awaits() == "elements of a barrier");
  pairs.numbers({"a", "b", "c"}, vec({1, 2, 3}));
  pairs.insert(1, {"a"}, pairs_of({1, 1}));
  BOOST_TEST(one.end() == "waits");
  pairs.insert(1, {"b", "c"}, pairs_of({2, 2, 3, 3}));
  auto same = first_index + std::string(" ") + first_index;
  BOOST_TEST(two.end() == taken(same, "\"a\" \"b\"", "1 2", "1 1 2 2", 2));
  BOOST_TEST(one.end() == taken(first_index, "\"c\"", "3", "3 3", 1));
}

BOOST_AUTO_TEST_CASE(waits_end_when_their_step_or_the_container_does) {
  Pairs pairs;
  auto large = pairs.start_take(2), small = pairs.start_take(1), last = pairs.start_take(1);
  pairs.numbers({"a"}, vec({1}));
  pairs.insert(1, {"a"}, pairs_of({2, 3}));
  BOOST_TEST(small.end() == "waits");
  BOOST_TEST(large.cancel() == "Cancelled: not wanted any more");
  BOOST_TEST(small.end() == taken(first_index, "\"a\"", "1", "2 3", 1));
  pairs.run.resource().drop();
  const auto* gone = "Aborted: barrier 'r' is gone: its container was reset";
  BOOST_TEST(last.end() == gone);
  BOOST_TEST(pairs.numbers({"b"}, vec({1})) == gone);
  BOOST_TEST(pairs.close() == gone);
}

BOOST_AUTO_TEST_CASE(a_closed_barrier_takes_missing_components_and_no_new_keys) {
  Pairs pairs;
  pairs.numbers({"a"}, vec({1}));
  auto more = pairs.start_take(2);
  BOOST_TEST(pairs.close() == "ok");
  BOOST_TEST(
      more.end() ==
      "OutOfRange: Barrier 'r' is closed and has insufficient elements (requested 2, total size "
      "1)");
  BOOST_TEST(
      pairs.numbers({"b"}, vec({2})) ==
      "Cancelled: Barrier r is closed, but attempted to insert a brand new key: b.  Pending "
      "enqueues cancelled: 0.  Insertion index: 0.  Number of incomplete keys: 1.");
  BOOST_TEST(pairs.insert(1, {"a"}, pairs_of({3, 4})) == "ok");
  BOOST_TEST(pairs.insert(1, {}, pairs_of({})) == "ok");
  BOOST_TEST(starts_with(pairs.insert(1, {"a"}, pairs_of({3, 4})), "Cancelled: Barrier r is "));
  BOOST_TEST(pairs.take(1) == taken(first_index, "\"a\"", "1", "3 4", 1));
  BOOST_TEST(pairs.close() == "Cancelled: Barrier 'r' is already closed.");
  BOOST_TEST(pairs.close(/*cancels=*/true) == "ok");
  BOOST_TEST(pairs.close(/*cancels=*/true) == "Cancelled: Barrier 'r' is already closed.");
  BOOST_TEST(starts_with(pairs.insert(1, {}, pairs_of({})), "Cancelled: Barrier r is closed."));
}

BOOST_AUTO_TEST_CASE(a_close_that_cancels_drops_what_is_incomplete) {
  Pairs pairs;
  pairs.numbers({"a", "b"}, vec({1, 2}));
  pairs.insert(1, {"a"}, pairs_of({3, 4}));
  BOOST_TEST(pairs.close(/*cancels=*/true) == "ok");
  BOOST_TEST(pairs.sizes() == "int32[] [1]; int32[] [0]");
  BOOST_TEST(starts_with(pairs.insert(1, {"b"}, pairs_of({5, 6})), "Cancelled: Barrier r is "));
  BOOST_TEST(pairs.take(5, true) == taken(first_index, "\"a\"", "1", "3 4", 1));
  BOOST_TEST(starts_with(
      pairs.take(1, true),
      "OutOfRange: Barrier 'r' is closed and has insufficient elements (requested 0, total"));
}

BOOST_AUTO_TEST_CASE(an_insertion_that_fails_changes_nothing) {
  Pairs pairs;
  pairs.numbers({"a"}, vec({1}));
  BOOST_TEST(
      pairs.numbers({"b", "a"}, vec({2, 3})) ==
      "InvalidArgument: Key a already has a value for component 0 in barrier r");
  BOOST_TEST(
      pairs.numbers({"c", "c"}, vec({2, 3})) ==
      "InvalidArgument: Key c already has a value for component 0 in barrier r");
  BOOST_TEST(pairs.sizes() == "int32[] [0]; int32[] [1]");
}

BOOST_AUTO_TEST_CASE(a_key_may_come_again_once_its_element_is_complete) {
  ResourceSteps run("Barrier", barrier_of({DType::string}, {{}}));
  auto keys = vec<std::string>({"a", "a"});
  BOOST_TEST(run("BarrierInsertMany", {keys, keys}, {{"component_index", 0}}) == "ok");
  BOOST_TEST(run("BarrierReadySize") == "int32[] [2]");
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  Pairs pairs;
  BOOST_TEST(
      pairs.insert(2, {"a"}, vec({1})) ==
      "InvalidArgument: The component ID is out of range 2 > num_components (= 2)");
  BOOST_TEST(
      pairs.insert(1, {"a"}, vec({1})) == "InvalidArgument: component 1 is int32, not float32");
  BOOST_TEST(
      pairs.insert(1, {"a"}, vec<int32_t>({1, 3}, {1, 2, 3})) ==
      "InvalidArgument: Shape mismatch in tuple component 1. Expected [2], got [3]");
  BOOST_TEST(pairs.take(-1) == "InvalidArgument: num_elements must not be negative: -1");
  ResourceSteps open("Barrier", barrier_of({DType::float32}, {Shape::unknown_rank()}));
  BOOST_TEST(
      open(
          "BarrierInsertMany", {vec<std::string>({"a"}), Tensor::of<float>({1, 0}, {})},
          {{"component_index", 0}}) ==
      "InvalidArgument: Tensors with no elements are not supported r: received shape [1,0]");
  for (const auto& row : {vec({1, 1}, {1}), vec({1, 2}, {1, 2})})
    open("BarrierInsertMany", {vec<std::string>({"a"}), row}, {{"component_index", 0}});
  BOOST_TEST(
      open(
          "BarrierTakeMany", {Tensor::scalar<int32_t>(2)},
          {{"component_types", DTypes{DType::float32}}}) ==
      "InvalidArgument: elements of component 0 cannot be taken at once, as their shapes differ: "
      "[1] and [2]");
  BOOST_TEST(open("BarrierReadySize") == "int32[] [2]");
}

BOOST_AUTO_TEST_CASE(a_barrier_needs_all_shapes_has_no_capacity_and_one_declaration) {
  ResourceSteps no_shapes("Barrier", barrier_of({DType::float32}, {}));
  BOOST_TEST(
      no_shapes("BarrierReadySize") ==
      "InvalidArgument: All of the component shapes must be specified");
  auto bounded = barrier_of({DType::float32}, {{}});
  bounded.emplace("capacity", 3);
  BOOST_TEST(starts_with(
      ResourceSteps("Barrier", bounded)("BarrierReadySize"),
      "InvalidArgument: Barrier only accepts capacity=-1."));
  Pairs pairs;
  pairs.sizes();
  BOOST_TEST(
      pairs.run.declare("Barrier", barrier_of({DType::float32}, {{}})) ==
      "InvalidArgument: Shared barrier 'r' has component types [float32, int32] but requested "
      "component types were [float32]");
  BOOST_TEST(
      pairs.run.declare("Barrier", barrier_of(component_dtypes, {{}, {3}})) ==
      "InvalidArgument: Shared barrier 'r' has component shapes [[], [2]] but requested component "
      "shapes were [[], [3]]");
}

BOOST_AUTO_TEST_SUITE_END()
