#include <algorithm>

#include "troupe/tests/devices/cpu/data_flow/resource_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

Attrs accumulator_of(DType dtype, const Shape& shape, const std::string& reduction = "MEAN") {
  return {{"dtype", dtype}, {"shape", shape}, {"reduction_type", reduction}};
}

Tensor step_number(int64_t step) { return Tensor::scalar<int64_t>(step); }
Tensor count_of(int32_t count) { return Tensor::scalar(count); }
const Attrs of_float = {{"dtype", DType::float32}};

/// Of both forms of the dense ops.
struct Dense {
  std::string prefix;
  ResourceSteps run;

  explicit Dense(
      const Shape& shape = Shape::unknown_rank(), const std::string& reduction = "MEAN",
      std::string prefix_ = "Resource")
      : prefix(std::move(prefix_)),
        run(prefix + "ConditionalAccumulator", accumulator_of(DType::float32, shape, reduction)) {}

  std::string apply(int64_t step, Tensor gradient) {
    return run(prefix + "AccumulatorApplyGradient", {step_number(step), std::move(gradient)});
  }
  ResourceSteps::Step start_take(int32_t count) {
    return run.start(prefix + "AccumulatorTakeGradient", {count_of(count)}, of_float);
  }
  std::string take(int32_t count) { return start_take(count).end(); }
  std::string count() { return run(prefix + "AccumulatorNumAccumulated"); }
  std::string set_step(int64_t step) {
    return run(prefix + "AccumulatorSetGlobalStep", {step_number(step)});
  }
};

struct Sparse {
  ResourceSteps run;

  explicit Sparse(const Shape& shape = Shape::unknown_rank(), const std::string& reduction = "MEAN")
      : run("SparseConditionalAccumulator", accumulator_of(DType::float32, shape, reduction)) {}

