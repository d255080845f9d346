#include "troupe/apps/cli/clock_offset.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(clock_offset)

BOOST_AUTO_TEST_CASE(a_clock_is_read_in_the_middle_of_the_round_trip) {
  auto found = estimate_offset({{.sent = 100ms, .answer = 1604ms, .received = 108ms}});
  BOOST_TEST((found.offset == 1500ms));
  BOOST_TEST((found.uncertainty == 4ms));
  found = estimate_offset({{.sent = 100ms, .answer = 54ms, .received = 108ms}});
  BOOST_TEST((found.offset == -50ms));
}

BOOST_AUTO_TEST_CASE(the_shortest_round_trip_counts) {
  auto found = estimate_offset({
      {.sent = 0ms, .answer = 90ms, .received = 100ms},  // the question waited
      {.sent = 200ms, .answer = 201ms, .received = 202ms},
      {.sent = 300ms, .answer = 301ms, .received = 340ms},  // the answer waited
  });
  BOOST_TEST((found.offset == 0ms));
  BOOST_TEST((found.uncertainty == 1ms));
}

BOOST_AUTO_TEST_CASE(a_clock_is_off_only_where_the_round_trip_cannot_explain_it) {
  ClockOffset late{.offset = -150ms, .uncertainty = 20ms};
  BOOST_TEST(late.is_off(0ms, 100ms));
  BOOST_TEST(!late.is_off(-40ms, 100ms));
  late.uncertainty = 60ms;
  BOOST_TEST(!late.is_off(0ms, 100ms));
}

BOOST_AUTO_TEST_CASE(most_clocks_decide_which_are_off) {
  auto common = [](std::vector<std::chrono::milliseconds> offsets) {
    std::vector<ClockOffset> clocks;
    for (auto offset : offsets) clocks.push_back({.offset = offset});
    return common_offset(clocks);
  };
  BOOST_TEST((common({1ms, 2ms, 5000ms}) == 1ms));
  BOOST_TEST((common({-1ms, -2ms, -5000ms}) == -1ms));
  BOOST_TEST((common({5000ms, 5001ms, 5002ms}) == 5000ms));  // this machine's is off
  BOOST_TEST((common({5000ms}) == 0ms));                     // one against one: ours
  BOOST_TEST((common({}) == 0ms));
}

BOOST_AUTO_TEST_SUITE_END()
