#include <boost/test/unit_test.hpp>
#include <map>

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

std::string first_difference(
    const RecordedCall& call, const Tensors& got, const Tensors& expected) {
  if (got.size() != expected.size()) return "there are " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    auto tolerance = tolerance_on_card(expected[i].dtype());
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

}  // namespace

BOOST_AUTO_TEST_SUITE(recorded_calls_on_a_card)

BOOST_AUTO_TEST_CASE(each_call_of_an_op_with_a_kernel_has_the_recorded_result) {
  auto device = make_gpu();
  const auto& kernels = device->kernels();
  GraphRunner runner(std::move(device));
  struct Count {
    int run = 0;
    int left_out = 0;
  };
  std::map<std::string, Count> by_op;
  for (const auto& call : recorded_calls()) {
    if (!call.succeeds() || !kernels.contains(call.op)) continue;
    auto& count = by_op[call.op];
    ++(is_run(call, runner) ? count.run : count.left_out);
  }
  int run = 0;
  for (const auto& [op, count] : by_op) {
    run += count.run;
    if (count.left_out > 0)
      BOOST_TEST_MESSAGE(
          op << ": " << count.left_out << " calls of dtypes that its kernel lacks, " << count.run
             << " run");
    BOOST_TEST(count.run > 0, op << " has a kernel that no recorded call could use");
  }
  BOOST_TEST(run > 0);
  BOOST_TEST_MESSAGE(by_op.size() << " ops, " << run << " calls");
}

BOOST_AUTO_TEST_SUITE_END()
