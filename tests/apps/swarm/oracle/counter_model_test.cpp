#include "troupe/apps/swarm/oracle/counter_model.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::swarm;

namespace {

CounterModel started_counter() {
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

BOOST_AUTO_TEST_CASE(acknowledged_increments_count_and_failed_ones_may) {
  auto counter = started_counter();
  auto first = counter.start(), second = counter.start();
  check_bounds(counter, 0, 2);
  counter.end(first, /*acknowledged=*/true);
  counter.end(second, /*acknowledged=*/false);
  check_bounds(counter, 1, 2);
}

BOOST_AUTO_TEST_CASE(a_increment_that_was_pending_when_the_counter_was_set_may_count) {
  auto counter = started_counter();
  auto before = counter.start(), ended = counter.start();
  counter.end(ended, /*acknowledged=*/true);
  auto generation = counter.generation();
  counter.prepare();
  auto late = counter.start();
  counter.end(before, /*acknowledged=*/true);  // perhaps after the assignment
  counter.begin(/*may_be_reset=*/false);
  counter.end(late, /*acknowledged=*/true);
  BOOST_TEST(counter.generation() != generation);
  check_bounds(counter, 0, 2);
}

BOOST_AUTO_TEST_CASE(a_counter_that_may_be_set_to_0_again_has_no_lower_bound) {
  CounterModel counter;
  counter.prepare();
  counter.begin(/*may_be_reset=*/true);
  counter.end(counter.start(), /*acknowledged=*/true);
  check_bounds(counter, 0, 1);
}

BOOST_AUTO_TEST_SUITE_END()
