#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(dtype)

BOOST_AUTO_TEST_CASE(names_are_read_back) {
  for (auto dtype : all_dtypes()) {
    BOOST_TEST(is_valid(dtype));
    BOOST_TEST((parse_dtype(to_string(dtype)) == dtype));
  }
  BOOST_TEST(to_string(DType::boolean) == std::string("bool"));
  BOOST_TEST(!parse_dtype("float31").has_value());
}

BOOST_AUTO_TEST_CASE(numbers_that_name_nothing_are_invalid) {
  BOOST_TEST(!is_valid(DType::invalid));
  BOOST_TEST(!is_valid(static_cast<DType>(11)));
  BOOST_TEST(!is_valid(static_cast<DType>(255)));
  BOOST_TEST(is_valid(DType::resource));
  BOOST_TEST(to_string(DType::invalid) == std::string("invalid"));
}

BOOST_AUTO_TEST_CASE(a_visit_gives_the_type_of_the_elements) {
  for (auto dtype : all_plain()) {
    auto [same, size] = visit(dtype, [&](auto zero) {
      return std::pair(dtype_of<decltype(zero)>() == dtype, sizeof(zero));
    });
    BOOST_TEST(same, to_string(dtype));
    BOOST_TEST(size == size_of(dtype));
  }
}

BOOST_AUTO_TEST_CASE(strings_and_handles_are_not_plain) {
  BOOST_TEST(is_plain(DType::boolean));
  BOOST_TEST(!is_plain(DType::string));
  BOOST_TEST(!is_plain(DType::resource));
  BOOST_TEST(size_of(DType::string) == sizeof(std::string));
}

BOOST_AUTO_TEST_CASE(groups_contain_each_other) {
  auto contains = [](const DTypes& group, const DTypes& part) {
    return std::ranges::all_of(part, [&](DType d) { return std::ranges::count(group, d) == 1; });
  };
  BOOST_TEST(contains(all_dtypes(), all_plain()));
  BOOST_TEST(contains(all_plain(), numeric()));
  BOOST_TEST(contains(numeric(), real()));
  BOOST_TEST(contains(numeric(), complex()));
  BOOST_TEST(contains(real(), floating()));
  BOOST_TEST(contains(integral(), indexing()));
  BOOST_TEST(contains(differentiable(), floating()));
  BOOST_TEST(contains(differentiable(), complex()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
