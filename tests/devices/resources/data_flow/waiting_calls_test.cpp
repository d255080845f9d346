#include "troupe/devices/resources/data_flow/waiting_calls.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

using namespace troupe;

namespace {

/// Calls that each want a number to be at least theirs, which they then lower by that.
struct WaitingCallsFixture {
  int number = 0;
  std::string ended;
  WaitingCalls calls;

  uint64_t want(int least, int line) {
    auto attempt = [this, least]() -> std::optional<Status> {
      if (number < least) return {};
      number -= least;
      return Status();
    };
    return calls.add(line, attempt, [this, least](const Status& status) {
      ended += std::to_string(least) + (status.ok() ? " " : " " + status.message() + " ");
    });
  }
  std::string run(int new_number) {
    number = new_number;
    calls.run().report();
    return std::exchange(ended, "");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(waiting_calls, WaitingCallsFixture)

BOOST_AUTO_TEST_CASE(a_call_that_waits_keeps_back_those_behind_it_in_its_line) {
  want(3, 0);
  want(1, 0);
  want(2, 1);
  BOOST_TEST(run(2) == "2 ");
  BOOST_TEST(run(2) == "");
  BOOST_TEST(run(4) == "3 1 ");
}

BOOST_AUTO_TEST_CASE(calls_without_a_line_do_not_keep_each_other_back) {
  want(3, WaitingCalls::unordered);
  want(1, WaitingCalls::unordered);
  BOOST_TEST(run(1) == "1 ");
  BOOST_TEST(run(3) == "3 ");
}

BOOST_AUTO_TEST_CASE(what_one_call_does_may_be_what_an_earlier_one_waits_for) {
  bool is_open = false;
  calls.add(
      0,
      [&]() -> std::optional<Status> { return is_open ? std::optional(Status()) : std::nullopt; },
      [&](const Status&) { ended += "first "; });
  calls.add(
      1,
      [&]() -> std::optional<Status> {
        is_open = true;
        return Status();
      },
      [&](const Status&) { ended += "second "; });
  BOOST_TEST(run(0) == "second first ");
}

BOOST_AUTO_TEST_CASE(a_call_is_ended_once_and_the_others_go_on) {
  auto large = want(3, 0);
  want(1, 0);
  BOOST_TEST(run(1) == "");
  calls.end(large, cancelled("given up")).report();
  calls.end(large, cancelled("again")).report();
  BOOST_TEST(std::exchange(ended, "") == "3 given up ");
  BOOST_TEST(run(1) == "1 ");
}

BOOST_AUTO_TEST_CASE(all_calls_are_ended_at_once) {
  want(3, 0);
  want(1, 1);
  calls.end_all(aborted("gone")).report();
  BOOST_TEST(std::exchange(ended, "") == "3 gone 1 gone ");
  BOOST_TEST(run(9) == "");
}

BOOST_AUTO_TEST_SUITE_END()
