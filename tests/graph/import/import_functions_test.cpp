#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/import/import_graph.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/functional.hpp"

using namespace troupe;

namespace {

std::string graph_bytes(const std::string& text) {
  auto bytes = graph_def_from_text(text);
  BOOST_REQUIRE_MESSAGE(bytes.ok(), bytes.status().to_string());
  return *bytes;
}

/// A function of two dtypes, one of which takes a list of tensors.
const std::string function_patterns = R"(
  library {
    function {
      signature {
        name: "blend" input_arg { name: "a" type_attr: "T" } input_arg { name: "b" type_attr: "T" }
        output_arg { name: "packed" type_attr: "T" }
        attr { name: "T" type: "type"
               allowed_values { list { type: DT_FLOAT type: DT_INT64 } } }
        attr { name: "axis" type: "int" default_value { i: 0 } } }
      node_def { name: "pack" op: "Pack" input: "a" input: "b"
                 attr { key: "N" value { i: 2 } } attr { key: "T" value { placeholder: "T" } }
                 attr { key: "axis" value { placeholder: "axis" } } }
      ret { key: "packed" value: "pack:output:0" } }
    function {
      signature {
        name: "total" input_arg { name: "all" type_attr: "T" number_attr: "N" }
        output_arg { name: "sum" type_attr: "T" }
        output_arg { name: "same" type_attr: "T" number_attr: "N" }
        attr { name: "T" type: "type" } attr { name: "N" type: "int" } }
      node_def { name: "add" op: "AddN" input: "all"
                 attr { key: "N" value { placeholder: "N" } }
                 attr { key: "T" value { placeholder: "T" } } }
      node_def { name: "more" op: "blend" input: "add:sum:0" input: "all:1"
                 attr { key: "T" value { placeholder: "T" } } }
      ret { key: "sum" value: "add:sum:0" } ret { key: "same" value: "all" } } }
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 3 } } } } })";

std::string call_node(const std::string& op, const std::string& attrs) {
  return "node { name: 'call' op: '" + op + "' input: 'x' input: 'x' " + attrs + " }";
}

const std::string attr_of_float = "attr { key: 'T' value { type: DT_FLOAT } } ";

std::string import_error(const std::string& text) {
  Graph graph(op_catalog());
  auto status = import_graph_def(graph, graph_bytes(text)).status();
  BOOST_TEST(graph.size() == 0);
  return status.to_string();
}

std::string library_function(const std::string& name, const std::string& called) {
  return "function { signature { name: '" + name +
         "' input_arg { name: 'v' type: DT_FLOAT } output_arg { name: 'r' type: DT_FLOAT } } "
         "node_def { name: 'inner' op: '" +
         called +
         "' input: 'v' attr { key: 'T' value { type: DT_FLOAT } } } "
         "ret { key: 'r' value: 'inner:" +
         (called == "Neg" || called == "Exp" ? "y" : "r") + ":0' } }";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(import_functions)

BOOST_AUTO_TEST_CASE(a_function_with_attributes_is_one_function_for_each_of_their_values) {
  Graph graph(op_catalog());
  auto text =
      function_patterns + call_node("blend", attr_of_float + "attr { key: 'axis' value { i: 1 } }");
  text += R"(node { name: "same" op: "blend" input: "x" input: "x"
                    attr { key: "T" value { type: DT_FLOAT } } attr { key: "axis" value { i: 1 } } }
             node { name: "other" op: "PartitionedCall" input: "x" input: "x"
                    attr { key: "Tin" value { list { type: DT_FLOAT type: DT_FLOAT } } }
                    attr { key: "Tout" value { list { type: DT_FLOAT } } }
                    attr { key: "f" value { func { name: "blend"
                           attr { key: "T" value { type: DT_FLOAT } } } } } })";
  auto imported = import_graph_def(graph, graph_bytes(text));
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  BOOST_TEST(graph.library().size() == 2);
  BOOST_TEST(graph.library().contains("blend_T_float_axis_1"));
  BOOST_TEST(graph.library().contains("blend_T_float_axis_0"));
  BOOST_TEST(graph.node(*graph.find("call")).output_shapes[0].to_string() == "[3,2]");
  BOOST_TEST(graph.node(*graph.find("same")).output_shapes[0].to_string() == "[3,2]");
  BOOST_TEST(graph.node(*graph.find("other")).output_shapes[0].to_string() == "[2,3]");
}

