// Decompositions of matrices that one block of threads decomposes, and of larger ones, of which the
// library does: on a card what lies between has another layout, and other blocks.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/tests/cuda/large_calls.hpp"
#include "troupe/tests/devices/plan_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr DType of_elements[] = {
    DType::float32, DType::float64, DType::complex64, DType::complex128};
/// Of a part of a tile, of some, the greatest of a block, and the library's.
constexpr int64_t sizes[] = {1, 7, 33, 128, 150};

void add_to(Tensor& matrices, int64_t matrix, int64_t row, int64_t column, double value) {
  auto size = matrices.shape()[1], columns = matrices.shape()[2];
  cpu::for_dtype(cpu::Types<float, double>{} + cpu::Complex{}, matrices.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto& element = matrices.mutable_data<T>()[(matrix * size + row) * columns + column];
    element = static_cast<T>(element + static_cast<T>(value));
  });
}

/// Random matrices whose lower half is that of positive definite ones.
Tensor definite(DType dtype, int64_t count, int64_t size) {
  auto made = numbers(dtype, {count, size, size}, 1);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t row = 0; row < size; ++row)
      add_to(made, i, row, row, 2.0 * static_cast<double>(size) + 2);
  return made;
}

/// Random matrices that are far from singular, whose pivots lie below the diagonal.
Tensor invertible(DType dtype, int64_t count, int64_t size) {
  auto made = numbers(dtype, {count, size, size}, 2);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t row = 0; row < size; ++row)
      add_to(made, i, row, size - 1 - row, 2.0 * static_cast<double>(size) + 2);
  return made;
}

/// Large matrices of two dtypes only: those of emulated cards take their time.
bool is_left_out(DType dtype, int64_t size) {
  return size > 100 && dtype != DType::float32 && dtype != DType::complex128;
}

/// Diagonals of random matrices that are far from singular; with `pivots` the greatest elements are
/// beside the main diagonal, two by two.
Tensor diagonals(DType dtype, int64_t count, int64_t size, bool pivots) {
  auto made = numbers(dtype, {count, 3, size}, 11, -3, 3);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t row = 0; row < size; ++row) {
      auto is_first = row % 2 == 0;
      auto has_other = pivots && (!is_first || row + 1 < size);
      add_to(made, i, has_other ? (is_first ? 0 : 2) : 1, row, 20);
    }
  return made;
}

int64_t count_for(int64_t size) { return size > 100 ? 2 : 7; }

