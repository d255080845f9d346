#include "troupe/graph/place/op_set.hpp"

#include <optional>

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(op_set)

BOOST_AUTO_TEST_CASE(it_contains_the_names_that_it_was_made_of_in_any_order) {
  OpSet ops({"Square", "Add", "MatMul"});
  for (const auto* name : {"Add", "MatMul", "Square"}) BOOST_TEST(ops.contains(name), name);
  for (const auto* name : {"", "AddV2", "Mat", "add", "Tan"}) BOOST_TEST(!ops.contains(name), name);
  BOOST_TEST(ops.names() == (std::vector<std::string>{"Add", "MatMul", "Square"}));
  BOOST_TEST(!OpSet().contains("Add"));
}

BOOST_AUTO_TEST_CASE(what_is_there_on_request_is_contained_only_where_it_is_asked_for) {
  OpSet ops({"Add"}, {"Where", "FFT"});
  BOOST_TEST(!ops.contains("FFT"));
  for (const auto* name : {"Add", "FFT", "Where"}) BOOST_TEST(ops.contains(name, true), name);
  BOOST_TEST(!ops.contains("Mul", true));
  BOOST_TEST(ops.on_request() == (std::vector<std::string>{"FFT", "Where"}));
}

BOOST_AUTO_TEST_CASE(copies_share_the_names) {
  OpSet ops({"Add"});
  auto copy = ops;
  BOOST_TEST(&copy.names() == &ops.names());
}

BOOST_AUTO_TEST_CASE(sets_of_the_same_names_share_them_as_long_as_one_of_them_is_there) {
  std::optional<OpSet> first(std::in_place, std::vector<std::string>{"Add", "Mul"});
  std::optional<OpSet> second(std::in_place, std::vector<std::string>{"Mul", "Add"});
  BOOST_TEST(&first->names() == &second->names());
  BOOST_TEST(&OpSet({"Add"}).names() != &first->names());
  first.reset();
  BOOST_TEST(second->contains("Mul"));
  second.reset();
  BOOST_TEST(OpSet({"Add", "Mul"}).contains("Mul"));
}

BOOST_AUTO_TEST_SUITE_END()
