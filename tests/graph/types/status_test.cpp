#include <boost/test/unit_test.hpp>

#include "troupe/graph/types/status.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(status)

BOOST_AUTO_TEST_CASE(success_says_ok_and_nothing_else) {
  BOOST_TEST(Status().ok());
  BOOST_TEST(Status().to_string() == "Ok");
  BOOST_TEST(Status(Code::ok, "words").message() == "");
}

BOOST_AUTO_TEST_CASE(an_error_tells_its_code_message_and_place) {
  auto error = invalid_argument("shapes differ");
  BOOST_TEST(error.to_string() == "InvalidArgument: shapes differ");
  auto placed = error.at({.node = "y", .op = "MatMul", .device = "/job:ps/task:0/device:CPU:0"});
  BOOST_TEST(
      placed.to_string() ==
      "InvalidArgument: shapes differ [node 'y' (MatMul) on /job:ps/task:0/device:CPU:0]");
  BOOST_TEST(
      unavailable("gone").at({.task = "/job:ps/task:1"}).to_string() ==
      "Unavailable: gone [on /job:ps/task:1]");
}

BOOST_AUTO_TEST_CASE(the_first_place_stays) {
  auto error = not_found("x").at({.node = "inner"}).at({.node = "outer", .task = "/job:ps/task:0"});
  BOOST_TEST(error.where().node == "inner");
  BOOST_TEST(error.where().task == "/job:ps/task:0");
  BOOST_TEST(Status().at({.node = "n"}).ok());
}

BOOST_AUTO_TEST_CASE(a_note_is_added_once_and_told_after_the_error) {
  auto noted = unavailable("lost a").with_note("lost b").with_note("lost b");
  BOOST_TEST(noted.to_string() == "Unavailable: lost a\n  also: lost b");
  BOOST_TEST((noted != unavailable("lost a")));
  BOOST_TEST(noted.at({.node = "n"}).notes().size() == 1u);
  BOOST_TEST(Status().with_note("nothing").ok());
  for (int i = 0; i < 100; ++i) noted = noted.with_note(std::to_string(i));
  BOOST_TEST(noted.notes().size() == 8u);
}

BOOST_AUTO_TEST_CASE(equal_means_the_same_code_message_and_place) {
  BOOST_TEST((aborted("a") == aborted("a")));
  BOOST_TEST((aborted("a") != aborted("b")));
  BOOST_TEST((aborted("a") != cancelled("a")));
  BOOST_TEST((aborted("a") != aborted("a").at({.node = "n"})));
}

BOOST_AUTO_TEST_CASE(every_code_has_the_name_and_number_of_tensorflow) {
  BOOST_TEST(to_string(Code::unauthenticated) == std::string("Unauthenticated"));
  BOOST_TEST(static_cast<int>(Code::unauthenticated) == 16);
  BOOST_TEST(to_string(Code::failed_precondition) == std::string("FailedPrecondition"));
  BOOST_TEST(to_string(static_cast<Code>(99)) == std::string("Unknown"));
}

BOOST_AUTO_TEST_CASE(a_result_has_a_value_or_says_why_not) {
  Result<std::string> value = std::string("here");
  BOOST_TEST(value.ok());
  BOOST_TEST(*value == "here");
  BOOST_TEST(value.status().ok());
  BOOST_TEST(*std::move(value) == "here");
  Result<std::string> error = not_found("nowhere");
  BOOST_TEST(!error);
  BOOST_TEST(error.status().message() == "nowhere");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
