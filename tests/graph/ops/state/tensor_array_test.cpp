#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

namespace troupe::testing {
namespace {

/// An array of elements [?,3], and ops on it.
struct ElementShapeFixture {
  Builder b;
  Value array = b.op(
      "TensorArrayV3", {b.constant(4)},
      {{"dtype", DType::float32}, {"element_shape", Shape{Shape::unknown, 3}}});
  Value flow = array.output(1);

  Value given(const Shape& shape) { return b.placeholder(DType::float32, shape); }
  Value indices(const Shape& shape) { return b.placeholder(DType::int32, shape); }
  Value write(const Value& value) {
    return b.op("TensorArrayWriteV3", {array, b.constant(0), value, flow});
  }
  Value scatter(const Value& at, const Value& value) {
    return b.op("TensorArrayScatterV3", {array, at, value, flow});
  }
  std::string gathered(const Value& at, const Shape& element) {
    auto value = b.op(
        "TensorArrayGatherV3", {array, at, flow},
        {{"dtype", DType::float32}, {"element_shape", element}});
    return value.is_valid() ? value.shape().to_string() : error();
  }
  std::string error() { return b.take_status().message(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tensor_array_shapes)

BOOST_FIXTURE_TEST_CASE(elements_have_the_shape_that_the_array_declares, ElementShapeFixture) {
  auto read = b.op("TensorArrayReadV3", {array, b.constant(0), flow}, {{"dtype", DType::float32}});
  BOOST_TEST(read.shape().to_string() == "[?,3]");
  auto unknown = Shape::unknown_rank();
  BOOST_TEST(gathered(indices({2}), unknown) == "[2,?,3]");
  BOOST_TEST(gathered(indices(unknown), {5, Shape::unknown}) == "[?,5,3]");
  BOOST_TEST(gathered(indices({2}), {4}) != "[2,4]");
}

BOOST_FIXTURE_TEST_CASE(a_value_of_another_shape_is_refused_before_a_step, ElementShapeFixture) {
  BOOST_TEST(write(given({7, 3})).shape().to_string() == "[]");
  BOOST_TEST(!write(given({7, 4})).is_valid());
  BOOST_TEST(error() != "");
  BOOST_TEST(scatter(indices({2}), given({2, 7, 3})).is_valid());
  BOOST_TEST(!scatter(indices({2}), given({2, 7, 4})).is_valid());
  BOOST_TEST(error() != "");
  BOOST_TEST(!scatter(indices({2}), given({3, 7, 3})).is_valid());
  BOOST_TEST(
      error() ==
      "the indices must be a vector, of an index for each row of the value, but the shapes are [2] "
      "and [3,7,3]");
  BOOST_TEST(!scatter(indices({2}), given({})).is_valid());
  BOOST_TEST(error() == "the rows of a scalar cannot be scattered");
}

BOOST_FIXTURE_TEST_CASE(an_index_and_a_size_are_scalars_before_a_step, ElementShapeFixture) {
  b.op("TensorArrayV3", {indices({1})}, {{"dtype", DType::float32}});
  BOOST_TEST(error() == "input 0 must have rank 0, but its shape is [1]");
  b.op("TensorArrayReadV3", {array, indices({1}), flow}, {{"dtype", DType::float32}});
  BOOST_TEST(error() == "input 1 must have rank 0, but its shape is [1]");
  auto lengths = b.placeholder(DType::int64, Shape());
  b.op("TensorArraySplitV3", {array, given({2, 3}), lengths, flow});
  BOOST_TEST(error() == "input 2 must have rank 1, but its shape is []");
}

BOOST_FIXTURE_TEST_CASE(a_concatenation_has_the_rows_that_it_declares, ElementShapeFixture) {
  auto whole = b.op(
      "TensorArrayConcatV3", {array, flow},
      {{"dtype", DType::float32}, {"element_shape_except0", Shape{3}}});
  BOOST_TEST(whole.shape().to_string() == "[?,3]");
  BOOST_TEST(whole.output(1).shape().to_string() == "[?]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
