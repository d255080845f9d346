#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/tests/cuda/card_calls.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/reference/form_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// What the recorded call on handles, which has no outputs, makes of the card's variables where it
/// has references to them.
CallResult run_on_references(const RecordedCall& call, GraphRunner& runner) {
  FormGraph graph;
  auto reads = graph.add(call, /*is_reference=*/true);
  CallResult result{.status = graph.b.status()};
  if (!result.status.ok()) return result;
  result.status = runner.run(graph.b, {}, {}, graph.initializers).status();
  if (!result.status.ok()) return result;
  result.status = runner.run(graph.b, graph.feeds, {}, {graph.node}).status();
  if (!result.status.ok()) return result;
  auto variables = runner.run(graph.b, {}, reads);
  result.status = variables.status();
  if (variables) result.variables = *std::move(variables);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reference_forms_on_a_card)

BOOST_AUTO_TEST_CASE(ops_on_references_do_what_was_recorded_on_handles) {
  auto ops = ops_of_card();
  GraphRunner runner(make_gpu());
  std::set<std::string> seen;
  for (const auto& call : recorded_calls()) {
    auto form = form_of(call);
    if (!call.succeeds() || !call.outputs.empty() || !std::ranges::count(ops, form)) continue;
    auto got = run_on_references(call, runner);
    if (got.status.code() == Code::unimplemented) continue;
    seen.insert(form);
    BOOST_TEST(got.status.ok(), call.where << ": " << got.status.to_string());
    if (!got.status.ok()) continue;
    auto found = first_difference(call, got, call.outputs, call.updated);
    BOOST_TEST(found.empty(), form << ", " << call.where << ", " << found);
  }
  for (const auto* op : {"ApplyAdam", "ScatterNdAdd", "ScatterUpdate", "StridedSliceAssign"})
    BOOST_TEST(seen.contains(op), op);
}

BOOST_AUTO_TEST_SUITE_END()