  std::string apply(
      int64_t step, std::initializer_list<int64_t> indices, Tensor values,
      std::initializer_list<int64_t> shape = {}) {
    auto given = shape.size() > 0 ? vec<int64_t>(shape) : Tensor::of<int64_t>({0}, {});
    return run(
        "SparseAccumulatorApplyGradient",
        {step_number(step), vec<int64_t>(indices), std::move(values), given},
        {{"has_known_shape", shape.size() > 0}});
  }
  std::string take(int32_t count) {
    return run("SparseAccumulatorTakeGradient", {count_of(count)}, of_float);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(accumulator_ops)

BOOST_AUTO_TEST_CASE(the_mean_or_the_sum_of_all_gradients_is_taken_by_handle_and_by_reference) {
  for (const std::string prefix : {"", "Resource"}) {
    Dense mean({2}, "MEAN", prefix), sum({2}, "SUM", prefix);
    for (auto* dense : {&mean, &sum}) {
      BOOST_TEST(dense->apply(0, vec({1, 2})) == "ok");
      BOOST_TEST(dense->apply(0, vec({3, 6})) == "ok");
      BOOST_TEST(dense->apply(0, vec({2, 1})) == "ok");
      BOOST_TEST(dense->count() == "int32[] [3]");
    }
    BOOST_TEST(mean.take(2) == "float32[2] [2 3]");
    BOOST_TEST(sum.take(3) == "float32[2] [6 9]");
    BOOST_TEST(mean.count() == "int32[] [0]");
  }
}

BOOST_AUTO_TEST_CASE(a_reference_and_a_handle_of_one_name_are_one_accumulator) {
  Dense dense;
  dense.apply(0, vec({1}));
  BOOST_TEST(dense.run("ResourceAccumulatorSetGlobalStep", {step_number(0)}) == "ok");
  BOOST_TEST(dense.run("ResourceAccumulatorNumAccumulated") == "int32[] [1]");
  auto attrs = accumulator_of(DType::float32, Shape::unknown_rank());
  BOOST_TEST(dense.run.declare("ConditionalAccumulator", attrs) == "ok");
  Dense reference(Shape::unknown_rank(), "MEAN", "");
  reference.apply(0, vec({2}));
  BOOST_TEST(reference.run("AccumulatorSetGlobalStep", {step_number(0)}) == "ok");
  BOOST_TEST(reference.run("AccumulatorTakeGradient", {count_of(1)}, of_float) == "float32[1] [2]");
}

BOOST_AUTO_TEST_CASE(the_value_of_a_reference_is_the_name_of_its_resource) {
  Builder b;
  auto attrs = accumulator_of(DType::float32, {});
  attrs.insert({{"container", "jobs"}, {"shared_name", "sums"}});
  auto reference = b.op("ConditionalAccumulator", {}, attrs);
  BOOST_TEST(show(GraphRunner().run(b, {}, {reference})) == "string[2] [\"jobs\" \"sums\"]");
}

BOOST_AUTO_TEST_CASE(gradients_keep_their_value_when_the_sum_changes) {
  Dense dense;
  auto gradient = vec({1, 2});
  dense.apply(0, gradient);
  dense.apply(0, gradient);
  BOOST_TEST(dense.take(1) == "float32[2] [1 2]");
  BOOST_TEST(show(Tensors{gradient}) == "float32[2] [1 2]");
}

BOOST_AUTO_TEST_CASE(a_gradient_of_an_older_step_is_dropped) {
  Dense dense;
  BOOST_TEST(dense.apply(0, vec({1})) == "ok");
  BOOST_TEST(dense.take(1) == "float32[1] [1]");
  BOOST_TEST(dense.apply(0, vec({9})) == "ok");  // the accumulator is at step 1 now
  BOOST_TEST(dense.count() == "int32[] [0]");
  BOOST_TEST(dense.apply(1, vec({2})) == "ok");
  BOOST_TEST(dense.set_step(5) == "ok");
  BOOST_TEST(dense.apply(4, vec({9})) == "ok");
  BOOST_TEST(dense.apply(7, vec({4})) == "ok");
  BOOST_TEST(dense.take(2) == "float32[1] [3]");
  BOOST_TEST(dense.set_step(2) == "ok");
  BOOST_TEST(dense.apply(2, vec({5})) == "ok");
  BOOST_TEST(dense.count() == "int32[] [1]");
}

BOOST_AUTO_TEST_CASE(who_takes_waits_in_turn_for_as_many_gradients_as_it_needs) {
  Dense dense;
  auto first = dense.start_take(2), second = dense.start_take(1);
  BOOST_TEST(first.awaits() == "gradients of an accumulator");
  dense.apply(0, vec({1}));
  BOOST_TEST(first.end() == "waits");
  BOOST_TEST(second.end() == "waits");
  dense.apply(0, vec({3}));
  BOOST_TEST(first.end() == "float32[1] [2]");
  BOOST_TEST(second.end() == "waits");
  dense.apply(1, vec({7}));
  BOOST_TEST(second.end() == "float32[1] [7]");
}

BOOST_AUTO_TEST_CASE(a_take_that_is_cancelled_takes_nothing_and_lets_the_next_one_go_on) {
  Dense dense;
  auto large = dense.start_take(3), small = dense.start_take(1);
  dense.apply(0, vec({4}));
  BOOST_TEST(small.end() == "waits");
  BOOST_TEST(large.cancel() == "Cancelled: not wanted any more");
  BOOST_TEST(small.end() == "float32[1] [4]");
  BOOST_TEST(dense.count() == "int32[] [0]");
}

BOOST_AUTO_TEST_CASE(a_container_that_is_reset_ends_what_waits_for_its_accumulator) {
  Dense dense;
  auto take = dense.start_take(1);
  dense.run.resource().drop();
  const auto* gone = "Aborted: accumulator 'r' is gone: its container was reset";
  BOOST_TEST(take.end() == gone);
  BOOST_TEST(dense.apply(0, vec({1})) == gone);
  BOOST_TEST(dense.take(1) == gone);
  BOOST_TEST(dense.count() == gone);
  BOOST_TEST(dense.run.resource().describe().bytes == 0u);
}

BOOST_AUTO_TEST_CASE(a_gradient_must_have_the_declared_shape_and_that_of_the_first) {
  Dense dense({Shape::unknown, 2});
  BOOST_TEST(
      dense.apply(0, vec({1, 2, 3})) == "InvalidArgument: Shape mismatch: expected [?,2], got [3]");
  BOOST_TEST(dense.apply(0, vec({2, 2}, {1, 2, 3, 4})) == "ok");
  BOOST_TEST(
      dense.apply(0, vec({1, 2}, {1, 2})) ==
      "InvalidArgument: Shape mismatch: expected [2,2], got [1,2]");
  BOOST_TEST(dense.take(1) == "float32[2,2] [1 2 3 4]");
  BOOST_TEST(dense.apply(1, vec({1, 2}, {1, 2})) == "ok");
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_the_accumulator_is_refused) {
  Dense dense;
  BOOST_TEST(dense.take(0) == "InvalidArgument: Argument num_required must be positive, but was 0");
  BOOST_TEST(
      dense.run("ResourceAccumulatorApplyGradient", {step_number(0), vec<double>({1})}) ==
      "InvalidArgument: the gradients of the accumulator are float32, not float64");
  ResourceSteps integers("ConditionalAccumulator", accumulator_of(DType::int32, {}));
  BOOST_TEST(starts_with(
      integers("AccumulatorNumAccumulated"), "Unimplemented: there are no accumulators of int32"));
  Sparse sparse;
  BOOST_TEST(
      sparse.run("AccumulatorApplyGradient", {step_number(0), vec({1})}) ==
      "InvalidArgument: the accumulator is sparse");
}

BOOST_AUTO_TEST_CASE(an_accumulator_that_is_declared_otherwise_is_refused) {
  Dense dense({2});
  dense.count();
  auto same = accumulator_of(DType::float32, {2});
  BOOST_TEST(dense.run.declare("ConditionalAccumulator", same) == "ok");
  BOOST_TEST(
      dense.run.declare("ConditionalAccumulator", accumulator_of(DType::float32, {2}, "SUM")) ==
      "InvalidArgument: accumulator 'r' of container '' is the mean of float32[2], but the graph "
      "declares it as the sum of float32[2]; reset the container or choose another name");
  BOOST_TEST(starts_with(
      dense.run.declare("SparseConditionalAccumulator", same), "InvalidArgument: accumulator 'r'"));
}

BOOST_AUTO_TEST_CASE(halves_and_doubles_are_added_in_their_own_dtype) {
  for (auto dtype : {DType::float16, DType::bfloat16, DType::float64})
    visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      ResourceSteps run("ConditionalAccumulator", accumulator_of(dtype, {2}));
      for (float value : {1.0f, 2.0f, 6.0f})
        run("AccumulatorApplyGradient",
            {step_number(0), Tensor::of<T>({2}, {static_cast<T>(value), static_cast<T>(-value)})});
      auto taken = run("AccumulatorTakeGradient", {count_of(3)}, {{"dtype", dtype}});
      BOOST_TEST(taken == std::string(to_string(dtype)) + "[2] [3 -3]");
    });
}

