#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {
namespace {

struct CellFixture : OpFixture {
  const int64_t any = Shape::unknown;

  /// The inputs of LSTMBlockCell, of unknown shape but for one.
  Names lstm(size_t index, const Shape& shape) {
    Names inputs;
    for (size_t i = 0; i < 8; ++i)
      inputs.push_back(floats(i == index ? shape : Shape::unknown_rank()));
    return inputs;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cells, CellFixture)

BOOST_AUTO_TEST_CASE(any_argument_tells_the_units_of_a_memory_cell) {
  auto outputs = [](const std::string& each) {
    std::string text = each;
    for (int i = 1; i < 7; ++i) text += " " + each;
    return text;
  };
  BOOST_TEST(shape("LSTMBlockCell", lstm(0, {4, 3})) == outputs("[4,?]"));
  BOOST_TEST(shape("LSTMBlockCell", lstm(1, {4, 2})) == outputs("[4,2]"));
  BOOST_TEST(shape("LSTMBlockCell", lstm(3, {any, 8})) == outputs("[?,2]"));
  BOOST_TEST(shape("LSTMBlockCell", lstm(5, {2})) == outputs("[?,2]"));
  BOOST_TEST(shape("LSTMBlockCell", lstm(7, {8})) == outputs("[?,2]"));
  auto inputs = lstm(3, {5, any});
  inputs[0] = floats({any, 3});
  BOOST_TEST(shape("LSTMBlockCell", inputs) == outputs("[?,2]"));
}

BOOST_AUTO_TEST_CASE(an_argument_that_does_not_fit_the_others_is_named) {
  auto inputs = lstm(0, {4, 3});
  inputs[1] = floats({4, 2});
  inputs[3] = floats({6, 8});
  BOOST_TEST(
      shape("LSTMBlockCell", inputs) ==
      "'w' must have the shape [inputs+units,4*units], here [5,8], but has [6,8]");
  BOOST_TEST(
      shape("LSTMBlockCell", lstm(0, {3})) ==
      "'x' must have the shape [batch,inputs], here [?,?], but has [3]");
  BOOST_TEST(
      shape("LSTMBlockCell", lstm(7, {6})) ==
      "'b' must have the shape [4*units], here [?], but has [6]");
}

BOOST_AUTO_TEST_CASE(a_block_has_the_times_of_its_input) {
  auto inputs = lstm(0, {7, any, 3});
  inputs[3] = floats({5, 8});
  inputs.insert(inputs.begin(), placeholder(DType::int64));
  BOOST_TEST(
      shape("BlockLSTM", inputs) == "[7,?,2] [7,?,2] [7,?,2] [7,?,2] [7,?,2] [7,?,2] [7,?,2]");
  inputs[0] = placeholder(DType::int64, {1});
  BOOST_TEST(
      shape("BlockLSTM", inputs) == "'seq_len_max' must have the shape [], here [], but has [1]");
}

BOOST_AUTO_TEST_CASE(a_gated_unit_has_a_kernel_for_two_gates_and_one_for_the_candidate) {
  Names inputs = {floats({4, 3}), floats(), floats({5, 4}), floats(), floats(), floats()};
  BOOST_TEST(shape("GRUBlockCell", inputs) == "[4,2] [4,2] [4,2] [4,2]");
  inputs[3] = floats({5, 3});
  BOOST_TEST(
      shape("GRUBlockCell", inputs) ==
      "'w_c' must have the shape [inputs+units,units], here [5,2], but has [5,3]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
