// What the vendor's libraries do not take, or do otherwise than CPUs, and what is done instead.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "troupe/tests/cuda/large_calls.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

RecordedCall batch_norm(const Tensor& x, bool is_training, const std::string& format = "NHWC") {
  auto channels = Shape{x.shape()[format == "NHWC" ? 3 : 1]};
  auto given = is_training ? Shape{0} : channels;
  return {
      .op = "FusedBatchNorm",
      .attrs = {{"T", DType::float32}, {"is_training", is_training}, {"data_format", format}},
      .inputs = {
          x, numbers(DType::float32, channels, 2, 1, 3), numbers(DType::float32, channels, 3),
          numbers(DType::float32, given, 4), numbers(DType::float32, given, 5, 1, 3)}};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(limits_of_the_libraries_of_cards, ComparedDevices)

BOOST_AUTO_TEST_CASE(products_of_more_matrices_than_one_call_takes) {
  for (auto dtype : {DType::float32, DType::float16}) {
    Attrs attrs = {{"T", dtype}};
    auto a = numbers(dtype, {70000, 1, 3}, 1), b = numbers(dtype, {70000, 3, 1}, 2);
    compare({.op = "BatchMatMul", .attrs = attrs, .inputs = {a, b}});
    auto one = numbers(dtype, {1, 3, 2}, 3);
    compare({.op = "BatchMatMulV2", .attrs = attrs, .inputs = {a, one}});
  }
}

BOOST_AUTO_TEST_CASE(
    more_images_than_one_call_normalizes_by_given_statistics, *where_card_has("FusedBatchNorm")) {
  for (const std::string format : {"NHWC", "NCHW"})
    compare(batch_norm(numbers(DType::float32, {70000, 1, 2, 3}, 1), false, format));
}

BOOST_AUTO_TEST_CASE(
    a_batch_after_one_with_nan_is_normalized_by_its_own_statistics,
    *where_card_has("FusedBatchNorm")) {
  auto x = numbers(DType::float32, {4, 3, 2, 5}, 1), bad = numbers(DType::float32, x.shape(), 1);
  bad.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  run_call(batch_norm(bad, true), card);
  compare(batch_norm(x, true));
}

BOOST_AUTO_TEST_CASE(
    gradients_of_filters_have_the_same_bits_each_time, *where_card_has("Conv2DBackpropFilter")) {
  auto x = numbers(DType::float32, {2, 9, 7, 3}, 1), dy = numbers(DType::float32, {2, 9, 7, 4}, 2);
  RecordedCall call{
      .op = "Conv2DBackpropFilter",
      .attrs =
          {{"T", DType::float32},
           {"strides", std::vector<int64_t>{1, 1, 1, 1}},
           {"padding", "SAME"}},
      .inputs = {x, ints({3, 3, 3, 4}), dy}};
  auto once = run_call(call, card), again = run_call(call, card);
  BOOST_TEST_REQUIRE((once.status.ok() && again.status.ok()), once.status.to_string());
  BOOST_TEST(equal(once.outputs[0], again.outputs[0]));
}

BOOST_AUTO_TEST_CASE(
    a_convolution_of_bfloat16_is_computed_on_the_host_of_a_card_that_has_none,
    *where_card_has("Conv2D")) {
  RecordedCall call{
      .op = "Conv2D",
      .attrs =
          {{"T", DType::bfloat16},
           {"strides", std::vector<int64_t>{1, 1, 1, 1}},
           {"padding", "SAME"}},
      .inputs = {
          numbers(DType::bfloat16, {2, 5, 4, 3}, 1), numbers(DType::bfloat16, {3, 3, 3, 2}, 2)}};
  auto expected = run_call(call, cpu);
  for (int index = 0; index < *(*card_library())->count(); ++index) {
    GraphRunner runner(make_gpu({.card = index}));
    auto got = run_call(call, runner);
    BOOST_TEST_REQUIRE(got.status.ok(), got.status.to_string());
    BOOST_TEST(first_difference(call, got, expected.outputs, {}) == "");
  }
}

BOOST_AUTO_TEST_CASE(
    spectra_that_are_of_no_reals_are_transformed_to_the_reals_of_cpus, *where_card_has("IRFFT2D")) {
  struct Case {
    std::string op;
    std::vector<int32_t> lengths;
    Shape spectra;
  };
  for (const auto& [op, lengths, spectra] :
       {Case{"IRFFT", {8}, {3, 5}}, Case{"IRFFT", {7}, {3, 4}}, Case{"IRFFT", {2}, {2}},
        Case{"IRFFT2D", {4, 4}, {4, 3}}, Case{"IRFFT2D", {5, 6}, {2, 7, 9}},
        Case{"IRFFT2D", {1, 5}, {3, 1, 3}}, Case{"IRFFT3D", {3, 4, 6}, {2, 3, 5, 4}},
        Case{"IRFFT3D", {2, 3, 5}, {2, 3, 3}}})
    compare(
        {.op = op, .inputs = {numbers(DType::complex64, spectra, 6, -9, 9), ints(lengths)}}, 1e-4);
}

BOOST_AUTO_TEST_CASE(
    a_matrix_with_nan_has_a_factor_of_nan_at_any_size, *where_card_has("Cholesky")) {
  for (int64_t size : {128, 129}) {
    auto matrices = *Tensor::allocate(DType::float32, {2, size, size});
    std::memset(matrices.mutable_raw(), 0, matrices.bytes());
    for (int64_t i = 0; i < 2 * size; ++i)
      matrices.mutable_data<float>()[i * size + i % size] = static_cast<float>(1 + i % 3);
    matrices.mutable_data<float>()[size * size] = std::numeric_limits<float>::quiet_NaN();
    compare({.op = "Cholesky", .attrs = {{"T", DType::float32}}, .inputs = {matrices}});
  }
}

BOOST_AUTO_TEST_SUITE_END()
