#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/passes/inline_functions.hpp"
#include "troupe/graph/place/explain_step.hpp"

using namespace troupe;

namespace {

/// Four tasks of a job, each with a CPU that has all kernels; the first is the master.
struct PlaceByCostFixture {
  Builder b;
  PlacementView view{
      *ClusterSpec::parse("worker=h:1,h:2,h:3,h:4"), DeviceName{"worker", 0, "CPU", 0}, {}};
  std::vector<Candidate> candidates;
  StepCosts costs;
  StepExplanation explanation;

  PlaceByCostFixture() {
    std::vector<std::string> names;
    for (const auto& [name, op] : b.graph().catalog().all()) names.push_back(name);
    OpSet ops(std::move(names));
    for (int task = 0; task < 4; ++task) candidates.push_back({{"worker", task, "CPU", 0}, ops});
  }

  /// Two matrix products that do not depend on each other, each of 200 ms.
  std::pair<Value, Value> two_products() {
    auto x = b.placeholder(DType::float32, {500, 1000});
    auto y = b.placeholder(DType::float32, {1000, 1000});
    return {b.named("one").matmul(x, y), b.named("two").matmul(b.neg(x), y)};
  }

  std::map<std::string, std::string> place(
      std::vector<std::string> feeds, std::vector<std::string> fetches, bool by_cost = true) {
    BOOST_REQUIRE(b.status().ok());
    StepSignature signature{
        .feeds = std::move(feeds), .fetches = std::move(fetches), .targets = {}};
    auto pruned = prune(b.graph(), signature);
    BOOST_TEST_REQUIRE(pruned.ok(), pruned.status().to_string());
    auto inlined = inline_functions(b.graph(), signature, *pruned);
    BOOST_REQUIRE(inlined.ok());
    const auto& graph = *inlined ? *(*inlined)->graph : b.graph();
    const auto& step = *inlined ? (*inlined)->step : *pruned;
    auto placement = Placement::begin(graph, step.nodes, std::make_shared<PlacementView>(view));
    BOOST_TEST_REQUIRE(placement.ok(), placement.status().to_string());
    BOOST_REQUIRE(placement->assign(placement->unpinned_resources()).ok());
    if (by_cost) {
      auto status = place_by_cost(*placement, graph, step, candidates, costs);
      BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    }
    auto devices = placement->devices(candidates);
    BOOST_TEST_REQUIRE(devices.ok(), devices.status().to_string());
    explanation = explain_step(*placement, graph, step, candidates, *devices, costs);
    std::map<std::string, std::string> found;
    for (const auto& [id, device] : *devices) found[graph.node(id).name] = device.to_string();
    return found;
  }
  const ExplainedNode& explained(const std::string& name) {
    for (const auto& node : explanation.nodes)
      if (node.node == name) return node;
    BOOST_FAIL("there is no node " << name);
    return explanation.nodes[0];
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(placement_by_cost, PlaceByCostFixture)

BOOST_AUTO_TEST_CASE(long_work_that_is_independent_is_on_several_tasks) {
  auto [one, two] = two_products();
  auto devices = place({"Placeholder:0", "Placeholder_1:0"}, {one.name(), two.name()});
  BOOST_TEST(devices["one"] != devices["two"]);
  auto by_cost = explanation.predicted;
  place({"Placeholder:0", "Placeholder_1:0"}, {one.name(), two.name()}, false);
  BOOST_TEST(by_cost.count() < 0.7 * double(explanation.predicted.count()));
}

BOOST_AUTO_TEST_CASE(short_work_stays_with_the_master) {
  auto x = b.constant(Tensor::of<float>({2}, {1, 2}));
  auto y = b.neg(b.neg(x)) + b.neg(x);
  for (const auto& [node, device] : place({}, {y.name()}))
    BOOST_TEST(device == "/job:worker/task:0/device:CPU:0", node);
}

BOOST_AUTO_TEST_CASE(what_a_constraint_a_resource_or_a_filter_pins_stays) {
  auto [one, two] = two_products();
  auto pinned = b.on("/job:worker/task:3").named("pinned").neg(one);
  auto v = b.variable("v", b.constant(1.0F));
  auto sum = b.named("sum").op("AddV2", {pinned, v.value()});
  view.filters = {*DeviceName::parse("/job:worker/task:3")};
  candidates = {candidates[0], candidates[3]};
  auto devices = place({"Placeholder:0", "Placeholder_1:0"}, {sum.name(), two.name()});
  BOOST_TEST(devices["pinned"] == "/job:worker/task:3/device:CPU:0");
  BOOST_TEST(devices["v/handle"] == "/job:worker/task:0/device:CPU:0");
  BOOST_TEST(explained("v/handle").why == "'v' is here, or will be");
  for (const auto& [node, device] : devices)
    BOOST_TEST(
        (device == "/job:worker/task:0/device:CPU:0" ||
         device == "/job:worker/task:3/device:CPU:0"),
        node);
}

BOOST_AUTO_TEST_CASE(the_nodes_of_a_loop_stay_together) {
  auto [one, two] = two_products();
  auto zero = b.constant(0.0F);
  auto loop = while_loop(
      b,
      [&](const Builder& in, const Values& v) {
        return in.op("Less", {v[0], in.constant(9.0F)});
      },
      [&](const Builder& in, const Values& v) {
        return Values{in.named("inside").op("AddV2", {v[0], in.constant(1.0F)})};
      },
      {zero});
  auto devices =
      place({"Placeholder:0", "Placeholder_1:0"}, {one.name(), two.name(), loop[0].name()});
  std::set<std::string> of_loop;
  for (const auto& [node, device] : devices)
    if (node.find("while") != std::string::npos) of_loop.insert(device);
  BOOST_TEST(of_loop.size() == 1U);
}

BOOST_AUTO_TEST_CASE(measured_costs_move_what_the_model_does_not) {
  auto x = b.placeholder(DType::float32, {2});
  auto one = b.named("one").neg(x), two = b.named("two").square(x);
  auto all_with_master = place({"Placeholder:0"}, {one.name(), two.name()});
  BOOST_TEST(all_with_master["one"] == all_with_master["two"]);
  NodeRun slow{
      .node = "one", .op = "Neg", .end = std::chrono::milliseconds(50), .tensor = {}, .peer = {}};
  auto slow_too = slow;
  slow_too.node = "two";
  slow_too.begin += std::chrono::milliseconds(50);
  slow_too.end += std::chrono::milliseconds(50);
  costs.learn(
      {{{.device = "/job:worker/task:0/device:CPU:0", .nodes = {slow, slow_too}, .graph = {}}}});
  auto apart = place({"Placeholder:0"}, {one.name(), two.name()});
  BOOST_TEST(apart["one"] != apart["two"]);
  BOOST_TEST((explained("one").measured == std::chrono::milliseconds(50)));
  BOOST_TEST(explained("one").measured_steps == 1U);
}

BOOST_AUTO_TEST_CASE(an_explanation_says_why_each_node_is_where_it_is_and_what_else_was_possible) {
  auto x = b.on("/job:worker/task:2").named("x").placeholder(DType::float32, {1000});
  auto asked = b.on("/job:worker/task:1").named("asked").neg(x);
  auto free = b.named("free").neg(asked);
  auto handle = b.on("/job:worker/task:1").variable("v", b.constant(1.0F));
  auto read = b.named("read").op("AddV2", {free, handle.value()});
  place({"x:0"}, {read.name()}, false);
  BOOST_TEST(explained("asked").why == "it asks for /job:worker/task:1");
  BOOST_TEST(explained("asked").alternatives.empty());
  BOOST_TEST(
      explained("free").why == "nothing asks for a device, so it is with the session's master");
  BOOST_TEST(explained("free").alternatives.size() == 3U);
  BOOST_TEST(explained("v/handle").why == "it asks for /job:worker/task:1");
  BOOST_TEST(explanation.devices.size() == 2U);
  // The feed to task 1, 'asked' and the variable to task 0.
  std::map<std::string, uint64_t> crossing;
  for (const auto& transfer : explanation.transfers) crossing[transfer.tensor] = transfer.bytes;
  BOOST_TEST(crossing["x:0"] == 4000U);
  BOOST_TEST(crossing["asked:0"] == 4000U);
  BOOST_TEST(crossing.size() == 3U);
  // Its input and its output are there at once.
  for (const auto& device : explanation.devices)
    if (device.device == "/job:worker/task:1/device:CPU:0")
      BOOST_TEST(device.predicted_peak >= 8000U);
}

BOOST_AUTO_TEST_CASE(an_explanation_of_a_placement_by_cost_says_so) {
  auto [one, two] = two_products();
  place({"Placeholder:0", "Placeholder_1:0"}, {one.name(), two.name()});
  BOOST_TEST(
      explained("one").why ==
      "nothing asks for a device; the predicted step is short with it here");
  BOOST_TEST(explained("one").alternatives.size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
