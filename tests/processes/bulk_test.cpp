#include <boost/test/unit_test.hpp>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(bulk)

BOOST_AUTO_TEST_CASE(a_peer_is_not_lost_while_the_connection_to_it_is_full) {
  // The transfer takes longer than the limit, even on an idle machine.
  NodeCluster nodes({{"worker", 2}}, {"--heartbeat", "0.5", "--tcp-only"});
  auto client = connect(nodes.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto here = b.on("/job:worker/task:0"), there = b.on("/job:worker/task:1");
  auto count = here.constant(Tensor::of<int32_t>({1}, {400 << 18}));
  auto sum = there.reduce_sum(here.fill(count, here.constant(1.0f)));
  BOOST_REQUIRE(session->extend(b).ok());
  for (int step = 0; step < 3; ++step) {
    auto values = session->run({}, {sum});
    BOOST_TEST(values.ok(), values.status().to_string());
  }
}

BOOST_AUTO_TEST_SUITE_END()
