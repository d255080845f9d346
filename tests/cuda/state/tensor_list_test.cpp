#include <boost/test/unit_test.hpp>
#include <numeric>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/cpu/data_flow/list_value.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct CardListFixture {
  Builder b;

  ListValue reserved(int32_t size) {
    return ListValue::reserved(b, DType::float32, size, b.constant(-1));
  }
  /// Numbers that the card has to take from its memory.
  Value numbers(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.elements()));
    std::iota(values.begin(), values.end(), 1.0f);
    return b.op("Neg", {b.constant(Tensor::of<float>(shape, std::span<const float>(values)))});
  }
  /// What both, card and CPU, give.
  std::string run(const std::vector<Ref>& fetches) {
    BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
    auto on_card = show(GraphRunner(make_gpu()).run(b, {}, fetches));
    BOOST_TEST(on_card == show(run_graph(b, {}, fetches)));
    return on_card;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tensor_lists_on_a_card)

BOOST_FIXTURE_TEST_CASE(elements_that_were_set_or_pushed_are_read_and_counted, CardListFixture) {
  auto list = reserved(2).set(1, numbers({2})).push(numbers({2})).set(0, numbers({2}));
  auto popped = list.popped();
  BOOST_TEST(
      run({b.op("Neg", {list.get(1)}), popped.handle.output(1), list.length(), popped.length()}) ==
      "float32[2] [1 2]; float32[2] [-1 -2]; int32[] [3]; int32[] [2]");
  auto shape = b.op(
      "TensorListElementShape", {ListValue::of_rows(b, numbers({2, 3})).handle},
      {{"shape_type", DType::int64}});
  auto empty = ListValue::empty(b, DType::float32).push(numbers({}));
  run({shape, empty.stack(), empty.resized(0).length()});
}

BOOST_FIXTURE_TEST_CASE(rows_become_elements_and_elements_rows, CardListFixture) {
  // Rows that lie where libraries compute are shared, others are copied.
  for (int64_t columns : {1, 3, 64, 100}) {
    auto list = ListValue::of_rows(b, numbers({4, columns}));
    auto scattered = ListValue::scattered(b, {2, 0, 5, 1}, numbers({4, columns}), 6);
    run(
        {list.stack(), list.gather({3, 0, 3}), list.get(2), scattered.stack(),
         list.scatter({4, 1, 3, 5}, numbers({4, columns})).stack(), scattered.resized(2).stack()});
  }
}

BOOST_FIXTURE_TEST_CASE(elements_that_are_not_set_are_zeros, CardListFixture) {
  BOOST_TEST(
      run({reserved(3).set(1, numbers({2})).stack(), reserved(2).get(1, b.ints({1}))}) ==
      "float32[3,2] [0 0 -1 -2 0 0]; float32[1] [0]");
}

BOOST_FIXTURE_TEST_CASE(parts_of_several_lengths_are_split_and_joined, CardListFixture) {
  auto parts = ListValue::split(b, {2, 0, 3}, numbers({5, 7}));
  auto joined = parts.concat();
  auto lengths = b.constant(Tensor::of<int64_t>({2}, {2, 1}));
  auto padded = b.op(
      "TensorListConcatV2", {reserved(2).set(1, numbers({1})).handle, b.ints({-1}), lengths},
      {{"element_dtype", DType::float32}});
  run(
      {parts.get(0), parts.get(1), parts.get(2), joined, joined.output(1), padded,
       padded.output(1)});
}

BOOST_FIXTURE_TEST_CASE(a_list_that_is_changed_stays_as_it_was_for_others, CardListFixture) {
  auto list = ListValue::of_rows(b, numbers({3, 2}));
  run(
      {list.stack(), list.set(1, b.op("Neg", {list.get(1)})).stack(), list.resized(1).stack(),
       list.push(list.get(0)).stack()});
}

BOOST_FIXTURE_TEST_CASE(lists_are_added_joined_and_made_zero, CardListFixture) {
  auto a = reserved(3).set(0, numbers({2})).set(1, numbers({2}));
  auto c = reserved(3).set(1, numbers({2}));
  ListValue sum{b, DType::float32, b.op("AddN", {a.handle, c.handle, c.handle})};
  ListValue zeros{b, DType::float32, b.op("ZerosLike", {a.handle})};
  ListValue both{
      b, DType::float32,
      b.op("TensorListConcatLists", {a.handle, c.handle}, {{"element_dtype", DType::float32}})};
  BOOST_TEST(
      run({sum.stack(), a.stack(), zeros.stack(), both.gather({4, 0})}) ==
      "float32[3,2] [-1 -2 -3 -6 0 0]; float32[3,2] [-1 -2 -1 -2 0 0]; "
      "float32[3,2] [0 0 0 0 0 0]; float32[2,2] [-1 -2 -1 -2]");
}

BOOST_FIXTURE_TEST_CASE(strings_stay_on_the_host, CardListFixture) {
  auto texts = b.constant(Tensor::of<std::string>({3}, {"a", "b", "c"}));
  auto list = ListValue::of_rows(b, texts);
  auto unset = ListValue::reserved(b, DType::string, 2, b.ints({1}));
  BOOST_TEST(
      run(
          {list.gather({2, 0}), list.push(list.get(1)).stack(), unset.get(1),
           ListValue::split(b, {1, 2}, texts).concat()}) ==
      R"(string[2] ["c" "a"]; string[4] ["a" "b" "c" "b"]; string[1] [""]; )"
      R"(string[3] ["a" "b" "c"])");
}

BOOST_FIXTURE_TEST_CASE(elements_that_the_card_cannot_sum_are_refused, CardListFixture) {
  auto list = ListValue::of_rows(b, b.constant(Tensor::of<uint8_t>({2}, {1, 2})));
  run({list.get(1)});
  ListValue sum{b, DType::uint8, b.op("AddN", {list.handle, list.handle})};
  auto got = GraphRunner(make_gpu()).run(b, {}, {sum.stack()});
  BOOST_TEST(
      got.status().message() == "there is no CUDA kernel for uint8", got.status().to_string());
}

BOOST_FIXTURE_TEST_CASE(a_loop_maps_elements_and_has_a_gradient, CardListFixture) {
  auto x = numbers({4, 3});
  auto from = ListValue::of_rows(b, x);
  auto mapped = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], b.constant(4)});
      },
      [&](const Builder& b, const Values& v) {
        auto row = b.op(
            "TensorListGetItem", {v[1], v[0], b.constant(-1)}, {{"element_dtype", DType::float32}});
        auto to = b.op("TensorListSetItem", {v[2], v[0], b.mul(b.square(row), row)});
        return Values{b.add(v[0], b.constant(1)), v[1], to};
      },
      {b.constant(0), from.handle, ListValue::reserved(b, DType::float32, 4, b.ints({3})).handle});
  auto result = ListValue{b, DType::float32, mapped[2]}.stack();
  auto gradient = gradients(b, {b.reduce_sum(result)}, {x});
  BOOST_REQUIRE_MESSAGE(gradient.ok(), gradient.status().to_string());
  run({result, (*gradient)[0]});
}

BOOST_AUTO_TEST_SUITE_END()
