#include "troupe/actors/link/link_set.hpp"

#include "troupe/tests/actors/link/link_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(link_set)

BOOST_AUTO_TEST_CASE(nodes_that_connect_to_each_other_at_once_agree_on_one_link) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    LinkedNodes nodes(seed);
    nodes.chunk_max = 1 + nodes.random() % 200;
    constexpr size_t count = 3;
    for (size_t i = 0; i < count; ++i) nodes.add();
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (i != j) nodes[i].connect(j);
    nodes.run();
    nodes.pass(500ms);
    for (size_t i = 0; i < count; ++i) {
      BOOST_TEST_CONTEXT("seed " << seed << " node " << i) {
        BOOST_TEST(nodes[i].links.size() == count - 1);
        BOOST_REQUIRE(nodes[i].connected.size() == count - 1);
        for (const auto& found : nodes[i].connected)
          BOOST_TEST(found.ok(), found.status().to_string());
        BOOST_TEST(nodes[i].logged.empty());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_node_that_is_connected_to_uses_the_same_link) {
  LinkedNodes nodes;
  auto &a = nodes.add(), &b = nodes.add();
  a.connect(1);
  nodes.run();
  caf::anon_send(a.peer(), Ping{{.from_job = "a"}});
  b.connect(0);
  nodes.run();
  BOOST_TEST(b.peer().id() == a.root.id());
  BOOST_TEST(a.links.size() == 1u);
  BOOST_TEST(b.links.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_refused_connection_is_tried_again_until_the_timeout) {
  LinkedNodes nodes;
  auto& a = nodes.add();
  a.connect(1);
  a.connect(2);
  nodes.pass(300ms);
  nodes.add();
  nodes.pass(2000ms);
  BOOST_REQUIRE(a.connected.size() == 2u);
  BOOST_TEST(a.connected[0].ok());
  BOOST_TEST((a.connected[1].status().code() == Code::unavailable));
  BOOST_TEST(
      a.connected[1].status().message() ==
      "no node answers at node:3: connection refused (tried for 1.0 s)");
}

BOOST_AUTO_TEST_CASE(a_node_of_another_version_is_refused_with_both_versions) {
  LinkedNodes nodes;
  auto& a = nodes.add(7);
  nodes.add(8);
  a.connect(1);
  nodes.run();
  BOOST_REQUIRE(a.connected.size() == 1u);
  BOOST_TEST((a.connected[0].status().code() == Code::failed_precondition));
  BOOST_TEST(a.connected[0].status().message().find("version 8") != std::string::npos);
  BOOST_TEST(a.links.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_link_that_one_end_has_lost_unnoticed_is_replaced_by_the_next_one) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    LinkedNodes nodes(seed);
    auto &a = nodes.add(), &b = nodes.add();
    a.connect(1);
    nodes.run();
    auto lost = a.peer();
    nodes.cut(/*only_first_end_notices=*/true);
    nodes.run();
    BOOST_TEST(a.links.size() == 0u);
    BOOST_TEST(b.links.size() == 1u);
    a.connect(1);
    nodes.pass(500ms);
    BOOST_TEST((a.peer() != lost || a.connected.size() == 2));
    BOOST_TEST(a.links.size() == 1u);
    BOOST_TEST(b.links.size() == 1u);
    caf::anon_send(a.peer(), Ping{{.from_job = "after"}});
    nodes.run();
    BOOST_REQUIRE(!b.pings.empty());
    BOOST_TEST(b.pings.back() == "after");
  }
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_not_opened_is_closed_in_time) {
  LinkedNodes nodes;
  auto &a = nodes.add(), &b = nodes.add();
  bool has_opened = false;
  a.dial(
      LinkedNodes::address_of(1), [&](const auto&) { has_opened = true; }, [](const Status&) {});
  nodes.run();
  BOOST_TEST(has_opened);
  nodes.pass(LinkSet::opening_time + 1s);
  BOOST_TEST(nodes.open_ends() == 0u);
  BOOST_TEST(b.links.size() == 0u);
}

BOOST_AUTO_TEST_CASE(links_survive_any_number_of_breaks_while_they_are_opened) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    LinkedNodes nodes(seed);
    nodes.chunk_max = 1 + nodes.random() % 60;
    auto &a = nodes.add(), &b = nodes.add();
    for (int i = 0; i < 5; ++i) {
      a.connect(1, 60'000ms);
      b.connect(0, 60'000ms);
      auto moved = nodes.bytes_moved + nodes.random() % 300;
      nodes.run([&] { return nodes.bytes_moved >= moved; });
      nodes.cut(nodes.random() % 2 == 0);
    }
    nodes.pass(30'000ms);
    a.connect(1, 60'000ms);
    b.connect(0, 60'000ms);
    nodes.pass(30'000ms);
    BOOST_TEST_CONTEXT("seed " << seed) {
      BOOST_TEST(a.links.size() == 1u);
      BOOST_TEST(b.links.size() == 1u);
      BOOST_TEST(a.connected.size() == 6u);
      BOOST_TEST(b.connected.size() == 6u);
      BOOST_TEST(a.connected.back().ok());
      BOOST_TEST(b.connected.back().ok());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
