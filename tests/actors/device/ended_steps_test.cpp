#include "troupe/actors/device/ended_steps.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

using troupe::EndedSteps;

BOOST_AUTO_TEST_SUITE(ended_steps)

BOOST_AUTO_TEST_CASE(only_steps_that_were_added_or_are_before_the_oldest_have_ended) {
  EndedSteps ended;
  std::set<uint64_t> expected;
  std::mt19937_64 random(7);
  uint64_t oldest = 1;
  for (int i = 0; i < 2000; ++i) {
    auto number = oldest + random() % 300;
    ended.add(number);
    expected.insert(number);
    if (random() % 4 == 0) ended.set_oldest(oldest += random() % 20);
    for (auto asked = oldest > 5 ? oldest - 5 : 1; asked < oldest + 400; ++asked)
      BOOST_REQUIRE_EQUAL(ended.contains(asked), asked < oldest || expected.contains(asked));
  }
}

BOOST_AUTO_TEST_CASE(an_older_oldest_step_changes_nothing) {
  EndedSteps ended;
  ended.set_oldest(10);
  ended.add(12);
  ended.set_oldest(0);
  ended.set_oldest(3);
  BOOST_TEST(ended.contains(9));
  BOOST_TEST(!ended.contains(10));
  BOOST_TEST(ended.contains(12));
}

BOOST_AUTO_TEST_CASE(steps_far_before_the_last_one_are_taken_as_ended) {
  EndedSteps ended;
  ended.add(1);
  ended.add(100'000);
  BOOST_TEST(ended.contains(100'000));
  BOOST_TEST(ended.contains(100'000 - 65'536));
  BOOST_TEST(!ended.contains(100'000 - 65'535));
  BOOST_TEST(!ended.contains(99'999));
  BOOST_TEST(!ended.contains(100'001));
  BOOST_TEST(!ended.contains(100'000 + 65'536));
}

BOOST_AUTO_TEST_SUITE_END()
