#include "troupe/actors/session/extend_graph.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/link/wire_message.hpp"
#include "troupe/graph/ops/all_ops.hpp"

using namespace troupe;

namespace {

FunctionDef neg(const std::string& node = "n") {
  return {
      .name = "f",
      .arguments = {{"x", DType::float32}},
      .results = {{"y", node, DType::float32}},
      .nodes = {{.name = node, .op = "Neg", .inputs = {"x"}}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(extend_graph_of_a_session)

BOOST_AUTO_TEST_CASE(functions_and_nodes_are_added_together_or_not_at_all) {
  Graph graph(op_catalog());
  NodeDef x{.name = "x", .op = "Placeholder", .attrs = {{"dtype", DType::float32}}};
  NodeDef call{
      .name = "call",
      .op = "PartitionedCall",
      .inputs = {"x"},
      .attrs = {{"f", FunctionRef("f")}, {"Tout", DTypes{DType::float32}}}};
  auto unknown = call;
  unknown.attrs["f"] = FunctionRef("unknown");
  auto status = extend_graph(graph, {neg()}, {x, unknown});
  BOOST_TEST((status.code() == Code::not_found), status.to_string());
  BOOST_TEST(status.where().node == "call");
  BOOST_TEST(graph.size() == 0);
  BOOST_TEST(graph.library().size() == 0u);
  BOOST_TEST(extend_graph(graph, {neg()}, {x, call}).ok());
  BOOST_TEST(graph.size() == 2);
  BOOST_TEST((extend_graph(graph, {neg("m")}, {}).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(reserved_ops_and_names_are_refused_in_functions) {
  Graph graph(op_catalog());
  BOOST_TEST((extend_graph(graph, {neg("_n")}, {}).code() == Code::invalid_argument));
  auto sends = neg();
  sends.nodes[0] = {
      .name = "n",
      .op = "_Recv",
      .attrs = {{"tensor_type", DType::float32}, {"edge", 1}, {"from_device", "/job:ps"}}};
  auto status = extend_graph(graph, {sends}, {});
  BOOST_TEST(status.message() == "names that begin with '_' are reserved");
  BOOST_TEST(graph.library().size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_list_that_no_other_task_would_read_is_refused_and_named) {
  std::vector<int64_t> most(attr_values_max), more(attr_values_max + 1);
  NodeDef x{.name = "x", .op = "Placeholder", .attrs = {{"dtype", DType::float32}, {"_l", most}}};
  Graph graph(op_catalog());
  BOOST_TEST(extend_graph(graph, {}, {x}).ok());
  auto in_a_function = neg();
  in_a_function.nodes[0].attrs["_l"] = FunctionRefs{FunctionRef("g", {{"l", more}})};
  x.name = "y";
  x.attrs["_l"] = more;
  for (const auto& status :
       {extend_graph(graph, {}, {x}), extend_graph(graph, {in_a_function}, {})}) {
    BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
    BOOST_TEST(status.message().find("attribute '_l' has 1000001 values") != std::string::npos);
    BOOST_TEST(!status.where().node.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
