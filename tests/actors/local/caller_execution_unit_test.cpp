#include "troupe/actors/local/caller_execution_unit.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

#include "troupe/actors/client_messages.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;

namespace {

/// An actor that records the thread on which it runs.
struct CallerExecutionUnitFixture {
  testing::TestConfig config;
  caf::actor_system system{config};
  std::promise<std::thread::id> ran;
  // lazy_init: a normal spawn would start it on CAF's thread.
  caf::actor actor = system.spawn<caf::lazy_init>([this](caf::event_based_actor*) -> caf::behavior {
    return {[this](const CancelRun&) { ran.set_value(std::this_thread::get_id()); }};
  });

  std::thread::id thread() {
    auto future = ran.get_future();
    BOOST_REQUIRE((future.wait_for(testing::test_timeout) == std::future_status::ready));
    return future.get();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(caller_execution_unit, CallerExecutionUnitFixture)

BOOST_AUTO_TEST_CASE(actors_run_on_the_thread_that_drains) {
  CallerExecutionUnit here(system);
  tell(actor, CancelRun{1}, &here);
  here.drain();
  BOOST_TEST((thread() == std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(actors_queued_at_its_end_run_on_threads_of_caf) {
  {
    CallerExecutionUnit here(system);
    tell(actor, CancelRun{1}, &here);
  }
  BOOST_TEST((thread() != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(an_actor_that_another_thread_wakes_runs_on_threads_of_caf) {
  CallerExecutionUnit here(system);
  std::thread([&] { tell(actor, CancelRun{1}, &here); }).join();
  BOOST_TEST(here.empty());
  BOOST_TEST((thread() != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_SUITE_END()
