#include "troupe/actors/sim/program/coroutine.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(coroutine)

BOOST_AUTO_TEST_CASE(it_runs_only_while_it_is_resumed) {
  std::string said;
  sim::Coroutine* self = nullptr;
  sim::Coroutine coroutine([&] {
    for (auto word : {"b", "d"}) {
      said += word;
      self->suspend();
    }
    said += "f";
  });
  self = &coroutine;
  BOOST_TEST(!coroutine.has_begun());
  for (auto word : {"a", "c", "e"}) {
    said += word;
    coroutine.resume();
  }
  BOOST_TEST(said == "abcdef");
  BOOST_TEST(coroutine.has_ended());
}

BOOST_AUTO_TEST_CASE(one_may_resume_another) {
  std::string said;
  sim::Coroutine inner([&] { said += "b"; });
  sim::Coroutine outer([&] {
    said += "a";
    inner.resume();
    said += "c";
  });
  outer.resume();
  BOOST_TEST(said == "abc");
}

BOOST_AUTO_TEST_CASE(one_that_has_not_begun_may_be_destroyed) {
  bool has_run = false;
  {
    sim::Coroutine coroutine([&] { has_run = true; });
  }
  BOOST_TEST(!has_run);
}

BOOST_AUTO_TEST_SUITE_END()