std::string error_of(GraphRunner& runner, const std::string& op, const Tensors& inputs) {
  RecordedCall call{.op = op, .attrs = {{"T", inputs[0].dtype()}}, .inputs = inputs};
  return run_call(call, runner).status.message();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(decompositions_on_a_card, ComparedDevices)

BOOST_AUTO_TEST_CASE(factors_of_positive_definite_matrices) {
  for (auto dtype : of_elements)
    for (auto size : sizes) {
      if (is_left_out(dtype, size)) continue;
      auto matrices = definite(dtype, count_for(size), size);
      compare({.op = "Cholesky", .attrs = {{"T", dtype}}, .inputs = {matrices}});
      if (is_complex(dtype)) continue;
      auto grad = numbers(dtype, matrices.shape(), 3);
      compare({.op = "CholeskyGrad", .attrs = {{"T", dtype}}, .inputs = {matrices, grad}});
    }
}

BOOST_AUTO_TEST_CASE(inverses_determinants_and_rows_of_pivots) {
  for (auto dtype : of_elements)
    for (auto size : sizes) {
      if (is_left_out(dtype, size)) continue;
      auto matrices = invertible(dtype, count_for(size), size);
      for (bool adjoint : {false, true})
        compare(
            {.op = "MatrixInverse",
             .attrs = {{"T", dtype}, {"adjoint", adjoint}},
             .inputs = {matrices}});
      compare({.op = "LogMatrixDeterminant", .attrs = {{"T", dtype}}, .inputs = {matrices}});
      if (size < 100)
        compare({.op = "MatrixDeterminant", .attrs = {{"T", dtype}}, .inputs = {matrices}});
      for (auto index : {DType::int32, DType::int64})
        compare(
            {.op = "Lu",
             .attrs = {{"T", dtype}, {"output_idx_type", index}},
             .inputs = {matrices}});
    }
}

BOOST_AUTO_TEST_CASE(solutions_of_systems) {
  for (auto dtype : of_elements)
    for (auto size : sizes)
      for (int64_t columns : {1, 40})
        for (bool adjoint : {false, true}) {
          if (is_left_out(dtype, size)) continue;
          auto rhs = numbers(dtype, {count_for(size), size, columns}, 4, -5, 5);
          compare(
              {.op = "MatrixSolve",
               .attrs = {{"T", dtype}, {"adjoint", adjoint}},
               .inputs = {invertible(dtype, count_for(size), size), rhs}});
          for (bool lower : {false, true})
            compare(
                {.op = "MatrixTriangularSolve",
                 .attrs = {{"T", dtype}, {"lower", lower}, {"adjoint", adjoint}},
                 .inputs = {definite(dtype, count_for(size), size), rhs}});
        }
}

BOOST_AUTO_TEST_CASE(products_and_solutions_of_tridiagonal_matrices) {
  for (auto dtype : of_elements)
    for (auto [count, size, columns] : std::vector<std::array<int64_t, 3>>{
             {2, 1, 3}, {3, 2, 1}, {7, 33, 40}, {600, 9, 1}, {1, 2000, 2}}) {
      auto rhs = numbers(dtype, {count, size, columns}, 12, -5, 5);
      Tensors of_product;
      for (uint32_t seed : {13, 14, 15})
        of_product.push_back(numbers(dtype, {count, 1, size}, seed, -5, 5));
      of_product.push_back(rhs);
      compare({.op = "TridiagonalMatMul", .attrs = {{"T", dtype}}, .inputs = of_product});
      for (bool pivots : {false, true})
        compare(
            {.op = "TridiagonalSolve",
             .attrs = {{"T", dtype}, {"partial_pivoting", pivots}},
             .inputs = {diagonals(dtype, count, size, pivots), rhs}});
    }
}

BOOST_AUTO_TEST_CASE(products_with_orthogonal_factors) {
  for (auto dtype : of_elements)
    for (auto [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {40, 5}, {5, 40}, {70, 70}, {128, 100}, {150, 20}, {20, 150}})
      for (bool full : {false, true}) {
        auto matrices = numbers(dtype, {3, rows, columns}, 5, -9, 9);
        Attrs attrs = {{"T", dtype}, {"full_matrices", full}};
        compare({.op = "Qr", .attrs = attrs, .inputs = {matrices}});
        for (bool finds_vectors : {false, true}) {
          attrs["compute_uv"] = finds_vectors;
          compare({.op = "Svd", .attrs = attrs, .inputs = {matrices}});
        }
      }
}

BOOST_AUTO_TEST_CASE(eigenvalues_of_self_adjoint_matrices) {
  for (auto dtype : of_elements)
    for (int64_t size : {1, 6, 50})
      for (bool finds_vectors : {false, true})
        compare(
            {.op = "SelfAdjointEigV2",
             .attrs = {{"T", dtype}, {"compute_v", finds_vectors}},
             .inputs = {numbers(dtype, {4, size, size}, 6, -9, 9)}});
}

BOOST_AUTO_TEST_CASE(columns_that_are_zero_and_numbers_that_are_not_finite) {
  for (auto dtype : of_elements)
    for (int64_t size : {6, 150}) {
      Attrs attrs = {{"T", dtype}};
      compare({.op = "Qr", .attrs = attrs, .inputs = {numbers(dtype, {2, size, size}, 0, 0, 0)}});
      auto singular = numbers(dtype, {2, size, size}, 7, 1, 1);
      compare({.op = "MatrixDeterminant", .attrs = attrs, .inputs = {singular}});
    }
  // Of a batch only the second matrix has a NaN.
  auto matrices = numbers(DType::float64, {2, 5, 4}, 8, -9, 9);
  matrices.mutable_data<double>()[25] = std::numeric_limits<double>::quiet_NaN();
  RecordedCall call{.op = "Svd", .attrs = {{"T", DType::float64}}, .inputs = {matrices}};
  auto got = run_call(call, card), expected = run_call(call, cpu);
  BOOST_TEST_REQUIRE((got.status.ok() && expected.status.ok()), got.status.to_string());
  for (size_t i : {0, 1, 2}) {
    auto each = got.outputs[i].elements() / 2;
    for (int64_t at = 0; at < 2 * each; ++at)
      BOOST_TEST(std::isnan(got.outputs[i].data<double>()[at]) == (at >= each));
  }
}

BOOST_AUTO_TEST_CASE(matrices_without_a_result_end_the_step_as_on_the_cpu) {
  for (auto dtype : of_elements)
    for (int64_t size : {4, 150}) {
      auto check = [&](const std::string& op, const Tensors& inputs, const std::string& says) {
        auto got = error_of(card, op, inputs);
        BOOST_TEST(got == error_of(cpu, op, inputs));
        BOOST_TEST(got.find(says) != got.npos, op << ": " << got);
      };
      auto rhs = numbers(dtype, {3, size, 2}, 9);
      auto indefinite = definite(dtype, 3, size), singular = invertible(dtype, 3, size),
           zero_end = definite(dtype, 3, size);
      add_to(indefinite, 1, size - 1, size - 1, -4.0 * static_cast<double>(size) - 4);
      check("Cholesky", {indefinite}, "not positive definite");
      for (int64_t row = 0; row < size; ++row) {
        auto bytes = size_of(dtype);
        auto* matrix = static_cast<char*>(singular.mutable_raw()) + 2 * size * size * bytes;
        std::memset(matrix + (row * size + 1) * bytes, 0, bytes);  // column 1 of the last matrix
      }
      check("MatrixInverse", {singular}, "not invertible");
      check("MatrixSolve", {singular, rhs}, "not invertible");
      check("Lu", {singular}, "not invertible");
      auto* last = static_cast<char*>(zero_end.mutable_raw()) + zero_end.bytes() - size_of(dtype);
      std::memset(last, 0, size_of(dtype));
      check("MatrixTriangularSolve", {zero_end, rhs}, "not invertible");
      auto zero_column = diagonals(dtype, 3, size, true);
      for (int64_t at : {4 * size, 5 * size + 1})  // all that is in column 0 of matrix 1
        std::memset(
            static_cast<char*>(zero_column.mutable_raw()) + at * size_of(dtype), 0, size_of(dtype));
      check("TridiagonalSolve", {zero_column, rhs}, "not invertible");
      auto infinite = numbers(dtype, {3, size, size}, 10);
      add_to(infinite, 1, 2, 1, std::numeric_limits<double>::infinity());
      check("SelfAdjointEigV2", {infinite}, "no eigenvalues");
    }
}

/// What a library computes on the host is not captured: the nodes around it are.
BOOST_AUTO_TEST_CASE(decompositions_between_captured_nodes_have_the_same_bits) {
  PartGraph part;
  auto last = part.arg(0);
  for (int i = 0; i < 40; ++i) last = part.op("Neg", {last});
  last = part.op("SelfAdjointEigV2", {last}, {{"compute_v", true}}) + ":1";
  for (int i = 0; i < 40; ++i) last = part.op("Neg", {last});
  last = part.op("MatrixInverse", {last});
  part.retval(0, last);
  std::shared_ptr<accelerator::AcceleratorDevice> captures = make_gpu();
  std::shared_ptr<accelerator::AcceleratorDevice> plain = make_gpu({.graphs = {.are_kept = false}});
  PlanSteps got(part.graph(), *captures), as(part.graph(), *plain);
  for (uint32_t step = 0; step < 4; ++step) {
    Tensors fed = {numbers(DType::float32, {2, 20, 20}, step, -9, 9)};
    auto expected = as.run(fed), values = got.run(fed);
    BOOST_TEST_REQUIRE(expected.ok(), expected.status().to_string());
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    BOOST_TEST(equal((*values)[0], (*expected)[0]));
  }
  auto said = captures->describe_graphs();
  BOOST_TEST(said.find("replays") != said.npos, said);
  BOOST_TEST(said.find("refusal") == said.npos, said);
}

BOOST_AUTO_TEST_SUITE_END()
