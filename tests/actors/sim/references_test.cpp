#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/control_flow.hpp"

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

// tf.identity of a variable of references is the variable's memory in TensorFlow 1, and so is the
// Identity of its own as which the variable is used; the value 1 of the other device is what
// TensorFlow gives, too.
BOOST_AUTO_TEST_CASE(the_value_of_a_reference_is_that_of_when_it_is_used_on_its_device) {
  for (auto optimizes : {false, true}) {
    sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{10});
    auto session = cluster.session(worker0, {.optimizes = optimizes});
    auto b = session.graph().on(worker0);
    auto w = reference(b, "w");
    auto value = b.op("StopGradient", {b.identity(w)}), product = value * 1.0;
    auto initialized = b.op("Assign", {w, b.constant(1.0f)});
    auto changed = b.after({value, product}).op("AssignAdd", {w, b.constant(1.0f)});
    auto later = b.after({changed});
    auto elsewhere = later.on(ps).neg(value);
    BOOST_TEST(text_of(session.run({}, {}, {initialized})) == "");
    BOOST_TEST(
        text_of(session.run({}, {later.neg(value), later.neg(product), elsewhere, value})) ==
        "float32[] [-2]; float32[] [-1]; float32[] [-1]; float32[] [1]");
    auto changed_value = b.identity(b.op("AssignAdd", {w, b.constant(1.0f)}));
    BOOST_TEST(text_of(session.run({}, {b.neg(changed_value)})) == "float32[] [-3]");
  }
}

BOOST_AUTO_TEST_CASE(the_value_of_a_reference_changes_in_loops_and_on_branches) {
  for (auto optimizes : {false, true}) {
    sim::Cluster cluster({{"worker", 1}}, sim::Seed{11});
    auto session = cluster.session(worker0, {.optimizes = optimizes});
    const auto& b = session.graph();
    auto w = reference(b, "w");
    auto value = b.identity(w);
    auto loop = [&](bool branches) {
      return while_loop(
          b,
          [](const Builder& c, const Values& v) {
            return c.op("Less", {v[0], c.constant(3)});
          },
          [&](const Builder& c, const Values& v) {
            auto later = c.after({c.op("AssignAdd", {w, c.constant(1.0f)})});
            auto is_first = c.op("Equal", {v[0], c.constant(0)});
            auto found = value;
            if (branches)
              found = cond(
                          later, is_first, [&](const Builder& d) { return Values{d.neg(value)}; },
                          [&](const Builder& d) { return Values{d.op("Square", {value})}; })
                          .front();
            return Values{c.add(v[0], c.constant(1)), later.add(found, v[1])};
          },
          {b.constant(0), b.constant(10.0f)}, {.parallel_iterations = 1});
    };
    auto sums = loop(false), squares = loop(true);
    auto initialized = b.op("Assign", {w, b.constant(1.0f)});
    BOOST_TEST(text_of(session.run({}, {}, {initialized})) == "");
    BOOST_TEST(text_of(session.run({}, {sums[1]})) == "float32[] [19]");     // 10 + 2 + 3 + 4
    BOOST_TEST(text_of(session.run({}, {squares[1]})) == "float32[] [90]");  // 10 - 5 + 36 + 49
  }
}

BOOST_AUTO_TEST_SUITE_END()
