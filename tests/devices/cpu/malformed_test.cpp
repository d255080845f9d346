#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/cpu/run_op.hpp"

// Calls that tests/fuzz/calls found answered wrongly.
namespace troupe::testing {
namespace {

Tensor malformed_int(int32_t value) { return Tensor::scalar<int32_t>(value); }
Tensor malformed_empty(DType dtype, const Shape& shape) { return *Tensor::allocate(dtype, shape); }

std::string malformed_code(const std::string& op, const Tensors& inputs, const Attrs& attrs = {}) {
  return to_string(run_op(op, inputs, attrs).status().code());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(malformed)

BOOST_AUTO_TEST_CASE(a_scalar_is_no_vector_of_sizes) {
  const std::string refused = "InvalidArgument";
  auto x = vec({1});
  BOOST_TEST(malformed_code("Fill", {malformed_int(1), Tensor::scalar(1.0f)}) == refused);
  BOOST_TEST(malformed_code("BroadcastTo", {x, malformed_int(1)}) == refused);
  BOOST_TEST(malformed_code("Reshape", {x, malformed_int(1)}) == refused);
  BOOST_TEST(malformed_code("Transpose", {x, malformed_int(0)}) == refused);
  BOOST_TEST(malformed_code("Slice", {x, malformed_int(0), vec<int32_t>({1})}) == refused);
  BOOST_TEST(
      malformed_code("RandomUniform", {malformed_int(1)}, {{"dtype", DType::float32}}) == refused);
}

BOOST_AUTO_TEST_CASE(a_vector_is_no_axis_and_no_count) {
  const std::string refused = "InvalidArgument";
  auto x = vec({1});
  auto zero = vec<int32_t>({0}), one = vec<int32_t>({1});
  BOOST_TEST(malformed_code("ConcatV2", {x, x, zero}) == refused);
  BOOST_TEST(malformed_code("Concat", {zero, x, x}) == refused);
  BOOST_TEST(malformed_code("ConcatOffset", {zero, one, one}) == refused);
  BOOST_TEST(malformed_code("ArgMax", {x, zero}) == refused);
  BOOST_TEST(malformed_code("GatherV2", {x, zero, zero}) == refused);
  BOOST_TEST(malformed_code("UnsortedSegmentSum", {x, zero, one}) == refused);
  BOOST_TEST(malformed_code("SparseSegmentSumWithNumSegments", {x, zero, zero, one}) == refused);
}

BOOST_AUTO_TEST_CASE(a_permutation_counts_axes_from_the_first) {
  BOOST_TEST(
      show("Transpose", {varied<float>({2, 2}), vec<int32_t>({-2, 1})}) ==
      "InvalidArgument: axis -2 of the permutation is not in [0, 2)");
}

BOOST_AUTO_TEST_CASE(a_filter_for_channels_does_not_fit_images_without_any) {
  Attrs attrs = {{"padding", "SAME"}, {"strides", std::vector<int64_t>{1, 1, 1, 1}}};
  BOOST_TEST(
      malformed_code(
          "Conv2D", {malformed_empty(DType::float32, {1, 3, 4, 0}), varied<float>({1, 1, 1, 3})},
          attrs) == "InvalidArgument");
}

BOOST_AUTO_TEST_CASE(a_box_that_is_no_number_is_left_out) {
  auto boxes = vec({2, 4}, {0, 0, float(nan), 1, 0, 0, float(inf), 1});
  auto got = run_op(
      "NonMaxSuppressionV3",
      {boxes, vec({0.9f, 0.8f}), malformed_int(2), Tensor::scalar(0.5f), Tensor::scalar(-1.0f)});
  BOOST_TEST(got.ok(), got.status().to_string());
}

BOOST_AUTO_TEST_CASE(dtypes_that_a_node_gives_are_those_of_its_inputs) {
  BOOST_TEST(
      malformed_code("IdentityN", {vec({1})}, {{"T", DTypes{DType::string}}}) == "InvalidArgument");
}

BOOST_AUTO_TEST_CASE(many_rows_without_elements_take_no_time) {
  auto rows = malformed_empty(DType::float32, {int64_t{1} << 40, 0});
  BOOST_TEST(show("ConcatV2", {rows, rows, malformed_int(1)}) == "float32[1099511627776,0] []");
  BOOST_TEST(show("Pack", {rows, rows}, {{"axis", int64_t{1}}}) == "float32[1099511627776,2,0] []");
  BOOST_TEST(
      show("TopKV2", {rows, malformed_int(0)}) ==
      "float32[1099511627776,0] []; int32[1099511627776,0] []");
}

BOOST_AUTO_TEST_CASE(the_size_of_a_stack_is_a_scalar) {
  Builder b;
  Attrs attrs = {{"elem_type", DType::float32}};
  auto size = b.constant(malformed_empty(DType::int32, {0}));
  auto handle = b.op("StackV2", {size}, attrs);
  auto got = run_graph(b, {}, {}, {handle});
  BOOST_TEST(to_string(got.status().code()) == "InvalidArgument");
}

BOOST_AUTO_TEST_CASE(what_is_taken_from_a_stack_has_its_dtype) {
  Builder b;
  auto handle = b.op("StackV2", {b.constant<int32_t>(-1)}, {{"elem_type", DType::float32}});
  auto pushed = b.op("StackPushV2", {handle, b.constant(1.0f)});
  auto popped = b.after({pushed}).op("StackPopV2", {handle}, {{"elem_type", DType::int32}});
  auto got = run_graph(b, {}, {popped});
  BOOST_TEST(to_string(got.status().code()) == "InvalidArgument");
}

BOOST_AUTO_TEST_CASE(a_size_that_int32_lacks_is_not_cut_off) {
  Builder b;
  auto x = b.placeholder(DType::float32, {0, int64_t{1} << 40});
  auto got =
      run_graph(b, {{x, malformed_empty(DType::float32, {0, int64_t{1} << 40})}}, {b.shape_of(x)});
  BOOST_TEST(to_string(got.status().code()) == "InvalidArgument");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
