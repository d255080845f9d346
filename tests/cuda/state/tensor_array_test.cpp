#include <boost/test/unit_test.hpp>
#include <numeric>

#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/cpu/state/array_value.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct CardArrayFixture {
  Builder b;

  ArrayValue array(int32_t size, DType dtype = DType::float32) {
    return ArrayValue::make(
        b, size, dtype, {{"tensor_array_name", "ta"}, {"clear_after_read", false}});
  }
  /// Numbers that the card has to take from its memory.
  Value numbers(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.elements()));
    std::iota(values.begin(), values.end(), 1.0f);
    return b.constant(Tensor::of<float>(shape, std::span<const float>(values)));
  }
  /// What both, card and CPU, give.
  std::string run(const std::vector<Ref>& fetches) {
    auto on_card = show(GraphRunner(make_gpu()).run(b, {}, fetches));
    BOOST_TEST(on_card == show(run_graph(b, {}, fetches)));
    return on_card;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tensor_arrays_on_a_card)

BOOST_FIXTURE_TEST_CASE(elements_that_were_written_are_read_and_counted, CardArrayFixture) {
  auto written = array(3).write(1, numbers({})).write(0, numbers({2}));
  BOOST_TEST(
      run({written.read(0), b.op("Neg", {written.read(1)}), written.size()}) ==
      "float32[2] [1 2]; float32[] [-1]; int32[] [3]");
}

BOOST_FIXTURE_TEST_CASE(rows_become_elements_and_elements_rows, CardArrayFixture) {
  // Rows that lie where libraries compute are shared, others are copied.
  for (int64_t columns : {1, 3, 64, 100}) {
    auto rows = array(4).scatter({2, 0, 3, 1}, numbers({4, columns}));
    auto sorted = rows.gather({0, 1, 2, 3});
    run({sorted, rows.read(3), b.reduce_sum(rows.gather({3, 3, 0}))});
  }
  // More than one kernel takes.
  std::vector<int32_t> many(150);
  std::iota(many.begin(), many.end(), 0);
  run({array(150).scatter(many, numbers({150, 5})).gather(many)});
}

BOOST_FIXTURE_TEST_CASE(parts_of_several_lengths_are_split_and_joined, CardArrayFixture) {
  auto parts = array(3).split({2, 0, 3}, numbers({5, 7}));
  auto joined = parts.concat();
  run({parts.read(0), parts.read(1), parts.read(2), joined, joined.output(1)});
}

BOOST_FIXTURE_TEST_CASE(a_gradient_array_sums_what_is_written_and_is_zeros_else, CardArrayFixture) {
  auto written = array(2).scatter({0, 1}, numbers({2, 3}));
  auto gradient = written.gradient("g").write(0, numbers({3})).write(0, numbers({3}));
  BOOST_TEST(run({gradient.gather({0, 1})}) == "float32[2,3] [2 4 6 0 0 0]");
}

BOOST_FIXTURE_TEST_CASE(strings_stay_on_the_host, CardArrayFixture) {
  auto texts = b.constant(Tensor::of<std::string>({3}, {"a", "b", "c"}));
  auto written = array(3, DType::string).scatter({2, 0, 1}, texts);
  auto parts = array(2, DType::string).split({1, 2}, texts);
  BOOST_TEST(
      run({written.gather({0, 1, 2}), parts.read(1), parts.concat()}) ==
      R"(string[3] ["b" "c" "a"]; string[2] ["b" "c"]; string[3] ["a" "b" "c"])");
}

BOOST_FIXTURE_TEST_CASE(elements_that_the_card_cannot_sum_are_refused, CardArrayFixture) {
  auto bytes = b.constant(Tensor::of<uint8_t>({2}, {1, 2}));
  auto once = array(1, DType::uint8).write(0, bytes);
  run({once.read(0)});
  auto twice = once.gradient("g").write(0, bytes).write(0, bytes);
  auto got = GraphRunner(make_gpu()).run(b, {}, {twice.read(0)});
  BOOST_TEST(
      got.status().message() == "there is no CUDA kernel for uint8", got.status().to_string());
}

BOOST_AUTO_TEST_SUITE_END()
