#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

namespace {

struct CheckpointFixture : OpFixture {
  std::string strings(const Shape& shape) { return placeholder(DType::string, shape); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoint, CheckpointFixture)

BOOST_AUTO_TEST_CASE(each_tensor_has_a_name_and_a_slice) {
  auto prefix = strings({}), two = strings({2}), one = strings({1});
  BOOST_TEST(shape("SaveV2", {prefix, two, two, floats(), floats()}) == "");
  BOOST_TEST(
      shape("SaveV2", {prefix, two, two, floats()}) ==
      "input 1 has shape [2], but there are 1 tensors");
  BOOST_TEST(
      shape("RestoreV2", {prefix, two, one}, {{"dtypes", DTypes(2, DType::float32)}}) ==
      "input 2 has shape [1], but there are 2 tensors");
  BOOST_TEST(shape("SaveV2", {prefix, two, two}) != "");
}

BOOST_AUTO_TEST_CASE(a_prefix_is_one_string) {
  auto two = strings({2});
  auto refusal = "input 0 must have rank 0, but its shape is [2]";
  BOOST_TEST(shape("RemoveCheckpoint", {two}) == refusal);
  BOOST_TEST(shape("SaveV2", {two, two, two, floats(), floats()}) == refusal);
  BOOST_TEST(
      shape("MergeV2Checkpoints", {two, two}) == "input 1 must have rank 0, but its shape is [2]");
  BOOST_TEST(shape("MergeV2Checkpoints", {two, strings({})}) == "");
}

BOOST_AUTO_TEST_CASE(what_is_restored_has_any_shape) {
  auto one = strings({1});
  BOOST_TEST(
      shape("RestoreV2", {strings({}), one, one}, {{"dtypes", DTypes{DType::int32}}}) ==
      "<unknown>");
  BOOST_TEST(shape("ShardedFilename", {strings({}), number(0), number(2)}) == "[]");
}

BOOST_AUTO_TEST_CASE(ops_of_v1_have_names_and_slices_too) {
  auto name = strings({}), two = strings({2});
  BOOST_TEST(shape("Save", {name, two, floats(), floats()}) == "");
  BOOST_TEST(
      shape("Save", {name, two, floats()}) == "input 1 has shape [2], but there are 1 tensors");
  BOOST_TEST(shape("SaveSlices", {name, two, two, floats(), floats()}) == "");
  BOOST_TEST(
      shape("SaveSlices", {name, two, strings({1}), floats(), floats()}) ==
      "input 2 has shape [1], but there are 2 tensors");
  Attrs dtype = {{"dt", DType::float32}};
  BOOST_TEST(shape("Restore", {name, name}, dtype) == "<unknown>");
  BOOST_TEST(shape("RestoreSlice", {name, name, name}, dtype) == "<unknown>");
  BOOST_TEST(
      shape("RestoreSlice", {name, two, name}, dtype) ==
      "input 1 must have rank 0, but its shape is [2]");
  BOOST_TEST(shape("ShardedFilespec", {name, number(2)}) == "[]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
