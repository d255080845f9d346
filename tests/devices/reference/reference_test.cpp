#include <boost/test/unit_test.hpp>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/reference/call_graph.hpp"

namespace troupe::testing {
namespace {

void check_updated(const RecordedCall& call, CallGraph& graph, GraphRunner& runner) {
  auto got = graph.read(runner);
  BOOST_TEST(got.ok(), call.where << ": " << got.status().to_string());
  for (size_t i = 0; got && i < got->size(); ++i) {
    auto found = difference((*got)[i], call.updated[i], call.tolerance);
    BOOST_TEST(found.empty(), call.where << ", variable " << i << ": " << found);
  }
}

void check_results(const RecordedCall& call, GraphRunner& runner) {
  CallGraph graph(call, /*are_constants=*/false);
  if (!call.variables.empty()) BOOST_TEST(graph.initialize(runner).ok(), call.where);
  auto got = graph.run(runner);
  BOOST_TEST(got.ok(), call.where << ": " << got.status().to_string());
  if (!got) return;
  BOOST_TEST(got->size() == call.outputs.size(), call.where);
  for (size_t i = 0; i < std::min(got->size(), call.outputs.size()); ++i) {
    auto found = difference((*got)[i], call.outputs[i], call.tolerance);
    BOOST_TEST(found.empty(), call.where << ", output " << i << ": " << found);
    BOOST_TEST(
        graph.shapes[i].is_compatible_with(call.outputs[i].shape()),
        call.where << ", output " << i << " of unknown inputs: " << graph.shapes[i].to_string());
  }
  if (!call.variables.empty()) check_updated(call, graph, runner);
}

void check_shapes(const RecordedCall& call) {
  CallGraph graph(call, /*are_constants=*/true);
  BOOST_TEST(graph.b.status().ok(), call.where << ": " << graph.b.status().to_string());
  for (size_t i = 0; i < std::min(graph.shapes.size(), call.outputs.size()); ++i) {
    const auto &got = graph.shapes[i], &expected = call.outputs[i].shape();
    BOOST_TEST(
        (call.has_known_shape ? got == expected : got.is_compatible_with(expected)),
        call.where << ", output " << i << ": " << got.to_string() << " instead of "
                   << expected.to_string());
  }
}

void check_error(const RecordedCall& call, const Status& status) {
  BOOST_TEST(
      to_string(status.code()) == call.error,
      call.where << ": " << status.to_string() << " instead of " << call.error);
  BOOST_TEST(
      status.message().find(call.says) != std::string::npos,
      call.where << ": " << status.to_string() << " does not say " << call.says);
}

/// A call that fails leaves its variables as they are.
void check_refused(const RecordedCall& call, GraphRunner& runner, bool are_constants) {
  CallGraph graph(call, are_constants);
  auto changes = !call.variables.empty() && graph.b.status().ok();
  if (changes) BOOST_TEST(graph.initialize(runner).ok(), call.where);
  check_error(call, graph.run(runner).status());
  if (changes) check_updated(call, graph, runner);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reference)

BOOST_AUTO_TEST_CASE(calls_have_the_recorded_results) {
  GraphRunner runner;
  for (const auto& call : recorded_calls())
    if (call.succeeds()) check_results(call, runner);
}

BOOST_AUTO_TEST_CASE(shapes_of_constants_are_inferred_as_recorded) {
  for (const auto& call : recorded_calls())
    if (call.succeeds()) check_shapes(call);
}

BOOST_AUTO_TEST_CASE(wrong_calls_have_the_recorded_errors) {
  GraphRunner runner;
  for (const auto& call : recorded_calls()) {
    if (call.succeeds()) continue;
    for (bool are_constants : {false, true}) check_refused(call, runner, are_constants);
  }
}

BOOST_AUTO_TEST_CASE(derivatives_are_those_of_central_differences) {
  auto catalog = op_catalog();
  for (const auto& call : recorded_calls()) {
    auto differentiated = call.differentiated();
    if (differentiated.empty() || !has_derivatives(**catalog->find(call.op))) continue;
    GradientCase c{.op = call.op, .inputs = {}, .attrs = call.attrs};
    for (size_t i = 0; i < call.inputs.size(); ++i)
      c.inputs.push_back({call.inputs[i], differentiated.contains(i)});
    BOOST_TEST_CONTEXT(call.where)
    for (auto known : {KnownShapes::constants, KnownShapes::nothing}) check_gradient(c, known);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
