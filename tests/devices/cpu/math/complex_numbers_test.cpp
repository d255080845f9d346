#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

using Parts = std::vector<GradientInput>;

/// Points away from the functions' cuts.
Tensor real_parts() { return Tensor::of<double>({3}, {0.3, -0.6, 1.4}); }
Tensor imaginary_parts() { return Tensor::of<double>({3}, {0.7, 0.2, -0.5}); }

Value as_complex(const Builder& b, const Value& real, const Value& imaginary) {
  return b.op("Complex", {real, imaginary}, {{"Tout", DType::complex128}});
}

Value part(const Builder& b, const char* op, const Value& complex) {
  return b.op(op, {complex}, {{"Tout", DType::float64}});
}

/// Checks the derivatives of both parts of what `body` makes of complex numbers, with respect to
/// both parts of each of them.
void check_complex_gradient(
    const std::string& name, size_t operands,
    const std::function<Value(const Builder&, const Values&)>& body) {
  Builder b;
  std::vector<FunctionArgument> arguments;
  Parts inputs;
  for (size_t i = 0; i < operands; ++i)
    for (const auto* of : {"real", "imaginary"}) {
      arguments.push_back({of + std::to_string(i), DType::float64});
      // The second operand is the first one's parts, swapped.
      auto is_real = (of == std::string("real")) == (i == 0);
      inputs.push_back({is_real ? real_parts() : imaginary_parts(), true});
    }
  auto function = b.function("f", arguments, [&](const Builder& f, const Values& in) {
    Values numbers;
    for (size_t i = 0; i < operands; ++i)
      numbers.push_back(as_complex(f, in[2 * i], in[2 * i + 1]));
    auto result = body(f, numbers);
    if (result.dtype() == DType::float64) return Values{result};
    return Values{part(f, "Real", result), part(f, "Imag", result)};
  });
  BOOST_REQUIRE_MESSAGE(b.status().ok(), name << ": " << b.status().to_string());
  const auto& definition = b.graph().library().defs_from(0);
  DTypes results(definition.back().results.size(), DType::float64);
  BOOST_TEST_CONTEXT(name)
  check_gradient(
      {"PartitionedCall", inputs, {{"f", function}, {"Tout", results}}, definition},
      KnownShapes::nothing);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(complex_numbers)

BOOST_AUTO_TEST_CASE(derivatives_of_parts_are_those_of_central_differences) {
  for (const auto* op : {"Real", "Imag", "Angle", "ComplexAbs"})
    check_complex_gradient(
        op, 1, [op](const Builder& b, const Values& in) { return part(b, op, in[0]); });
}

BOOST_AUTO_TEST_CASE(derivatives_of_functions_of_complex_numbers_are_those_of_central_differences) {
  for (const auto* op :
       {"Expm1", "Log1p",  "Sin",   "Cos",   "Tan",   "Asin", "Acos",       "Atan",
        "Sinh",  "Cosh",   "Asinh", "Acosh", "Atanh", "Inv",  "Reciprocal", "Neg",
        "Conj",  "Square", "Sqrt",  "Rsqrt", "Exp",   "Log",  "Tanh",       "Sigmoid"})
    check_complex_gradient(
        op, 1, [op](const Builder& b, const Values& in) { return b.op(op, in); });
  for (const auto* op :
       {"Add", "Sub", "Mul", "Div", "RealDiv", "Pow", "SquaredDifference", "Xdivy", "Xlogy",
        "DivNoNan", "MulNoNan", "SelectV2"})
    check_complex_gradient(op, 2, [op](const Builder& b, const Values& in) {
      if (op != std::string("SelectV2")) return b.op(op, in);
      auto flags = Tensor::of<bool>({3}, {true, false, true});
      return b.op(op, {b.constant(flags), in[0], in[1]});
    });
}

BOOST_AUTO_TEST_CASE(derivatives_of_derivatives_are_those_of_central_differences) {
  for (const auto* op :
       {"InvGrad", "ReciprocalGrad", "SqrtGrad", "RsqrtGrad", "TanhGrad", "SigmoidGrad"})
    check_complex_gradient(
        op, 2, [op](const Builder& b, const Values& in) { return b.op(op, in); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