BOOST_AUTO_TEST_CASE(large_gradients_are_added_by_the_device_in_whatever_order_they_come) {
  constexpr int64_t size = 100'000;
  Builder b;
  auto handle =
      b.op("ResourceConditionalAccumulator", {}, accumulator_of(DType::float32, {size}, "MEAN"));
  auto step = b.constant(Tensor::scalar<int64_t>(0));
  std::vector<Ref> applies;
  for (int i = 1; i <= 7; ++i) {
    std::vector<float> gradient(size, static_cast<float>(i));
    auto value = b.constant(Tensor::of<float>({size}, std::span<const float>(gradient)));
    applies.push_back(b.op("ResourceAccumulatorApplyGradient", {handle, step, value}));
  }
  auto required = b.constant(Tensor::scalar<int32_t>(7));
  auto mean = b.op("ResourceAccumulatorTakeGradient", {handle, required}, of_float);
  auto taken = GraphRunner().run(b, {}, {mean}, applies);
  BOOST_REQUIRE_MESSAGE(taken.ok(), taken.status().to_string());
  auto values = (*taken)[0].values<float>();
  BOOST_TEST(values.size() == static_cast<size_t>(size));
  BOOST_TEST(std::ranges::count(values, 4.0f) == size);
}

// -- rows

BOOST_AUTO_TEST_CASE(each_row_is_divided_by_the_number_of_gradients_that_have_it) {
  for (const std::string reduction : {"MEAN", "SUM"}) {
    Sparse sparse(Shape::unknown_rank(), reduction);
    BOOST_TEST(sparse.apply(0, {0, 2}, vec({2, 2}, {1, 2, 3, 4})) == "ok");
    BOOST_TEST(sparse.apply(0, {1, 2}, vec({2, 2}, {10, 20, 30, 40})) == "ok");
    auto expected =
        reduction == "MEAN" ? "float32[3,2] [1 2 10 20 16.5 22]" : "float32[3,2] [1 2 10 20 33 44]";
    BOOST_TEST(
        sparse.take(2) == std::string("int64[3] [0 1 2]; ") + expected + "; int64[2] [-1 2]");
  }
}

