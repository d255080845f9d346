#include <filesystem>

#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/graph/draw/trace_rules.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* graphviz = "/usr/bin/dot";

/// Draws the text, and returns the picture.
std::string draw(const std::string& dot) {
  TemporaryFolder folder;
  BOOST_REQUIRE(write_file(folder / "graph.dot", dot).ok());
  Process process(
      {.program = graphviz,
       .arguments = {"-Tsvg", "-o", folder / "graph.svg", folder / "graph.dot"},
       .environment = {}});
  BOOST_TEST_REQUIRE(process.wait().value_or(-1) == 0, process.errors() << dot);
  BOOST_TEST(process.errors() == "");
  return *read_file(folder / "graph.svg");
}

bool has_graphviz() {
  bool is_there = std::filesystem::exists(graphviz);
  if (!is_there) BOOST_TEST_MESSAGE("no Graphviz: nothing is drawn");
  return is_there;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pictures)

BOOST_AUTO_TEST_CASE(a_step_over_two_nodes_has_a_trace_and_a_picture) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}});
  auto client = connect(nodes.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto number = b.random_normal({}, DType::float32, /*seed=*/1, /*seed2=*/2);
  auto doubled = b.on("/job:ps/task:0").named("doubled").add(number, number);
  auto sum = b.on("/job:worker/task:0").after({doubled}).named("sum").neg(doubled);
  BOOST_REQUIRE(session->extend(b).ok());
  auto traced =
      session->trace({}, {sum}, {}, {.trace = Trace::full, .output_partition_graphs = true});
  BOOST_TEST_REQUIRE(traced.ok(), traced.status().to_string());

  auto trace = nlohmann::json::parse(to_chrome_trace(traced->metadata));
  BOOST_TEST(TraceRules::faults_of(trace).empty(), trace.dump(2));
  check_says(trace.dump(), R"("ph":"s")");
  BOOST_TEST(trace.dump().find("contradict") == std::string::npos);
  auto dot = to_dot(traced->metadata);
  BOOST_TEST_REQUIRE(dot.ok(), dot.status().to_string());
  check_says(*dot, "color=blue");
  if (has_graphviz()) check_says(draw(*dot), "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(any_name_can_be_drawn) {
  if (!has_graphviz()) return;
  Builder b;
  for (auto name : {"a\\", "a\\N", "a\\\\n", "graph", "a-b.c/d"}) b.named(name).constant(1.0f);
  auto svg = draw(to_dot(b.graph()));
  for (auto name : {">a\\<", ">a\\N<", ">a\\\\n<", ">graph<"}) check_says(svg, name);
  RunMetadata metadata;
  metadata.devices.push_back(
      {.device = "\"quotes\" {braces} <b> &lt; \x01 \\l",
       .nodes = {},
       .graph = {{.name = "node", .op = "NoOp"}}});
  check_says(
      draw(*to_dot(metadata)), ">&quot;quotes&quot; {braces} &lt;b&gt; &amp;lt; &#160;&#160;\\l<");
  draw(to_dot(b.graph(), {.boxes_max = 2}));
}

BOOST_AUTO_TEST_SUITE_END()
