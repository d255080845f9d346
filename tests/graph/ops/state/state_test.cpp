#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(state, OpFixture)

BOOST_AUTO_TEST_CASE(container_names_are_of_letters_digits_and_a_few_signs) {
  auto handle = [&](const std::string& container) {
    return shape("VarHandleOp", {}, {{"dtype", DType::float32}, {"container", container}});
  };
  for (auto good : {"", "my_problem_1", "a/B-2.c"}) BOOST_TEST(handle(good) == "[]");
  for (auto bad : {"a b", "a:b", "\xc3\xa4", "x\n", "?"})
    BOOST_TEST(handle(bad).find("is no name for a container") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
