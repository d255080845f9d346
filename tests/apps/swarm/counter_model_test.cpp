#include "troupe/apps/swarm/counter_model.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::swarm;

namespace {

CounterModel begun() {
  CounterModel counter;
  counter.prepare();
  counter.begin(/*may_be_reset=*/false);
  return counter;
}

void check_bounds(const CounterModel& counter, int64_t least, int64_t most) {
  BOOST_TEST(counter.least() == least);
  BOOST_TEST(counter.most() == most);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counter_model)

BOOST_AUTO_TEST_CASE(bumps_that_were_acknowledged_count_and_those_that_failed_may) {
  auto counter = begun();
  auto first = counter.start(), second = counter.start();
  check_bounds(counter, 0, 2);
  counter.end(first, /*acknowledged=*/true);
  counter.end(second, /*acknowledged=*/false);
  check_bounds(counter, 1, 2);
}

BOOST_AUTO_TEST_CASE(a_bump_that_was_under_way_when_the_counter_began_may_count) {
  auto counter = begun();
  auto before = counter.start(), ended = counter.start();
  counter.end(ended, /*acknowledged=*/true);
  auto era = counter.era();
  counter.prepare();
  auto late = counter.start();
  counter.end(before, /*acknowledged=*/true);  // perhaps after the new beginning
  counter.begin(/*may_be_reset=*/false);
  counter.end(late, /*acknowledged=*/true);
  BOOST_TEST(counter.era() != era);
  check_bounds(counter, 0, 2);
}

BOOST_AUTO_TEST_CASE(a_counter_that_may_be_set_to_0_once_more_has_no_lower_bound) {
  CounterModel counter;
  counter.prepare();
  counter.begin(/*may_be_reset=*/true);
  counter.end(counter.start(), /*acknowledged=*/true);
  check_bounds(counter, 0, 1);
}

BOOST_AUTO_TEST_SUITE_END()
