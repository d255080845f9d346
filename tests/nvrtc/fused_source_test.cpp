// Compiles sources for cards, as programs with cards do. No card is needed.
#define BOOST_TEST_MODULE troupe
#include <boost/test/unit_test.hpp>

#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"
#include "troupe/devices/cuda/fusion/fused_source.hpp"
#include "troupe/devices/cuda/fusion/row_source.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::testing {

using cuda::FusedOperand;

/// A chain of all ops that nodes can be fused of, which begins with the two first operands.
std::vector<fusion::Part> all_parts() {
  std::vector<fusion::Part> parts;
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all()) {
    auto count = fusion::operand_count(name);
    if (count == 0) continue;
    auto last = static_cast<int>(parts.size()) + 2;
    fusion::Part part{.name = name, .op = name, .operands = {last}};
    if (count == 2) part.operands.push_back(0);
    parts.push_back(std::move(part));
  }
  return parts;
}

void check_compiles(
    const std::vector<fusion::Part>& parts, DType dtype,
    const std::vector<FusedOperand>& operands) {
  for (int capability : {75, 90}) {
    auto code = cuda::compile_kernels(cuda::fused_source(parts, dtype, operands), capability);
    BOOST_REQUIRE_MESSAGE(code.ok(), code.status().to_string());
    BOOST_TEST(
        code->substr(0, 4) ==
        "\x7f"
        "ELF");
  }
}

BOOST_AUTO_TEST_CASE(kernels_of_all_ops_that_can_be_fused_compile_for_each_dtype) {
  auto parts = all_parts();
  BOOST_TEST(parts.size() > 50u);
  BOOST_TEST(parts.size() <= fusion::parts_max);
  auto each = FusedOperand::each;
  for (auto dtype : floating()) check_compiles(parts, dtype, {each, each, each});
}

BOOST_AUTO_TEST_CASE(
    for_cards_that_the_compiler_does_not_know_there_is_code_that_the_driver_compiles) {
  std::vector<fusion::Part> parts = {
      {.name = "a", .op = "Add", .operands = {0, 1}}, {.name = "b", .op = "Exp", .operands = {2}}};
  auto each = FusedOperand::each;
  auto source = cuda::fused_source(parts, DType::float32, {each, each});
  auto code = cuda::compile_kernels(source, /*capability=*/990);
  BOOST_TEST_REQUIRE(code.ok(), code.status().to_string());
  BOOST_TEST(code->find(".target sm_") != code->npos);
  BOOST_TEST(code->find(".entry fused") != code->npos, *code);
}

BOOST_AUTO_TEST_CASE(operands_are_read_in_each_way) {
  std::vector<fusion::Part> parts = {
      {.name = "a", .op = "Add", .operands = {0, 1}},
      {.name = "b", .op = "Mul", .operands = {3, 2}}};
  auto each = FusedOperand::each, one = FusedOperand::one, walked = FusedOperand::walked;
  check_compiles(parts, DType::float32, {each, one, each});
  check_compiles(parts, DType::float32, {one, one, one});
  check_compiles(parts, DType::bfloat16, {walked, each, walked});
  check_compiles(parts, DType::float64, {walked, walked, walked});
}

BOOST_AUTO_TEST_CASE(kernels_of_rows_compile_for_each_dtype_and_way_of_reading) {
  // The operands x, scale and position, the axes, and a part of each reduction.
  std::vector<fusion::Part> parts = {
      {.name = "sum", .op = "Add", .operands = {0, 2}},
      {.name = "same", .op = "StopGradient", .operands = {4}},
      {.name = "mean", .op = "Mean", .operands = {5, 3}},
      {.name = "shifted", .op = "Sub", .operands = {4, 6}},
      {.name = "most", .op = "Max", .operands = {7, 3}},
      {.name = "least", .op = "Min", .operands = {7, 3}},
      {.name = "product", .op = "Prod", .operands = {7, 3}},
      {.name = "range", .op = "Sub", .operands = {8, 9}},
      {.name = "factor", .op = "Mul", .operands = {11, 10}},
      {.name = "scaled", .op = "Mul", .operands = {7, 1}},
      {.name = "result", .op = "RealDiv", .operands = {13, 12}}};
  const int64_t axes[] = {2};
  for (auto scale : {Shape{64}, Shape{8, 6, 1}, Shape{}, Shape{8, 6, 64}}) {
    const Shape operands[] = {{8, 6, 64}, scale, {6, 64}};
    auto layout = cuda::layout_rows(parts, {.operands = operands, .axes = axes});
    BOOST_REQUIRE(layout);
    for (auto dtype : floating())
      for (int capability : {75, 90}) {
        auto code = cuda::compile_kernels(cuda::rows_source(parts, dtype, *layout), capability);
        BOOST_REQUIRE_MESSAGE(code.ok(), code.status().to_string());
      }
  }
}

BOOST_AUTO_TEST_CASE(a_source_that_does_not_compile_is_an_error_with_the_compilers_words) {
  std::vector<fusion::Part> parts = {{.name = "a", .op = "NoSuchOp", .operands = {0}}};
  auto code =
      cuda::compile_kernels(cuda::fused_source(parts, DType::float32, {FusedOperand::each}), 80);
  BOOST_REQUIRE(!code.ok());
  BOOST_TEST(code.status().message().find("NoSuchOp") != std::string::npos);
}

}  // namespace troupe::testing
