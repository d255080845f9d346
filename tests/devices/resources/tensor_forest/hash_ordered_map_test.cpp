#include <boost/test/unit_test.hpp>

#include "troupe/devices/resources/tensor_forest/hash_ordered_map.hpp"

namespace troupe::testing {
namespace {

using Keys = std::vector<int32_t>;

Keys keys_of(const forest::HashOrderedMap<int>& map) {
  Keys keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hash_ordered_map)

BOOST_AUTO_TEST_CASE(new_keys_come_first_but_among_those_of_their_bucket) {
  forest::HashOrderedMap<int> map;
  for (int32_t key : {1, 2, 3}) map[key] = key;
  BOOST_TEST(keys_of(map) == Keys({3, 1, 2}), boost::test_tools::per_element());
  map[8] = 8;  // with 1, where there are 7 buckets
  BOOST_TEST(keys_of(map) == Keys({3, 8, 1, 2}), boost::test_tools::per_element());
  map.erase(8);
  map.erase(1);
  map[15] = 15;
  BOOST_TEST(keys_of(map) == Keys({15, 3, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(more_buckets_turn_the_order_round) {
  forest::HashOrderedMap<int> map;
  for (int32_t key = 0; key < 6; ++key) map[key] = key;
  BOOST_TEST(keys_of(map) == Keys({5, 4, 3, 2, 0, 1}), boost::test_tools::per_element());
  map[6] = 6;  // the seventh of 7 buckets
  BOOST_TEST(keys_of(map) == Keys({6, 1, 0, 2, 3, 4, 5}), boost::test_tools::per_element());
  BOOST_TEST(map.find(4)->second == 4);
  BOOST_TEST((map.find(7) == map.end()));
}

BOOST_AUTO_TEST_CASE(a_map_that_was_moved_goes_on) {
  forest::HashOrderedMap<int> map;
  for (int32_t key = -20; key < 20; ++key) map[key] = key;
  auto moved = std::move(map);
  for (int32_t key = -20; key < 20; key += 2) moved.erase(key);
  moved[-20] = 1;
  BOOST_TEST(moved.size() == 21u);
  BOOST_TEST(keys_of(moved).size() == 21u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
