#include "troupe/graph/train/backoff.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/train/fake_host.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

const Status lost = unavailable("lost /job:ps/task:0");

struct BackoffFixture {
  FakeHost host;
  train::RetryOptions options{.first_delay = 10ms, .delay_max = 50ms, .give_up_after = 200ms};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(backoff, BackoffFixture)

BOOST_AUTO_TEST_CASE(each_wait_is_twice_the_one_before_up_to_the_longest) {
  train::Backoff backoff(host, options);
  for (int i = 0; i < 4; ++i) BOOST_TEST(backoff.wait(lost).ok());
  BOOST_TEST((host.waits == std::vector<train::Host::Time>{10ms, 20ms, 40ms, 50ms}));
  BOOST_TEST(host.messages[1] == "trying again in 20 ms: Unavailable: lost /job:ps/task:0");
}

BOOST_AUTO_TEST_CASE(it_warns_of_a_long_wait_and_again_each_minute) {
  options = {.first_delay = 4s, .delay_max = 4s, .give_up_after = 1h};
  train::Backoff backoff(host, options);
  while (host.time < 70s) BOOST_TEST(backoff.wait(lost).ok());
  BOOST_TEST_REQUIRE(host.warnings.size() == 1);
  BOOST_TEST(
      host.warnings[0] ==
      "still waiting, since 12.0 s: Unavailable: lost /job:ps/task:0: gives up after 3600.0 s");
  while (host.time < 80s) BOOST_TEST(backoff.wait(lost).ok());
  BOOST_TEST(host.warnings.size() == 2);
}

BOOST_AUTO_TEST_CASE(it_gives_up_at_the_deadline_with_the_last_reason) {
  train::Backoff backoff(host, options);
  Status status;
  while (status.ok()) status = backoff.wait(lost);
  BOOST_TEST(status.to_string() == "DeadlineExceeded: gave up after 0.2 s: lost /job:ps/task:0");
  BOOST_TEST((host.time == 200ms));
}

BOOST_AUTO_TEST_CASE(the_time_of_the_first_attempt_counts_where_its_begin_is_told) {
  train::Backoff backoff(host, options);
  backoff.begin();
  host.time += 190ms;
  BOOST_TEST(backoff.wait(lost).ok());
  BOOST_TEST((host.time == 200ms));
  BOOST_TEST((backoff.wait(lost).code() == Code::deadline_exceeded));
}

BOOST_AUTO_TEST_CASE(an_attempt_may_take_what_is_left_but_long_enough_to_say_what_is_wrong) {
  options.give_up_after = 3s;
  train::Backoff backoff(host, options);
  BOOST_TEST((backoff.attempt_limit() == 3s));
  backoff.begin();
  host.time += 1s;
  BOOST_TEST((backoff.attempt_limit() == 2s));
  host.time += 1999ms;
  BOOST_TEST((backoff.attempt_limit() == train::Backoff::attempt_min));
  options.give_up_after = 0s;
  BOOST_TEST((train::Backoff(host, options).attempt_limit() == 0s));
}

BOOST_AUTO_TEST_CASE(an_attempt_that_took_all_that_was_left_is_the_last) {
  train::Backoff backoff(host, options);
  auto late = deadline_exceeded("it has not answered");
  backoff.begin();
  BOOST_TEST(!backoff.may_wait_after(late));  // of a limit of the program's own
  host.time += options.give_up_after;
  BOOST_TEST(backoff.may_wait_after(late));
  BOOST_TEST(
      backoff.wait(late).to_string() ==
      "DeadlineExceeded: gave up after 0.2 s: it has not answered");
}

BOOST_AUTO_TEST_CASE(a_success_starts_it_anew) {
  train::Backoff backoff(host, options);
  for (int i = 0; i < 4; ++i) BOOST_TEST(backoff.wait(lost).ok());
  backoff.reset();
  host.time += 1h;
  BOOST_TEST(backoff.wait(lost).ok());
  BOOST_TEST((host.waits.back() == 10ms));
}

BOOST_AUTO_TEST_CASE(without_retries_the_first_failure_is_final) {
  options.give_up_after = 0ms;
  train::Backoff backoff(host, options);
  BOOST_TEST((backoff.wait(lost) == lost));
  BOOST_TEST(host.waits.empty());
}

BOOST_AUTO_TEST_CASE(a_host_that_is_told_to_stop_ends_the_wait) {
  host.is_stopped = true;
  train::Backoff backoff(host, options);
  BOOST_TEST(
      backoff.wait(lost).to_string() ==
      "Cancelled: told to stop while waiting: lost /job:ps/task:0");
}

BOOST_AUTO_TEST_SUITE_END()
