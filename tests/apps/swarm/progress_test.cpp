#include "troupe/apps/swarm/progress.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::swarm;

namespace {

const Progress half{.done = 500, .failed = 2, .seconds = 5, .left = 5, .share = 0.5};

}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(the_bar_is_as_full_as_the_share_that_is_done) {
  BOOST_TEST(
      bar_line(half, 66) == "[==========>         ] 500 seeds  100 seeds/s  2 failed  0:05 left");
}

BOOST_AUTO_TEST_CASE(a_narrow_line_has_figures_only) {
  BOOST_TEST(bar_line(half, 40) == "500 seeds  100 seeds/s  2 failed  0:05 l");
}

BOOST_AUTO_TEST_SUITE_END()
