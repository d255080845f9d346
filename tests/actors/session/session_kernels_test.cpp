#include "troupe/devices/resources/session_kernels.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/local/local_cluster.hpp"

using namespace troupe;

namespace {

/// A seeded number on a worker, from a session on another one, and ways to fetch it.
struct SeededFixture {
  LocalCluster cluster{{{"worker", 2}}};
  Builder b;
  Value number =
      b.on("/job:worker/task:1").named("number").random_uniform({}, DType::float32, 7, 11);
  Value same = b.add(number, b.constant(0.0f)), one_more = b.add(number, b.constant(1.0f));
  std::unique_ptr<Session> session = open();

  std::unique_ptr<Session> open() {
    auto opened = cluster.session("worker", 0);
    BOOST_REQUIRE(opened.ok());
    BOOST_REQUIRE((*opened)->extend(b).ok());
    return *std::move(opened);
  }
  float fetch(const Value& value) {
    auto fetched = session->run({}, {value});
    BOOST_REQUIRE(fetched.ok());
    return fetched->at(0).value<float>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(session_kernels, SeededFixture)

BOOST_AUTO_TEST_CASE(the_numbers_of_a_seed_go_on_whatever_else_steps_fetch) {
  std::vector<float> in_one_way;
  for (int i = 0; i < 4; ++i) in_one_way.push_back(fetch(number));
  BOOST_TEST(in_one_way[0] != in_one_way[1]);
  session = open();
  std::vector<float> in_turns{fetch(number), fetch(same), fetch(one_more) - 1, fetch(number)};
  BOOST_TEST(
      in_turns == in_one_way, boost::test_tools::tolerance(1e-6f)
                                  << boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_numbers_of_a_seed_begin_again_in_each_session) {
  auto first = fetch(number);
  session = open();
  BOOST_TEST(fetch(same) == first);
}

BOOST_AUTO_TEST_SUITE_END()
