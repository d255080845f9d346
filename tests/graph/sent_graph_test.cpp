#include "troupe/graph/sent_graph.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

namespace {

struct Sent {
  Builder b;
  Value x = b.named("x").constant(Tensor::scalar(1.0f));
  SentGraph sent;

  Sent() { sent.set(b.graph()); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sent_graph)

BOOST_FIXTURE_TEST_CASE(a_value_of_another_builder_is_refused_though_its_name_is_known, Sent) {
  Builder other;
  auto also_x = other.named("x").constant(Tensor::scalar(42.0f));
  BOOST_TEST(sent.check(Refs{x}).ok());
  auto status = sent.check({}, {also_x}, {});
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message() == "'x:0' is of another builder than the graph that the session has");
  BOOST_TEST(!sent.check({{also_x, Tensor::scalar(1.0f)}}, {x}, {}).ok());
  BOOST_TEST(!sent.check({}, {x}, Refs{also_x}).ok());
}

BOOST_FIXTURE_TEST_CASE(a_value_that_was_not_sent_yet_is_refused_and_says_so, Sent) {
  auto later = b.named("later").constant(Tensor::scalar(2.0f));
  BOOST_TEST(
      sent.check(Refs{later}).message() ==
      "the session does not have 'later:0' yet: it was added to the builder after the last "
      "extend()");
  sent.set(b.graph());
  BOOST_TEST(sent.check(Refs{later}).ok());
}

BOOST_FIXTURE_TEST_CASE(a_session_without_a_graph_says_that_it_needs_one, Sent) {
  BOOST_TEST(
      SentGraph().check(Refs{x}).message() ==
      "the session has no graph yet, so it does not have 'x:0': extend() gives it the builder's");
}

BOOST_FIXTURE_TEST_CASE(a_name_is_left_to_the_node_of_the_session, Sent) {
  BOOST_TEST(sent.check(Refs{"anything"}).ok());
}

BOOST_FIXTURE_TEST_CASE(only_the_same_graph_or_a_copy_with_more_nodes_extends_it, Sent) {
  Builder copy{Graph(b.graph())};
  copy.constant(Tensor::scalar(2.0f));
  BOOST_TEST(sent.check(copy.graph()).ok());
  Builder other;
  other.constant(Tensor::scalar(1.0f));
  other.constant(Tensor::scalar(2.0f));
  BOOST_TEST((sent.check(other.graph()).code() == Code::invalid_argument));
  sent.set(copy.graph());
  BOOST_TEST(sent.check(b.graph()).message().starts_with("the session has 2 nodes already"));
}

BOOST_AUTO_TEST_SUITE_END()
