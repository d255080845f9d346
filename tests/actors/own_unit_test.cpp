#include "troupe/actors/own_unit.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

#include "troupe/actors/calls.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;

namespace {

/// An actor that tells on which thread it ran.
struct Fixture {
  testing::TestConfig config;
  caf::actor_system system{config};
  std::promise<std::thread::id> ran;
  // Not started by its spawn, which would be on CAF's thread.
  caf::actor actor = system.spawn<caf::lazy_init>([this](caf::event_based_actor*) -> caf::behavior {
    return {[this](const CancelRun&) { ran.set_value(std::this_thread::get_id()); }};
  });

  std::thread::id thread() {
    auto future = ran.get_future();
    BOOST_REQUIRE((future.wait_for(std::chrono::seconds(10)) == std::future_status::ready));
    return future.get();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(own_unit, Fixture)

BOOST_AUTO_TEST_CASE(actors_run_where_it_is_drained) {
  OwnUnit here(system);
  tell(actor, CancelRun{1}, &here);
  here.drain();
  BOOST_TEST((thread() == std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(what_is_left_at_its_end_runs_on_threads_of_caf) {
  {
    OwnUnit here(system);
    tell(actor, CancelRun{1}, &here);
  }
  BOOST_TEST((thread() != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_SUITE_END()
