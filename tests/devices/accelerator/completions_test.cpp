#include "troupe/devices/accelerator/completions.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>
#include <vector>

using namespace troupe;
using namespace troupe::accelerator;

namespace {

Event some_event() { return std::make_shared<int>(0); }

}  // namespace

BOOST_AUTO_TEST_SUITE(completions)

BOOST_AUTO_TEST_CASE(callbacks_come_in_order_with_the_error_of_their_event) {
  int waits = 0;
  Completions completions(
      [&waits](const Event&) { return ++waits < 3 ? Status() : internal("the card has failed"); });
  std::vector<std::string> got;
  for (int i = 0; i < 4; ++i)
    completions.add(some_event(), [&got, i](const Status& status) {
      got.push_back(std::to_string(i) + (status.ok() ? "" : " " + status.message()));
    });
  completions.finish();
  std::vector<std::string> expected = {"0", "1", "2 the card has failed", "3 the card has failed"};
  BOOST_TEST(got == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(all_callbacks_are_called_before_it_ends) {
  std::atomic<int> called{0};
  {
    Completions completions([](const Event&) { return Status(); });
    for (int i = 0; i < 100; ++i)
      completions.add(some_event(), [&called](const Status&) { ++called; });
  }
  BOOST_TEST(called == 100);
}

BOOST_AUTO_TEST_CASE(a_callback_may_end_it) {
  std::promise<void> ended;
  auto completions = std::make_shared<Completions>([](const Event&) { return Status(); });
  auto* owner = completions.get();
  owner->add(some_event(), [kept = std::move(completions), &ended](const Status&) mutable {
    kept.reset();
    ended.set_value();
  });
  ended.get_future().wait();
}

BOOST_AUTO_TEST_CASE(what_a_callback_holds_is_gone_when_it_is_finished) {
  Completions completions([](const Event&) { return Status(); });
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> seen = held;
  completions.add(some_event(), [held = std::move(held)](const Status&) {});
  completions.finish();
  BOOST_TEST(seen.expired());
}

BOOST_AUTO_TEST_SUITE_END()
