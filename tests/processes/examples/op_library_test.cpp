#include "troupe/devices/op_library.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The norms of two rows, computed by the node.
Result<Tensors> norms_by(const std::string& target) {
  auto client = Client::connect(target);
  if (!client) return client.status();
  auto session = (*client)->session();
  if (!session) return session.status();
  Builder b;
  auto x = b.constant(Tensor::of<float>({2, 2}, {3, 4, 0, 2}));
  auto norms = b.named("norms").op("RowNorms", {x});
  if (auto status = (*session)->extend(b); !status.ok()) return status;
  return (*session)->run({}, {norms});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(op_library)

BOOST_AUTO_TEST_CASE(a_node_computes_the_ops_of_a_library_that_it_was_started_with) {
  BOOST_REQUIRE(load_op_library(TROUPE_OP_LIBRARY_FILE).ok());
  NodeCluster nodes({{"local", 1}}, {"--ops", TROUPE_OP_LIBRARY_FILE});
  auto norms = norms_by(nodes.target("local", 0));
  BOOST_REQUIRE_MESSAGE(norms.ok(), norms.status().to_string());
  BOOST_TEST(norms->front().to_string() == "float32[2] [5 2]");
}

BOOST_AUTO_TEST_CASE(a_node_without_the_library_answers_with_the_names_of_op_and_node) {
  BOOST_REQUIRE(load_op_library(TROUPE_OP_LIBRARY_FILE).ok());
  NodeCluster nodes({{"local", 1}});
  auto status = norms_by(nodes.target("local", 0)).status();
  BOOST_TEST((status.code() == Code::not_found));
  BOOST_TEST(
      status.to_string() ==
      "NotFound: there is no op 'RowNorms'; if a library has it, the node has to load that (--ops) "
      "[node 'norms' (RowNorms)]");
}

BOOST_AUTO_TEST_CASE(a_node_lists_its_ops_with_those_of_libraries) {
  auto node = start_node({"--list-ops", "--ops", TROUPE_OP_LIBRARY_FILE});
  BOOST_TEST((node->wait() == std::optional(0)));
  auto lines = node->output();
  auto contains = [&](const std::string& text) { return lines.find(text) != std::string::npos; };
  BOOST_TEST(contains(
      "RowNorms(x: T) -> norms: T\tT: float32 float64\tgradient\tCPU\tlibop_library.so\n"));
  BOOST_TEST(contains("MatMul(a: T, b: T; transpose_a: bool = false, transpose_b: bool = false)"));
  BOOST_TEST(!contains("_Recv"));
}

BOOST_AUTO_TEST_CASE(a_node_does_not_start_without_a_library_that_it_is_to_load) {
  auto node = start_node({"--cluster", "local=127.0.0.1:0", "--ops", "/no/such.so"});
  BOOST_TEST((node->wait() == std::optional(2)));
  BOOST_TEST(node->errors() == "troupe-node: NotFound: there is no file /no/such.so\n");
}

BOOST_AUTO_TEST_SUITE_END()
