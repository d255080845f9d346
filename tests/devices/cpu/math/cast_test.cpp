#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(cast)

std::string cast_to(DType dtype, const Tensor& x, bool truncate = false) {
  return show("Cast", {x}, {{"DstT", dtype}, {"Truncate", truncate}});
}

BOOST_AUTO_TEST_CASE(fractions_are_cut_off) {
  BOOST_TEST(cast_to(DType::int32, vec({1.9, -1.9})) == "int32[2] [1 -1]");
  BOOST_TEST(cast_to(DType::int64, vec<double>({1e12})) == "int64[1] [1000000000000]");
}

BOOST_AUTO_TEST_CASE(zero_is_false_and_all_else_true) {
  BOOST_TEST(cast_to(DType::boolean, vec({0, -0.0f, 0.1f})) == "bool[3] [0 0 1]");
  BOOST_TEST(cast_to(DType::float32, vec<bool>({true, false})) == "float32[2] [1 0]");
}

BOOST_AUTO_TEST_CASE(complex_numbers_lose_or_gain_an_imaginary_part) {
  BOOST_TEST(cast_to(DType::float32, vec<complex128>({{1.5, 2}})) == "float32[1] [1.5]");
  BOOST_TEST(cast_to(DType::complex64, vec<int32_t>({3})) == "complex64[1] [(3,0)]");
}

BOOST_AUTO_TEST_CASE(shorter_mantissas_are_rounded_or_truncated) {
  auto x = vec({1.0f + 0x1p-8f + 0x1p-9f});
  BOOST_TEST(cast_to(DType::bfloat16, x) == "bfloat16[1] [1.00781]");
  BOOST_TEST(cast_to(DType::bfloat16, x, /*truncate=*/true) == "bfloat16[1] [1]");
  auto narrow = [](bool truncate) {
    return (*run_op(
        "Cast", {vec<double>({2.0 / 3})}, {{"DstT", DType::float32}, {"Truncate", truncate}}))[0]
        .value<float>();
  };
  BOOST_TEST(double{narrow(/*truncate=*/false)} > 2.0 / 3);
  BOOST_TEST(double{narrow(/*truncate=*/true)} < 2.0 / 3);
}

BOOST_AUTO_TEST_CASE(every_plain_dtype_can_become_every_other) {
  for (auto from : all_plain())
    for (auto to : all_plain()) {
      auto one = visit(from, [](auto zero) { return Tensor::scalar(decltype(zero)(1)); });
      auto expected = visit(to, [](auto zero) { return Tensor::scalar(decltype(zero)(1)); });
      auto outputs = run_op("Cast", {one}, {{"DstT", to}});
      BOOST_REQUIRE(outputs.ok());
      BOOST_TEST(equal((*outputs)[0], expected), to_string(from) << " to " << to_string(to));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
