#include "troupe/devices/send_scope.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

namespace {

int flushes = 0;
void flush() { ++flushes; }

struct SendScopeFixture {
  SendScopeFixture() { flushes = 0; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(send_scope, SendScopeFixture)

BOOST_AUTO_TEST_CASE(what_is_kept_is_flushed_once_at_the_end) {
  {
    SendScope scope;
    BOOST_TEST(SendScope::current() == &scope);
    scope.keep(flush);
    scope.keep(flush);
    BOOST_TEST(flushes == 0);
  }
  BOOST_TEST(flushes == 1);
  BOOST_TEST(SendScope::current() == nullptr);
}

BOOST_AUTO_TEST_CASE(what_is_kept_waits_for_little_work_only) {
  SendScope scope;
  scope.note_work(10 * SendScope::kept_ns_max);  // nothing is kept, and so nothing waits
  scope.keep(flush);
  for (int i = 0; i < 10; ++i) scope.note_work(SendScope::kept_ns_max / 10);
  BOOST_TEST(flushes == 0);
  scope.note_work(1);
  BOOST_TEST(flushes == 1);
  scope.keep(flush);
  scope.note_work(SendScope::kept_ns_max);
  BOOST_TEST(flushes == 1);
}

BOOST_AUTO_TEST_CASE(an_inner_scope_flushes_what_was_kept_in_it) {
  SendScope outer;
  {
    SendScope inner;
    SendScope::current()->keep(flush);
  }
  BOOST_TEST(flushes == 1);
  BOOST_TEST(SendScope::current() == &outer);
  outer.flush();
  BOOST_TEST(flushes == 1);
}

BOOST_AUTO_TEST_SUITE_END()
