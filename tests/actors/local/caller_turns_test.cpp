#include "troupe/actors/local/caller_turns.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <future>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(caller_turns)

BOOST_AUTO_TEST_CASE(one_thread_has_a_turn_and_the_next_one_gets_it_at_its_end) {
  CallerTurns turns;
  int in_turn = 0, most = 0;
  auto take_turns = [&] {
    for (int i = 0; i < 1000; ++i) {
      CallerTurns::Turn turn(turns);
      if (!turn) continue;
      most = std::max(most, ++in_turn);
      --in_turn;
    }
  };
  auto other = std::async(std::launch::async, take_turns);
  take_turns();
  other.get();
  BOOST_TEST(most == 1);
}

BOOST_AUTO_TEST_CASE(a_thread_that_has_a_turn_gets_no_second_one) {
  CallerTurns turns;
  {
    CallerTurns::Turn outer(turns);
    BOOST_TEST(bool(outer));
    CallerTurns::Turn inner(turns);
    BOOST_TEST(!bool(inner));
  }
  CallerTurns::Turn next(turns);
  BOOST_TEST(bool(next));
}

BOOST_AUTO_TEST_CASE(who_waits_longer_than_a_kernel_may_keep_others_gets_none) {
  CallerTurns turns;
  CallerTurns::Turn held(turns);
  auto other = std::async(std::launch::async, [&] { return bool(CallerTurns::Turn(turns)); });
  BOOST_TEST(!other.get());
}

BOOST_AUTO_TEST_SUITE_END()
