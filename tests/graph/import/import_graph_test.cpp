#include "troupe/graph/import/import_graph.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

using namespace troupe;

namespace {

std::string from_text(const std::string& text) {
  auto bytes = graph_def_from_text(text);
  BOOST_REQUIRE_MESSAGE(bytes.ok(), bytes.status().to_string());
  return *bytes;
}

/// Imports that text, which must be right.
ImportedNodes import_text(
    Graph& graph, const std::string& text, const ImportOptions& options = {}) {
  auto imported = import_graph_def(graph, from_text(text), options);
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  return *imported;
}

std::string error_of(const std::string& text, const ImportOptions& options = {}) {
  Graph graph(op_catalog());
  auto status = import_graph_def(graph, from_text(text), options).status();
  BOOST_TEST(graph.size() == 0);
  return status.to_string();
}

std::string inputs_of(const Graph& graph, const std::string& name) {
  std::string text;
  for (const auto& input : graph.def_of(*graph.find(name)).inputs)
    text += (text.empty() ? "" : " ") + input;
  return text;
}

/// Inputs come after the nodes that use them, as any order is right.
const char* const product = R"(
  node { name: "y" op: "MatMul" input: "x" input: "w" input: "^a/init"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "x" op: "Placeholder" device: "/job:worker"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
  node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "_class" value { list { s: "loc:@x" } } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT
           tensor_shape { dim { size: 2 } dim { size: 1 } } float_val: 3 } } } }
  node { name: "a/init" op: "NoOp" }
  versions { producer: 134 })";

const char* const function = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "call" op: "halves" input: "x" attr { key: "_noinline" value { b: true } } }
  node { name: "sum" op: "AddV2" input: "call" input: "call:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  library { function {
    signature { name: "halves" input_arg { name: "v" type: DT_FLOAT }
                output_arg { name: "low" type: DT_FLOAT }
                output_arg { name: "high" type: DT_FLOAT } }
    node_def { name: "pair" op: "Split" input: "axis:output:0" input: "v"
               attr { key: "num_split" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
               attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} } } } }
    ret { key: "low" value: "pair:output:0" } ret { key: "high" value: "pair:output:1" } }
  function { signature { name: "unused" } node_def { name: "n" op: "NoSuchOp" } } })";

/// A graph with a branch, a loop, its gradient and a function.
std::string varied_graph() {
  Builder b;
  auto x = b.named("x").placeholder(DType::float32, {2});
  auto zero = b.constant<int32_t>(0);
  auto looped = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], b.constant(5)});
      },
      [&](const Builder& b, const Values& v) {
        return Values{v[0] + 1.0, b.tanh(v[1] * x)};
      },
      {zero, x})[1];
  auto f = b.function("f", {{"a", DType::float32}}, [](const Builder& b, const Values& in) {
    return Values{b.exp(in[0]) * in[0]};
  });
  auto y = b.call(f, {looped})[0];
  auto w = b.variable("w", b.zeros(DType::float32, {2}));
  auto made = gradients(b, {y * w.value()}, {x});
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().to_string());
  b.initializer();
  BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
  auto bytes = export_graph_def(b.graph());
  BOOST_REQUIRE_MESSAGE(bytes.ok(), bytes.status().to_string());
  return *bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(import_graph)

BOOST_AUTO_TEST_CASE(nodes_get_the_prefix_and_inputs_come_first) {
  Graph graph(op_catalog());
  auto imported = import_text(graph, product, {.prefix = "net", .device = "/task:1"});
  BOOST_TEST(imported.first == 0);
  BOOST_TEST(imported.count == 4);
  BOOST_TEST(inputs_of(graph, "net/y") == "net/x:0 net/w:0 ^net/a/init");
  const auto& x = graph.node(*graph.find("net/x"));
  BOOST_TEST(x.device == "/job:worker/task:1");
  BOOST_TEST(x.output_shapes[0].to_string() == "[?,2]");
  const auto& w = graph.node(*graph.find("net/w"));
  BOOST_TEST(w.attrs.find("_class")->second.to_string().find("loc:@net/x") != std::string::npos);
  const auto& y = graph.node(*graph.find("net/y"));
  BOOST_TEST(!y.attr<bool>("transpose_a"));  // the default
  BOOST_TEST(y.output_shapes[0].to_string() == "[?,1]");
}

