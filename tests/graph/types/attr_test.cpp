#include "troupe/graph/types/attr.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(attr)

BOOST_AUTO_TEST_CASE(a_function_is_written_with_its_attributes) {
  BOOST_TEST(AttrValue(FunctionRef("f")).to_string() == "f");
  FunctionRef g("g", {{"T", DType::float32}, {"f", FunctionRef("f")}});
  BOOST_TEST(AttrValue(g).to_string() == "g[T=float32, f=f]");
  BOOST_TEST(AttrValue(FunctionRefs{g, FunctionRef("h")}).to_string() == "[g[T=float32, f=f], h]");
  BOOST_TEST(to_string(AttrValue(g).type()) == std::string("func"));
  BOOST_TEST(to_string(AttrValue(FunctionRefs{}).type()) == std::string("list(func)"));
}

BOOST_AUTO_TEST_CASE(nested_functions_are_counted) {
  BOOST_TEST(AttrValue(1).function_nesting() == 0);
  AttrValue value = FunctionRef("f");
  BOOST_TEST(value.function_nesting() == 1);
  value = FunctionRefs{FunctionRef("g"), FunctionRef("h", {{"f", value}})};
  BOOST_TEST(value.function_nesting() == 2);
}

BOOST_AUTO_TEST_CASE(values_are_equal_bit_by_bit) {
  auto nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST((AttrValue(nan) == AttrValue(nan)));
  BOOST_TEST((AttrValue(Tensor::scalar(nan)) == AttrValue(Tensor::scalar(nan))));
  BOOST_TEST((AttrValue(0.0f) != AttrValue(-0.0f)));
  BOOST_TEST((AttrValue(1) != AttrValue(true)));
  BOOST_TEST((AttrValue(Tensor::string("a")) != AttrValue(Tensor::string("b"))));
  BOOST_TEST((AttrValue(FunctionRef("f")) != AttrValue(FunctionRef("f", {{"n", 1}}))));
  BOOST_TEST((AttrValue(FunctionRef("f", {{"n", 1}})) == AttrValue(FunctionRef("f", {{"n", 1}}))));
}

BOOST_AUTO_TEST_SUITE_END()
