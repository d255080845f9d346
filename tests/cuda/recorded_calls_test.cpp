#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/reference/call_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A card adds in another order than the recorded calls did, and has functions of its own.
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

std::string first_difference(
    const RecordedCall& call, const Tensors& got, const Tensors& expected) {
  if (got.size() != expected.size()) return "there are " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    auto tolerance = tolerance_on_card(expected[i].dtype());
    if (call.op.starts_with("FusedBatchNorm"))
      tolerance = std::max(tolerance, batch_norm_tolerance);
    if (call.tolerance) tolerance = std::max(tolerance, *call.tolerance);
    auto found = difference(got[i], expected[i], tolerance);
    if (!found.empty()) return std::to_string(i) + ": " + found;
  }
  return {};
}

/// Whether the card has a kernel for the dtypes of the call.
bool is_run(const RecordedCall& call, GraphRunner& runner) {
  CallGraph graph(call, /*are_constants=*/false);
  if (!call.variables.empty()) {
    auto status = graph.initialize(runner);
    if (status.code() == Code::unimplemented) return false;
    BOOST_TEST(status.ok(), call.where << ": " << status.to_string());
  }
  auto got = graph.run(runner);
  if (got.status().code() == Code::unimplemented) return false;
  BOOST_TEST(got.ok(), call.where << ": " << got.status().to_string());
  if (!got) return true;
  auto found = first_difference(call, *got, call.outputs);
  BOOST_TEST(found.empty(), call.where << ", output " << found);
  if (call.variables.empty()) return true;
  auto updated = graph.read(runner);
  BOOST_TEST(updated.ok(), call.where << ": " << updated.status().to_string());
  if (updated) found = first_difference(call, *updated, call.updated);
  BOOST_TEST(found.empty(), call.where << ", variable " << found);
  return true;
}

/// All calls of an op: where each of its results is as recorded, and how many dtypes it lacks.
void run_calls(const std::string& op) {
  // No memory is kept: a sanitizer then sees what a kernel reads or writes beside its tensors.
  GraphRunner runner(make_gpu({.memory = {.limit_bytes = uint64_t{1} << 30, .keeps = false}}));
  int run = 0, left_out = 0;
  for (const auto& call : recorded_calls())
    if (call.succeeds() && call.op == op) ++(is_run(call, runner) ? run : left_out);
  if (left_out > 0)
    BOOST_TEST_MESSAGE(
        op << ": " << left_out << " calls of dtypes that its kernel lacks, " << run << " run");
  BOOST_TEST(run > 0, op << " has a kernel that no recorded call could use");
}

}  // namespace

namespace troupe::testing {

void add_recorded_calls() {
  namespace unit_test = boost::unit_test;
  std::set<std::string> recorded;
  for (const auto& call : recorded_calls())
    if (call.succeeds()) recorded.insert(call.op);
  auto* suite = BOOST_TEST_SUITE("recorded_calls_on_a_card");
  KernelCatalog kernels;
  (*card_library())->add_kernels(kernels);
  for (const auto& op : kernels.ops())
    if (recorded.contains(op))
      suite->add(unit_test::make_test_case([op] { run_calls(op); }, op, __FILE__, __LINE__));
  unit_test::framework::master_test_suite().add(suite);
}

}  // namespace troupe::testing
