#include "troupe/capnp/busy_poll_time.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const BusyPollTime::Clock::time_point now{std::chrono::hours(1)};

}  // namespace

BOOST_AUTO_TEST_SUITE(busy_poll_time)

BOOST_AUTO_TEST_CASE(a_loop_polls_longer_while_it_just_misses_its_events) {
  BusyPollTime time(/*cores=*/2);
  BOOST_TEST((time.get(now) == 0us));
  for (auto expected : {20us, 40us, 80us, 160us, 200us, 200us}) {
    time.waited(std::min<BusyPollTime::Clock::duration>(time.get(now) + 1us, BusyPollTime::most));
    BOOST_TEST((time.get(now) == expected), time.get(now).count());
  }
  time.waited(1us);  // it was met while polling
  BOOST_TEST((time.get(now) == 200us));
}

BOOST_AUTO_TEST_CASE(a_loop_whose_waits_are_long_does_not_poll) {
  BusyPollTime time(/*cores=*/2);
  time.waited(1us);
  for (int i = 0; i < 4; ++i) time.waited(time.get(now) + 1us);
  BOOST_TEST((time.get(now) == 200us));
  for (auto expected : {100us, 50us, 25us, 0us, 0us}) {
    time.waited(BusyPollTime::most + 1us);
    BOOST_TEST((time.get(now) == expected), time.get(now).count());
  }
}

BOOST_AUTO_TEST_CASE(a_loop_does_not_poll_for_a_while_where_other_threads_compute) {
  BusyPollTime time(/*cores=*/2);
  time.waited(1us);
  time.yielded(now, 200us);
  BOOST_TEST((time.get(now) == 20us));
  time.yielded(now, 201us);
  BOOST_TEST((time.get(now) == 0us));
  BOOST_TEST((time.get(now + BusyPollTime::pause - 1us) == 0us));
  BOOST_TEST((time.get(now + BusyPollTime::pause) == 20us));
}

BOOST_AUTO_TEST_CASE(on_one_core_a_loop_does_not_poll) {
  BusyPollTime time(/*cores=*/1);
  time.waited(1us);
  BOOST_TEST((time.get(now) == 0us));
}

BOOST_AUTO_TEST_SUITE_END()