BOOST_AUTO_TEST_CASE(rows_of_one_index_in_a_gradient_are_added_and_count_once) {
  Sparse sparse({5});
  sparse.apply(0, {3, 1, 3}, vec({1, 2, 4}));
  BOOST_TEST(sparse.take(1) == "int64[2] [1 3]; float32[2] [2 5]; int64[1] [5]");
  sparse.apply(1, {3, 1, 3}, vec({1, 2, 4}));
  sparse.apply(1, {3}, vec({1}));
  BOOST_TEST(sparse.take(1) == "int64[2] [1 3]; float32[2] [2 3]; int64[1] [5]");
}

BOOST_AUTO_TEST_CASE(a_gradient_without_rows_counts) {
  Sparse sparse;
  sparse.apply(0, {}, Tensor::of<float>({0, 2}, {}));
  sparse.apply(0, {7}, vec({1, 2}, {1, 2}));
  BOOST_TEST(sparse.take(2) == "int64[1] [7]; float32[1,2] [1 2]; int64[2] [-1 2]");
}

BOOST_AUTO_TEST_CASE(rows_must_fit_their_indices_and_what_is_known_of_the_shape) {
  Sparse sparse({4, 2});
  auto refused = [&](const std::string& text) {
    BOOST_TEST(starts_with(text, "InvalidArgument: "));
    return text.substr(std::string("InvalidArgument: ").size());
  };
  auto row = vec({1, 2}, {1, 2});
  BOOST_TEST(refused(sparse.apply(0, {1, 2}, row)) == "Expected 2 non-empty input values, got 1");
  BOOST_TEST(
      refused(sparse.apply(0, {1}, Tensor::scalar(1.0f))) == "Values cannot be 0-dimensional.");
  BOOST_TEST(
      refused(sparse.apply(0, {4}, row)) ==
      "Shape mismatch: index of slice 0 exceeded limits of shape; index is 4 exceeded 4");
  BOOST_TEST(
      refused(sparse.apply(0, {1}, vec({1, 3}, {1, 2, 3}))) ==
      "Shape mismatch: expected values dim 1 to be 2, got 3");
  BOOST_TEST(
      refused(sparse.apply(0, {1}, vec({1}))) ==
      "Shape mismatch: expected values rank at least 2, got 1");
  BOOST_TEST(
      refused(sparse.apply(0, {1}, row, {5, 2})) ==
      "Shape mismatch: expected shape dim 0 to be 4, got 5");
  BOOST_TEST(
      refused(sparse.apply(0, {1}, row, {4})) ==
      "Shape mismatch: expected shape rank at least 2, got 1");
  BOOST_TEST(sparse.apply(0, {1}, row, {4, 2}) == "ok");
  BOOST_TEST(
      refused(sparse.apply(0, {1}, vec({1, 2, 1}, {1, 2}))) ==
      "Shape mismatch: expected values rank 2, got 3");
}

BOOST_AUTO_TEST_SUITE_END()
