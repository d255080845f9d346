#include "troupe/actors/error.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(errors_of_actors)

BOOST_AUTO_TEST_CASE(one_that_has_ended_is_unavailable_by_its_reason) {
  auto status = to_status(make_error(caf::exit_reason::kill));
  BOOST_TEST(status.to_string() == "Unavailable: the actor that should answer has ended: kill");
}

BOOST_AUTO_TEST_CASE(one_whose_link_has_ended_is_unavailable_by_the_reason_of_that) {
  auto status = to_status(link_ended(unavailable("the connection was reset")));
  BOOST_TEST(
      status.to_string() ==
      "Unavailable: the node of the actor that should answer was lost: the connection was reset");
}

BOOST_AUTO_TEST_CASE(one_that_does_not_answer_exceeds_its_deadline) {
  BOOST_TEST((to_status(caf::sec::request_timeout).code() == Code::deadline_exceeded));
  BOOST_TEST(to_status({}).ok());
}

BOOST_AUTO_TEST_SUITE_END()
