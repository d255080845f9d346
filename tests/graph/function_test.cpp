#include "troupe/graph/function.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/ops/all_ops.hpp"

using namespace troupe;

namespace {

/// f(x) = -x
FunctionDef neg(const std::string& name, const std::string& node = "n") {
  return {
      .name = name,
      .arguments = {{"x", DType::float32}},
      .results = {{"y", node + ":0", DType::float32}},
      .nodes = {{.name = node, .op = "Neg", .inputs = {"x"}}}};
}

/// Calls `other` as often as that, one after the other.
FunctionDef caller(const std::string& name, const std::string& other, int calls = 1) {
  auto def = neg(name);
  def.nodes.clear();
  std::string input = "x";
  for (int i = 0; i < calls; ++i) {
    auto node = "c" + std::to_string(i);
    def.nodes.push_back(
        {.name = node,
         .op = "PartitionedCall",
         .inputs = {input},
         .attrs = {{"f", FunctionRef(other)}, {"Tout", DTypes{DType::float32}}}});
    input = node;
  }
  def.results[0].output = input;
  return def;
}

struct Fixture {
  Graph graph{op_catalog()};

  Status refused(std::vector<FunctionDef> functions) {
    auto before = graph.library().size();
    auto status = graph.add_functions(std::move(functions));
    BOOST_TEST(!status.ok());
    BOOST_TEST(graph.library().size() == before);
    return status;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(function_library, Fixture)

BOOST_AUTO_TEST_CASE(a_function_that_was_added_is_found) {
  BOOST_TEST(graph.add_function(neg("f")).ok());
  auto found = graph.library().find("f");
  BOOST_REQUIRE(found.ok());
  BOOST_TEST(((*found)->def == neg("f")));
  BOOST_TEST(!(*found)->is_stateful);
  BOOST_TEST(graph.add_function(neg("layer")).ok());
  BOOST_TEST(
      graph.library().find("lajer").status().message() ==
      "the graph has no function 'lajer'; did you mean 'layer'?");
}

BOOST_AUTO_TEST_CASE(a_name_has_one_body) {
  BOOST_TEST(graph.add_function(neg("f")).ok());
  BOOST_TEST(graph.add_function(neg("f")).ok());
  BOOST_TEST(graph.library().size() == 1u);
  auto status = refused({neg("f", "other")});
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message() == "the graph has a function 'f' already, with another body");
  BOOST_TEST((refused({neg("g"), neg("g", "other")}).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(functions_come_in_any_order_and_are_kept_after_those_they_call) {
  BOOST_TEST(graph.add_functions({caller("a", "b"), caller("b", "c"), neg("c")}).ok());
  BOOST_TEST(graph.library().all()[0]->def.name == "c");
  BOOST_TEST(graph.library().all()[2]->def.name == "a");
  BOOST_TEST(graph.library().all()[2]->depth == 3);
  BOOST_TEST(graph.library().all()[2]->inlined_nodes == 3);
}

BOOST_AUTO_TEST_CASE(all_functions_are_added_or_none) {
  auto bad = neg("bad");
  bad.nodes[0].inputs = {"z"};
  auto status = refused({neg("a"), bad});
  BOOST_TEST(
      status.to_string() ==
      "NotFound: in function 'bad': the graph has no node 'z' [node 'n' (Neg)]");
}

BOOST_AUTO_TEST_CASE(a_function_that_calls_itself_is_refused_with_the_chain) {
  BOOST_TEST(refused({caller("f", "f")}).message() == "function 'f' calls itself: f -> f");
  BOOST_TEST(
      refused({caller("a", "b"), caller("b", "c"), caller("c", "b")}).message() ==
      "function 'b' calls itself: a -> b -> c -> b");
}

BOOST_AUTO_TEST_CASE(functions_call_each_other_64_deep_and_no_deeper) {
  std::vector<FunctionDef> chain = {neg("f0")};
  auto next = [&] {
    auto i = chain.size();
    chain.push_back(caller("f" + std::to_string(i), "f" + std::to_string(i - 1)));
  };
  while (chain.size() < function_depth_max) next();
  BOOST_TEST(graph.add_functions(chain).ok());
  next();
  BOOST_TEST((refused({chain.back()}).code() == Code::invalid_argument));
  graph = Graph(op_catalog());
  BOOST_TEST((refused(chain).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(functions_that_would_fill_memory_are_refused_at_once) {
  std::vector<FunctionDef> doubling = {neg("f0")};
  for (int i = 1; i < 60; ++i)
    doubling.push_back(caller("f" + std::to_string(i), "f" + std::to_string(i - 1), 2));
  auto status = refused(doubling);
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("1000000 nodes") != std::string::npos, status.to_string());
}

BOOST_AUTO_TEST_CASE(a_body_that_does_not_fit_is_refused) {
  auto wrong_result = neg("f");
  wrong_result.results[0].dtype = DType::int32;
  BOOST_TEST(
      refused({wrong_result}).message() ==
      "in function 'f': the result 'y' must be int32, but 'n:0' is float32");
  auto unknown_result = neg("f");
  unknown_result.results[0].output = "m:0";
  BOOST_TEST((refused({unknown_result}).code() == Code::not_found));
  auto twice = neg("f", "x");
  BOOST_TEST((refused({twice}).code() == Code::invalid_argument));
  BOOST_TEST((refused({neg("no name")}).code() == Code::invalid_argument));
  BOOST_TEST(
      refused({caller("f", "missing")}).message() ==
      "in function 'f': the graph has no function 'missing'");
}

BOOST_AUTO_TEST_CASE(the_functions_that_nodes_use_are_found_through_others) {
  BOOST_TEST(graph.add_functions({caller("a", "b"), neg("b"), neg("c")}).ok());
  auto used = graph.library().defs_used_by(
      {{.name = "n", .op = "PartitionedCall", .attrs = {{"f", FunctionRef("a")}}}});
  BOOST_REQUIRE(used.size() == 2u);
  BOOST_TEST(used[0].name == "b");
  BOOST_TEST(used[1].name == "a");
  BOOST_TEST(graph.library().defs_from(2).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_node_that_names_an_unknown_function_is_refused) {
  NodeDef node{
      .name = "call",
      .op = "PartitionedCall",
      .attrs = {{"f", FunctionRef("f")}, {"Tout", DTypes{}}}};
  BOOST_TEST(
      graph.add(node).status().to_string() ==
      "NotFound: the graph has no function 'f' [node 'call' (PartitionedCall)]");
  AttrValue deep = FunctionRef("f");
  for (int i = 0; i < function_nesting_max; ++i) deep = FunctionRef("f", {{"f", deep}});
  BOOST_TEST(graph.add_function(neg("f")).ok());
  node.attrs["_deep"] = deep;
  BOOST_TEST(graph.add(node).status().message() == "attribute '_deep' nests functions too deep");
}

BOOST_AUTO_TEST_SUITE_END()
