#include "troupe/actors/sim/world/latency.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace troupe;
using namespace std::chrono_literals;
using Time = Latency::Time;

namespace {

std::vector<Time> draws(const Latency& latency) {
  std::mt19937_64 random(1);
  std::vector<Time> result;
  for (int i = 0; i < 10'000; ++i) result.push_back(latency.draw(random));
  return result;
}

Time mean(const std::vector<Time>& times) {
  return std::accumulate(times.begin(), times.end(), Time(0)) / times.size();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(latency)

BOOST_AUTO_TEST_CASE(a_uniform_one_stays_in_its_range_and_reaches_its_ends) {
  auto times = draws(Latency::uniform(3ns, 5ns));
  BOOST_TEST((*std::ranges::min_element(times) == 3ns));
  BOOST_TEST((*std::ranges::max_element(times) == 5ns));
  BOOST_TEST((std::ranges::count(times, 4ns) > 3000));
  BOOST_TEST((draws(Latency::uniform(7us, 7us))[0] == 7us));
}

BOOST_AUTO_TEST_CASE(an_exponential_one_has_its_mean_and_a_long_tail) {
  auto times = draws(Latency::exponential(20us, 100us));
  BOOST_TEST((*std::ranges::min_element(times) >= 20us));
  BOOST_TEST((mean(times) > 97us));
  BOOST_TEST((mean(times) < 103us));
  BOOST_TEST((*std::ranges::max_element(times) > 500us));
}

BOOST_AUTO_TEST_SUITE_END()
