#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;

BOOST_AUTO_TEST_SUITE(simulated_references)

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

Value reference(const Builder& b, const std::string& name) {
  return b.named(name).op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape()}});
}

std::string text_of(const Result<Tensors>& values) {
  if (!values)
    return to_string(values.status().code()) + std::string(": ") + values.status().message();
  std::string text;
  for (const auto& value : *values) text += (text.empty() ? "" : "; ") + value.to_string();
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_worker_reads_and_assigns_a_reference_on_a_parameter_server) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
  auto session = cluster.session(worker0);
  const auto& b = session.graph();
  auto w = reference(b.on(ps), "w");
  auto there = b.on(worker1);
  auto doubled = there.mul(w, there.constant(2.0f));
  BOOST_TEST(
      text_of(session.run({}, {doubled})) ==
      "FailedPrecondition: Attempting to use uninitialized value w");
  // Without a constraint, it runs where the variable is; its value comes from the worker.
  auto set = b.op("Assign", {w, there.add(there.constant(1.0f), there.constant(2.0f))});
  BOOST_TEST(text_of(session.run({}, {set})) == "float32[] [3]");
  BOOST_TEST(text_of(session.run({}, {doubled, w})) == "float32[] [6]; float32[] [3]");
  auto bump = b.op("AssignAdd", {w, there.constant(1.0f)});
  auto after = there.after({bump}).mul(w, there.constant(2.0f));
  BOOST_TEST(text_of(session.run({}, {after})) == "float32[] [8]");
  auto other = cluster.session(worker1);
  auto same = reference(other.graph().on(ps), "w");
  BOOST_TEST(text_of(other.run({}, {same})) == "float32[] [4]");
  BOOST_TEST(session.close().ok());
}

BOOST_AUTO_TEST_CASE(a_reference_without_a_constraint_is_found_by_all_sessions) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{8});
  auto session = cluster.session(worker0);
  auto w = reference(session.graph(), "w");
  auto set = session.graph().op("Assign", {w, session.graph().constant(5.0f)});
  BOOST_TEST(text_of(session.run({}, {}, {set})) == "");
  auto other = cluster.session(worker1);
  auto same = reference(other.graph(), "w");
  BOOST_TEST(text_of(other.run({}, {same})) == "float32[] [5]");
}

BOOST_AUTO_TEST_CASE(what_writes_to_a_reference_cannot_run_elsewhere) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{9});
  auto session = cluster.session(worker0);
  const auto& b = session.graph();
  auto w = reference(b.on(ps), "w");
  auto set = b.on(worker1).op("Assign", {w, b.constant(5.0f)});
  BOOST_TEST((session.run({}, {}, {set}).status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()
