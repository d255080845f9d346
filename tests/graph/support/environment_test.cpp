#include "troupe/graph/support/environment.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(environment)

BOOST_AUTO_TEST_CASE(it_has_the_variables_of_the_process) {
  ::setenv("TROUPE_TEST_VARIABLE", "a=b", /*overwrite=*/1);
  BOOST_TEST(variable(process_environment(), "TROUPE_TEST_VARIABLE") == "a=b");
  ::unsetenv("TROUPE_TEST_VARIABLE");
  BOOST_TEST(variable(process_environment(), "TROUPE_TEST_VARIABLE") == "");
}

BOOST_AUTO_TEST_SUITE_END()
