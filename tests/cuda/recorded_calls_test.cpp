#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/tests/cuda/card_calls.hpp"
#include "troupe/tests/cuda/cards.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// All calls of an op: where each of its results is as recorded, and how many dtypes it lacks.
void run_calls(const std::string& op) {
  // No memory is kept: a sanitizer then sees what a kernel reads or writes beside its tensors.
  GraphRunner runner(make_gpu({.memory = {.limit_bytes = uint64_t{1} << 30, .keeps = false}}));
  int run = 0, left_out = 0;
  for (const auto& call : recorded_calls()) {
    if (!call.succeeds() || call.op != op) continue;
    auto got = run_call(call, runner);
    if (got.status.code() == Code::unimplemented) {
      ++left_out;
      continue;
    }
    ++run;
    BOOST_TEST(got.status.ok(), call.where << ": " << got.status.to_string());
    if (!got.status.ok()) continue;
    auto found = first_difference(call, got, call.outputs, call.updated);
    BOOST_TEST(found.empty(), call.where << ", " << found);
  }
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
  for (const auto& op : ops_of_card())
    if (recorded.contains(op))
      suite->add(unit_test::make_test_case([op] { run_calls(op); }, op, __FILE__, __LINE__));
  unit_test::framework::master_test_suite().add(suite);
}

}  // namespace troupe::testing