BOOST_AUTO_TEST_CASE(inputs_are_taken_from_the_graph_where_they_are_mapped) {
  Builder b;
  b.named("mine").placeholder(DType::float32, {3, 2});
  b.named("first").op("NoOp");
  auto imported = import_graph_def(
      b, from_text(product),
      {.prefix = "net",
       .input_map = {{"x:0", "mine:0"}, {"^a/init", "^first"}, {"none", "mine:0"}}});
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  BOOST_TEST(inputs_of(b.graph(), "net/y") == "mine:0 net/w:0 ^first");
  BOOST_TEST(imported->unused.size() == 1);
  BOOST_TEST(imported->unused[0] == "none");
}

BOOST_AUTO_TEST_CASE(names_that_the_graph_has_get_a_suffix_where_that_is_wanted) {
  Graph graph(op_catalog());
  BOOST_REQUIRE(import_graph_def(graph, from_text(product)).ok());
  auto again = import_graph_def(graph, from_text(product));
  BOOST_TEST(again.status().to_string().find("already") != std::string::npos);
  again = import_graph_def(graph, from_text(product), {.unique_names = true});
  BOOST_REQUIRE_MESSAGE(again.ok(), again.status().to_string());
  BOOST_TEST(again->renamed.at("x") == "x_1");
  BOOST_TEST(inputs_of(graph, "y_1") == "x_1:0 w_1:0 ^a/init_1");
  const auto& w = graph.node(*graph.find("w_1"));
  BOOST_TEST(w.attrs.find("_class")->second.to_string().find("loc:@x_1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_with_a_suffix_are_those_of_no_node_and_no_scope) {
  Graph graph(op_catalog());
  const auto* first = R"(node { name: "a/b" op: "NoOp" } node { name: "c" op: "NoOp" })";
  BOOST_REQUIRE(import_graph_def(graph, from_text(first)).ok());
  const auto* second = R"(node { name: "a" op: "NoOp" } node { name: "a_1/b" op: "NoOp" }
                          node { name: "c" op: "NoOp" } node { name: "c_1" op: "NoOp" })";
  auto imported = import_graph_def(graph, from_text(second), {.unique_names = true});
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  BOOST_TEST(imported->renamed.size() == 2);
  BOOST_TEST(imported->renamed.at("a") == "a_2");
  BOOST_TEST(imported->renamed.at("c") == "c_2");
  const auto* third = R"(node { name: "d/e" op: "NoOp" } node { name: "d" op: "NoOp" })";
  imported = import_graph_def(graph, from_text(third), {.unique_names = true});
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  BOOST_TEST(imported->renamed.empty());
}

BOOST_AUTO_TEST_CASE(a_node_of_a_functions_name_is_a_call) {
  Graph graph(op_catalog());
  import_text(graph, function);
  const auto& call = graph.node(*graph.find("call"));
  BOOST_TEST(call.op->name() == "PartitionedCall");
  BOOST_TEST(call.output_dtypes.size() == 2);
  BOOST_TEST(graph.library().size() == 1);  // the one that is needed
  const auto& def = graph.library().all()[0]->def;
  BOOST_TEST(def.nodes.back().inputs[0] == "axis:0");
  BOOST_TEST(def.results[1].output == "pair:1");
}

BOOST_AUTO_TEST_CASE(all_ops_that_do_not_exist_are_named_at_once) {
  BOOST_TEST(
      error_of(R"(node { name: "a" op: "Other" } node { name: "b" op: "NoSuchOp" }
                  node { name: "c" op: "Other" } node { name: "d" op: "_Send" })") ==
      "NotFound: the graph has ops that do not exist here, with the numbers of their nodes: "
      "NoSuchOp (1), Other (2), _Send (1)");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_node_is_said_with_its_name) {
  BOOST_TEST(
      error_of(R"(node { name: "a" op: "Neg" input: "b" })") ==
      "InvalidArgument: the graph has no node 'b', which an input names [node 'a' (Neg)]");
  BOOST_TEST(
      error_of(R"(node { name: "a" op: "NoOp" attr { key: "n" value { i: 3 } } })") ==
      "InvalidArgument: op NoOp has no attribute 'n' [node 'a' (NoOp)]");
  BOOST_TEST(error_of(R"(node { name: "a" op: "NoOp" } versions { min_consumer: 100000 })")
                 .starts_with(
                     "InvalidArgument: the graph is for programs that read GraphDefs of version"));
  Graph graph(op_catalog());
  BOOST_TEST(
      import_graph_def(graph, "no message").status().to_string() ==
      "InvalidArgument: the bytes are no GraphDef");
  BOOST_TEST(!graph_def_from_text("node { name: }").ok());
}

BOOST_AUTO_TEST_CASE(attributes_that_an_op_got_later_are_left_out_where_they_have_their_defaults) {
  Graph graph(op_catalog());
  import_text(graph, R"(node { name: "a" op: "NoOp" attr { key: "later" value { b: false } } })");
  BOOST_TEST(graph.node(0).attrs.size() == 0);
}

BOOST_AUTO_TEST_CASE(an_assignment_that_is_to_compare_shapes_is_one_that_does) {
  Graph graph(op_catalog());
  import_text(graph, R"(
    node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: 2 } } } } }
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "set" op: "AssignVariableOp" input: "v" input: "x"
           attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "validate_shape" value { b: true } } })");
  BOOST_TEST(graph.node(*graph.find("set")).attrs.count("validate_shape") == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_exported_is_imported_as_the_same_graph) {
  auto bytes = varied_graph();
  Graph graph(op_catalog());
  auto imported = import_graph_def(graph, bytes);
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  auto again = export_graph_def(graph);
  BOOST_REQUIRE_MESSAGE(again.ok(), again.status().to_string());
  // The order of nodes that need not wait for each other may change once.
  Graph other(op_catalog());
  BOOST_REQUIRE(import_graph_def(other, *again).ok());
  BOOST_TEST(other.size() == graph.size());
  for (const auto& node : graph.nodes()) {
    auto found = other.find(node.name);
    BOOST_REQUIRE_MESSAGE(found.ok(), node.name);
    BOOST_CHECK(other.def_of(*found) == graph.def_of(node.id));
  }
  auto text = graph_def_to_text(bytes);
  BOOST_REQUIRE(text.ok());
  for (auto internal : {"_loop_shape", "_forward_call", "_forward_node", "_unpinned"})
    BOOST_TEST(text->find(internal) == std::string::npos);
  BOOST_TEST(from_text(*text) == bytes);
}

