#include "troupe/tests/cuda/card_calls.hpp"

#include <algorithm>

#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/cuda/matrix_results.hpp"

namespace troupe::testing {
namespace {

double tolerance_on_card(DType dtype) {
  switch (dtype) {
    case DType::float16: return 4e-3;
    case DType::bfloat16: return 3.2e-2;
    case DType::float32: return 2e-5;
    case DType::complex64: return 4e-5;
    default: return 1e-11;
  }
}

/// Of a batch whose numbers are far from 0, as cuDNN has its variance from sums of squares.
constexpr double batch_norm_tolerance = 3e-4;
/// Of an element of a Fourier transform that is near 0 beside the others.
constexpr double transform_tolerance = 1e-3;

/// Of numbers that go back through several products, each rounded to the dtype.
constexpr double times_for_sequences = 5;

std::string first_difference(
    const RecordedCall& call, const Tensors& got, const Tensors& expected, double at_least) {
  if (decomposes_matrices(call.op) && !expected.empty())
    return matrix_difference(call, got, expected);
  if (got.size() != expected.size()) return "there are " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    auto tolerance = std::max(tolerance_on_card(expected[i].dtype()), at_least);
    if (call.op.starts_with("FusedBatchNorm"))
      tolerance = std::max(tolerance, batch_norm_tolerance);
    if (call.op.find("FFT") != call.op.npos && size_of(expected[i].dtype()) <= 8)
      tolerance = std::max(tolerance, transform_tolerance);
    if (call.op.starts_with("BlockLSTMGrad")) tolerance *= times_for_sequences;
    if (call.tolerance) tolerance = std::max(tolerance, *call.tolerance);
    auto found = difference(got[i], expected[i], tolerance);
    if (!found.empty()) return std::to_string(i) + ": " + found;
  }
  return {};
}

}  // namespace

CallResult run_call(const RecordedCall& call, GraphRunner& runner) {
  CallGraph graph(call, /*are_constants=*/false);
  CallResult result;
  if (!graph.b.status().ok()) return {.status = graph.b.status()};
  if (!call.variables.empty()) result.status = graph.initialize(runner);
  if (!result.status.ok()) return result;
  auto outputs = graph.run(runner);
  result.status = outputs.status();
  if (!outputs) return result;
  result.outputs = *std::move(outputs);
  if (call.variables.empty()) return result;
  auto variables = graph.read(runner);
  result.status = variables.status();
  if (variables) result.variables = *std::move(variables);
  return result;
}

std::string first_difference(
    const RecordedCall& call, const CallResult& got, const Tensors& outputs,
    const Tensors& variables, double tolerance) {
  auto found = first_difference(call, got.outputs, outputs, tolerance);
  if (!found.empty()) return "output " + found;
  found = first_difference(call, got.variables, variables, tolerance);
  return found.empty() ? "" : "variable " + found;
}

std::vector<std::string> ops_of_card() {
  KernelCatalog kernels;
  (*card_library())->add_kernels(kernels);
  return kernels.ops();
}

}  // namespace troupe::testing