BOOST_AUTO_TEST_CASE(lists_of_a_function_are_as_many_arguments_and_results) {
  Graph graph(op_catalog());
  auto text =
      function_patterns + call_node("total", attr_of_float + "attr { key: 'N' value { i: 2 } }");
  auto imported = import_graph_def(graph, graph_bytes(text));
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  const auto& node = graph.node(*graph.find("call"));
  BOOST_TEST(node.output_dtypes.size() == 3);
  const auto& name = node.attr<FunctionRef>("f").name();
  BOOST_TEST(name == "total_T_float_N_2");
  const auto& def = (*graph.library().find(name))->def;
  BOOST_TEST(def.arguments[1].name == "all_1");
  BOOST_TEST(def.nodes[0].inputs.size() == 2);
  BOOST_TEST(def.results[2].output == "all_1");
}

BOOST_AUTO_TEST_CASE(values_that_a_function_cannot_have_are_refused) {
  BOOST_TEST(
      import_error(function_patterns + call_node("blend", "")) ==
      "NotFound: Attr T is not found from function 'blend' [node 'call' (blend)]");
  BOOST_TEST(
      import_error(
          function_patterns + call_node("blend", "attr { key: 'T' value { type: DT_HALF } }")) ==
      "InvalidArgument: Value for attr 'T' of function 'blend' is not allowed: type: DT_HALF "
      "[node 'call' (blend)]");
  // Each call asks for a function of a greater number.
  auto endless = R"(library { function {
      signature { name: "f" input_arg { name: "v" type: DT_FLOAT }
                  output_arg { name: "r" type: DT_FLOAT } attr { name: "g" type: "func" } }
      node_def { name: "inner" op: "f" input: "v" attr { key: "g" value { func { name: "f"
                   attr { key: "g" value { placeholder: "g" } } } } } }
      ret { key: "r" value: "inner:r:0" } } }
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "f" input: "x" attr { key: "g" value { func { name: "Neg" } } } })";
  BOOST_TEST(import_error(endless).starts_with(
      "ResourceExhausted: function 'f' is called with more than 1000 sets of attributes"));
}

BOOST_AUTO_TEST_CASE(functions_that_call_themselves_are_refused) {
  auto head = R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
                 node { name: "y" op: "f" input: "x" } library { )";
  for (const auto& library :
       {library_function("f", "f"), library_function("f", "g") + library_function("g", "f")}) {
    auto error = import_error(head + library + "}");
    BOOST_TEST(error.starts_with("InvalidArgument"), error);
    BOOST_TEST(error.find("'f'") != std::string::npos, error);
  }
}

BOOST_AUTO_TEST_CASE(nodes_in_a_circle_that_is_no_loop_are_refused) {
  auto error = import_error(R"(
      node { name: "a" op: "Neg" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "b" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } })");
  BOOST_TEST(error.ends_with("[node 'b' (Neg)]"), error);
}

BOOST_AUTO_TEST_CASE(the_gradient_function_of_a_function_is_called_for_its_gradient) {
  Builder b;
  auto imported = import_graph_def(
      b, graph_bytes(
             R"(
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "y" op: "f" input: "x" }
      node { name: "dx" op: "SymbolicGradient" input: "x" input: "x"
             attr { key: "Tin" value { list { type: DT_FLOAT type: DT_FLOAT } } }
             attr { key: "Tout" value { list { type: DT_FLOAT } } }
             attr { key: "f" value { func { name: "f" } } } }
      library { gradient { function_name: "f" gradient_func: "slope" } )" +
             library_function("f", "Exp") + R"(function {
        signature { name: "slope" input_arg { name: "v" type: DT_FLOAT }
                    input_arg { name: "dy" type: DT_FLOAT }
                    output_arg { name: "dv" type: DT_FLOAT } }
        node_def { name: "again" op: "f" input: "v" }
        node_def { name: "product" op: "Mul" input: "dy" input: "again:r:0"
                   attr { key: "T" value { type: DT_FLOAT } } }
        ret { key: "dv" value: "product:z:0" } } })"));
  BOOST_REQUIRE_MESSAGE(imported.ok(), imported.status().to_string());
  const auto& graph = b.graph();
  const auto& symbolic = graph.node(*graph.find("dx"));
  BOOST_TEST(symbolic.op->name() == "PartitionedCall");
  BOOST_TEST(symbolic.attr<FunctionRef>("f").name() == "slope");
  auto made = gradients(b, {b.value({*graph.find("y"), 0})}, {b.value({*graph.find("x"), 0})});
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().to_string());
  const auto& call = graph.node((*made)[0].output().node);
  BOOST_TEST(call.attr<FunctionRef>("f").name() == "slope");
  auto text = graph_def_to_text(*export_graph_def(graph));
  BOOST_TEST(text->find("gradient_func: \"slope\"") != std::string::npos);
  BOOST_TEST(text->find("_gradient_function") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
