#include <boost/test/unit_test.hpp>

#include "troupe/tests/processes/clients.hpp"
#include "troupe/tests/processes/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

// What users do with a cluster of equal nodes, as stories; tests/actors/sim/scenes_test.cpp has
// them simulated.

namespace {

/// A client that shares variable "x" of a container, which nothing pins, through some node.
struct Sharer {
  std::unique_ptr<Client> client;
  std::unique_ptr<Session> session;
  Builder b;
  Variable x;
  Value bump;

  Sharer(const std::string& target, const std::string& container)
      : client(connect(target)),
        session(open(*client)),
        x(b.container(container).variable("x", b.constant(0.0f))),
        bump(x.assign_add(b.constant(1.0f))) {
    auto read = x.value();
    fetch = read.name();
    BOOST_REQUIRE(session->extend(b).ok());
  }

  Status initialize() { return session->run({}, {}, {x.initializer}).status(); }
  Status increment() { return session->run({}, {}, {bump}).status(); }
  float count() {
    auto status = increment();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return session->run({}, {fetch})->at(0).value<float>();
  }

  std::string fetch;
};

struct Fixture {
  NodeCluster nodes{{{"worker", 2}}};
  std::string a = nodes.target("worker", 0), b = nodes.target("worker", 1);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scenes, Fixture)

BOOST_AUTO_TEST_CASE(a_counter_made_through_one_node_goes_on_through_another) {
  Sharer one(a, ""), other(b, "");
  BOOST_REQUIRE(one.initialize().ok());
  BOOST_TEST(one.count() == 1);
  BOOST_TEST(other.count() == 2);
  auto list = other.client->list_resources();
  BOOST_REQUIRE(list.ok());
  BOOST_REQUIRE(list->resources.size() == 1u);
  BOOST_TEST(list->resources[0].device == "/job:worker/task:0/device:CPU:0");
  BOOST_TEST(list->resources[0].bytes == 4u);
}

BOOST_AUTO_TEST_CASE(a_reset_through_another_node_frees_one_container_and_nothing_else) {
  Sharer one(a, ""), two(b, "");
  Sharer three(a, "my_problem_1"), four(b, "my_problem_1");
  BOOST_REQUIRE(one.initialize().ok());
  BOOST_REQUIRE(three.initialize().ok());
  BOOST_TEST(one.count() == 1);
  BOOST_TEST(two.count() == 2);
  BOOST_TEST(four.count() == 1);
  BOOST_TEST(three.count() == 2);

  BOOST_TEST(connect(b)->reset({"my_problem_1"}).ok());
  BOOST_TEST(one.count() == 3);
  BOOST_TEST(!three.increment().ok());
  Sharer again(a, "my_problem_1");
  BOOST_TEST((again.increment().code() == Code::failed_precondition));
  BOOST_TEST(again.initialize().ok());
  BOOST_TEST(again.count() == 1);

  BOOST_TEST(connect(a)->reset_all().ok());
  BOOST_TEST(connect(a)->list_resources()->resources.empty());
}

BOOST_AUTO_TEST_SUITE_END()
