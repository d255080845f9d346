#include <bit>

#include "troupe/devices/cuda/math/functions.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(cuda_numbers)

uint16_t bits_of(float16 value) { return std::bit_cast<uint16_t>(value); }
uint16_t bits_of(bfloat16 value) { return std::bit_cast<uint16_t>(value); }

BOOST_AUTO_TEST_CASE(each_16_bit_float_is_widened_as_on_a_cpu) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = static_cast<float>(std::bit_cast<float16>(static_cast<uint16_t>(bits)));
    auto brain = static_cast<float>(std::bit_cast<bfloat16>(static_cast<uint16_t>(bits)));
    auto own_half = cuda::to_float(cuda::Half{static_cast<uint16_t>(bits)});
    auto own_brain = cuda::to_float(cuda::Brain{static_cast<uint16_t>(bits)});
    BOOST_REQUIRE((half == own_half || (half != half && own_half != own_half)));
    BOOST_REQUIRE((brain == own_brain || (brain != brain && own_brain != own_brain)));
  }
}

BOOST_AUTO_TEST_CASE(floats_are_narrowed_as_on_a_cpu) {
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 40503) {
    auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (value != value) continue;
    BOOST_REQUIRE_EQUAL(cuda::to_half(value).bits, bits_of(static_cast<float16>(value)));
    BOOST_REQUIRE_EQUAL(cuda::to_brain(value).bits, bits_of(static_cast<bfloat16>(value)));
  }
  auto nan_half = cuda::to_float(cuda::to_half(static_cast<float>(nan)));
  auto nan_brain = cuda::to_float(cuda::to_brain(static_cast<float>(nan)));
  BOOST_TEST(nan_half != nan_half);
  BOOST_TEST(nan_brain != nan_brain);
}

/// Numbers of the kind that an op's function takes: a little outside of where it is defined.
Tensor operand(double scale, double shift) {
  auto numbers = varied<double>({301});
  std::vector<double> moved;
  for (auto x : numbers.values<double>()) moved.push_back(x * scale + shift);
  moved.insert(moved.end(), {0.0, -0.0, nan, inf, -inf});
  return Tensor::of<double>({static_cast<int64_t>(moved.size())}, std::span<const double>(moved));
}

void check_close(const char* op, double expected, double found, double x, double y) {
  auto is_close = expected == found || (expected != expected && found != found) ||
                  std::abs(expected - found) <= 1e-12 * std::max(1.0, std::abs(expected));
  BOOST_CHECK_MESSAGE(
      is_close, op << " of " << x << " and " << y << " is " << found << ", not " << expected);
}

template <class F>
void check_unary(const char* op, F function) {
  auto x = operand(3, 0.25);
  auto on_cpu = run_op(op, {x});
  BOOST_REQUIRE_MESSAGE(on_cpu.ok(), op << ": " << on_cpu.status().to_string());
  for (int64_t i = 0; i < x.elements(); ++i)
    check_close(
        op, (*on_cpu)[0].data<double>()[i], function(x.data<double>()[i]), x.data<double>()[i], 0);
}

template <class F>
void check_binary(const char* op, F function) {
  auto x = operand(3, 0.25), y = operand(-2, 0.5);
  auto on_cpu = run_op(op, {x, y});
  BOOST_REQUIRE_MESSAGE(on_cpu.ok(), op << ": " << on_cpu.status().to_string());
  for (int64_t i = 0; i < x.elements(); ++i) {
    auto a = x.data<double>()[i], b = y.data<double>()[i];
    check_close(op, (*on_cpu)[0].data<double>()[i], function(a, b), a, b);
  }
}

#define UNARY(op) check_unary(#op, cuda::op())
#define BINARY(op) check_binary(#op, cuda::op())

BOOST_AUTO_TEST_CASE(functions_of_one_number_compute_what_the_ops_of_a_cpu_do) {
  UNARY(Abs), UNARY(Neg), UNARY(Square), UNARY(Sign), UNARY(Relu), UNARY(Relu6), UNARY(Round);
  UNARY(Acos), UNARY(Acosh), UNARY(Asin), UNARY(Asinh), UNARY(Atan), UNARY(Atanh), UNARY(Ceil);
  UNARY(Cos), UNARY(Cosh), UNARY(Elu), UNARY(Erf), UNARY(Erfc), UNARY(Exp), UNARY(Expm1);
  UNARY(Floor), UNARY(Lgamma), UNARY(Log), UNARY(Log1p), UNARY(Reciprocal), UNARY(Inv);
  UNARY(Rint), UNARY(Rsqrt), UNARY(Selu), UNARY(Sigmoid), UNARY(Sin), UNARY(Sinh);
  UNARY(Softplus), UNARY(Softsign), UNARY(Sqrt), UNARY(Tan), UNARY(Tanh);
}

BOOST_AUTO_TEST_CASE(functions_of_two_numbers_compute_what_the_ops_of_a_cpu_do) {
  BINARY(Add), BINARY(AddV2), BINARY(Sub), BINARY(Mul), BINARY(SquaredDifference);
  BINARY(Maximum), BINARY(Minimum), BINARY(Atan2), BINARY(Div), BINARY(RealDiv);
  BINARY(DivNoNan), BINARY(MulNoNan), BINARY(Pow), BINARY(Xdivy), BINARY(Xlogy);
  BINARY(FloorDiv), BINARY(TruncateDiv), BINARY(TruncateMod), BINARY(Mod), BINARY(FloorMod);
  BINARY(TanhGrad), BINARY(SigmoidGrad), BINARY(SqrtGrad), BINARY(RsqrtGrad), BINARY(InvGrad);
  BINARY(ReciprocalGrad), BINARY(ReluGrad), BINARY(Relu6Grad), BINARY(EluGrad);
  BINARY(SeluGrad), BINARY(SoftplusGrad), BINARY(SoftsignGrad);
}

#undef UNARY
#undef BINARY

BOOST_AUTO_TEST_CASE(infinite_derivatives_do_not_count_where_no_gradient_arrived) {
  const auto infinite = std::numeric_limits<float>::infinity();
  BOOST_TEST(cuda::SqrtGrad()(0.0f, 0.0f) == 0);
  BOOST_TEST(cuda::RsqrtGrad()(infinite, 0.0f) == 0);
  BOOST_TEST(cuda::InvGrad()(infinite, 0.0f) == 0);
  BOOST_TEST(cuda::ReciprocalGrad()(infinite, 0.0f) == 0);
  BOOST_TEST(cuda::SqrtGrad()(0.0f, 1.0f) == infinite);
}

BOOST_AUTO_TEST_CASE(integers_wrap_around_where_they_overflow) {
  const auto most = std::numeric_limits<int32_t>::max();
  const auto least = std::numeric_limits<int32_t>::min();
  BOOST_TEST(cuda::Add()(most, 1) == least);
  BOOST_TEST(cuda::Sub()(least, 1) == most);
  BOOST_TEST(cuda::Neg()(least) == least);
  BOOST_TEST(cuda::Abs()(least) == least);
  BOOST_TEST(cuda::Mul()(int64_t{1} << 62, int64_t{4}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
