#include "troupe/capnp/client/shared_loop.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Clock = std::chrono::steady_clock;

/// Resolves once `is_over`, or at the end; until then one event follows the other.
kj::Promise<void> spin(const std::atomic<bool>& is_over, Clock::time_point end) {
  if (is_over || Clock::now() > end) return kj::READY_NOW;
  return kj::evalLater([&is_over, end] { return spin(is_over, end); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_loop)

BOOST_AUTO_TEST_CASE(a_call_starts_though_the_events_of_another_have_no_end) {
  SharedLoop loop;
  auto end = Clock::now() + test_timeout;
  std::atomic<bool> is_started = false;
  std::atomic<bool> is_spinning = false;
  std::thread other([&] {
    while (!is_spinning) std::this_thread::yield();
    loop.run([&]() -> kj::Promise<void> {
      is_started = true;
      return kj::READY_NOW;
    });
  });
  loop.run([&] {
    is_spinning = true;
    return spin(is_started, end);
  });
  BOOST_TEST(is_started);
  BOOST_TEST((Clock::now() < end));
  other.join();
}

BOOST_AUTO_TEST_CASE(a_timer_is_due_though_events_have_no_end) {
  SharedLoop loop;
  auto end = Clock::now() + test_timeout;
  std::atomic<bool> is_over = false;
  loop.run([&] {
    auto timer = loop.after(1 * kj::MILLISECONDS).then([&] { is_over = true; });
    return spin(is_over, end).attach(timer.eagerlyEvaluate(nullptr));
  });
  BOOST_TEST(is_over);
}

BOOST_AUTO_TEST_SUITE_END()