BOOST_AUTO_TEST_CASE(ops_that_tensorflow_does_not_have_are_not_exported) {
  Builder b;
  auto prefix = b.constant(Tensor::string("model"));
  auto removed = b.named("removed").op("RemoveCheckpoint", {prefix});
  b.after({removed, prefix}).named("next").op("NoOp");
  Graph graph(op_catalog());
  BOOST_REQUIRE(import_graph_def(graph, *export_graph_def(b.graph())).ok());
  BOOST_TEST(graph.size() == 2);
  BOOST_TEST(inputs_of(graph, "next") == "^Const");
}

BOOST_AUTO_TEST_CASE(any_bytes_are_imported_or_are_an_error) {
  auto bytes = varied_graph();
  auto catalog = op_catalog();
  std::mt19937 random(7);
  int imported_count = 0;
  for (int round = 0; round < 400; ++round) {
    auto mutated = bytes;
    auto count = 1 + random() % 4;
    for (size_t i = 0; i < count; ++i)
      mutated[random() % mutated.size()] ^= char(1 << random() % 8);
    if (round % 5 == 0) mutated.resize(random() % mutated.size());
    Graph graph(catalog);
    auto imported = import_graph_def(graph, mutated);
    imported_count += imported.ok();
    if (!imported) BOOST_TEST(graph.size() == 0);
  }
  BOOST_TEST(imported_count > 0);
  BOOST_TEST(imported_count < 400);
}

BOOST_AUTO_TEST_SUITE_END()
