#include <set>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/reference/form_graph.hpp"

namespace troupe::testing {
namespace {

/// The ops on references whose siblings on handles have recorded calls.
const std::set<std::string> forms = {
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdam",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyFtrlV2",
    "ApplyGradientDescent",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "CountUpTo",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradDA",
    "SparseApplyAdagradV2",
    "SparseApplyCenteredRMSProp",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyMomentum",
    "SparseApplyProximalAdagrad",
    "SparseApplyProximalGradientDescent",
    "SparseApplyRMSProp",
    "StridedSliceAssign"};

std::string text_of(const Result<Tensors>& values) {
  if (!values) return to_string(values.status().code());
  std::string text;
  for (const auto& value : *values) text += value.to_string(/*most=*/256) + "; ";
  return text;
}

/// What a call gives, and then its variables; the code of an error.
std::string answer(const RecordedCall& call, bool is_reference, GraphRunner& runner) {
  FormGraph graph;
  auto results = graph.add(call, is_reference);
  if (!graph.b.status().ok()) return to_string(graph.b.status().code());
  BOOST_TEST(runner.run(graph.b, {}, {}, graph.initializers).ok(), call.where);
  std::vector<Ref> outputs;
  if (!call.outputs.empty()) {
    outputs = {results[0]};
    results.erase(results.begin());
  }
  auto got = text_of(runner.run(graph.b, graph.feeds, outputs, {graph.node}));
  return got + text_of(runner.run(graph.b, {}, results));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reference_forms)

BOOST_AUTO_TEST_CASE(ops_on_references_answer_as_those_on_handles) {
  std::set<std::string> seen;
  GraphRunner runner;
  for (const auto& call : recorded_calls()) {
    if (!forms.contains(form_of(call))) continue;
    auto with_handles = answer(call, false, runner);
    BOOST_TEST(answer(call, true, runner) == with_handles, call.where);
    if (call.succeeds()) seen.insert(form_of(call));
  }
  BOOST_TEST(seen == forms, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ops_on_references_give_the_updated_value) {
  GraphRunner runner;
  for (const auto& call : recorded_calls()) {
    if (!forms.contains(form_of(call)) || !call.succeeds() || !call.outputs.empty()) continue;
    FormGraph graph;
    graph.add(call, /*is_reference=*/true);
    BOOST_TEST(runner.run(graph.b, {}, {}, graph.initializers).ok(), call.where);
    auto got = runner.run(graph.b, graph.feeds, {graph.node});
    auto later = runner.run(graph.b, {}, {graph.b.graph().name_of({0, 0})});
    BOOST_TEST(text_of(got) == text_of(later), call.where);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
