#include "troupe/devices/cpu/data_flow/tensor_list.hpp"

#include <tuple>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/tests/devices/cpu/data_flow/list_value.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(tensor_list)

struct ListFixture {
  Builder b;

  ListValue empty(int32_t most = -1) { return ListValue::empty(b, DType::float32, most); }
  ListValue reserved(int32_t size, const Value& element) {
    return ListValue::reserved(b, DType::float32, size, element);
  }
  Value number(float value) { return b.constant(value); }
  Value vector(std::initializer_list<float> values) { return b.constant(vec(values)); }
  Value matrix() { return b.constant(Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})); }
  std::string run(const std::vector<Ref>& fetches) { return show(run_graph(b, {}, fetches)); }
  /// The error of the one fetch, in a step or before.
  std::string error(const Value& fetch) {
    auto values = run_graph(b, {}, {fetch});
    std::ignore = b.take_status();
    return values ? "none" : values.status().message();
  }
};

BOOST_FIXTURE_TEST_CASE(what_is_pushed_last_is_popped_first, ListFixture) {
  auto list = empty().push(number(1)).push(vector({2, 3}));
  auto popped = list.popped();
  BOOST_TEST(
      run({list.length(), popped.handle.output(1), popped.popped().handle.output(1)}) ==
      "int32[] [2]; float32[2] [2 3]; float32[] [1]");
  BOOST_TEST(error(empty().popped().handle.output(1)) == "the list is empty");
  BOOST_TEST(
      error(empty(1).push(number(1)).push(number(2)).length()) ==
      "the list is full: it takes 1 elements");
}

BOOST_FIXTURE_TEST_CASE(a_list_that_is_changed_stays_as_it_was_for_others, ListFixture) {
  auto list = ListValue::of_rows(b, matrix());
  auto changed = list.set(1, vector({7, 8}));
  BOOST_TEST(
      run(
          {list.stack(), changed.stack(), list.resized(1).stack(),
           list.push(vector({9, 9})).stack()}) ==
      "float32[3,2] [1 2 3 4 5 6]; float32[3,2] [1 2 7 8 5 6]; float32[1,2] [1 2]; "
      "float32[4,2] [1 2 3 4 5 6 9 9]");
}

BOOST_FIXTURE_TEST_CASE(elements_that_are_not_set_are_zeros_of_a_known_shape, ListFixture) {
  auto any = b.constant(-1);
  BOOST_TEST(run({reserved(3, b.ints({2})).stack()}) == "float32[3,2] [0 0 0 0 0 0]");
  BOOST_TEST(run({reserved(2, any).get(1, b.ints({1}))}) == "float32[1] [0]");
  BOOST_TEST(run({reserved(2, any).set(1, number(5)).stack()}) == "float32[2] [0 5]");
  BOOST_TEST(
      error(reserved(2, b.ints({2, -1})).get(0)) ==
      "the element is not set, and of its shape only [2,?] is known");
}

BOOST_FIXTURE_TEST_CASE(rows_become_elements_and_elements_rows, ListFixture) {
  auto list = ListValue::of_rows(b, matrix());
  BOOST_TEST(
      run({list.get(2), list.gather({2, 0}), list.stack(3)}) ==
      "float32[2] [5 6]; float32[2,2] [5 6 1 2]; float32[3,2] [1 2 3 4 5 6]");
  BOOST_TEST(error(list.stack(2)) == "the list must have 2 elements, but has 3");
  BOOST_TEST(error(list.get(3)) == "there is no element 3 in a list of 3");
  BOOST_TEST(error(list.gather({0, -1})) == "there is no element -1 in a list of 3");
  BOOST_TEST(error(list.set(3, vector({1, 1})).length()) == "there is no element 3 in a list of 3");
}

BOOST_FIXTURE_TEST_CASE(rows_are_scattered_to_indices, ListFixture) {
  auto rows = matrix();
  auto scattered = ListValue::scattered(b, {4, 0, 2}, rows, -1);
  BOOST_TEST(run({scattered.length(), scattered.get(4)}) == "int32[] [5]; float32[2] [1 2]");
  BOOST_TEST(run({scattered.stack()}) == "float32[5,2] [3 4 0 0 5 6 0 0 1 2]");
  BOOST_TEST(run({ListValue::scattered(b, {1, 0, 2}, rows, 6).length()}) == "int32[] [6]");
  BOOST_TEST(
      error(ListValue::scattered(b, {1, 0, 3}, rows, 3).length()) ==
      "there is no element 3 in a list of 3");
  auto into = ListValue::of_rows(b, rows).scatter({1, 3, 4}, rows);
  BOOST_TEST(run({into.gather({0, 1, 3, 2})}) == "float32[4,2] [1 2 1 2 3 4 5 6]");
  BOOST_TEST(
      error(ListValue::of_rows(b, rows).scatter({1, -3, 4}, rows).length()) ==
      "there is no element -3");
}

BOOST_FIXTURE_TEST_CASE(parts_of_different_lengths_are_split_and_concatenated, ListFixture) {
  auto list = ListValue::split(b, {2, 0, 1}, matrix());
  auto whole = list.concat();
  BOOST_TEST(
      run({list.get(0), whole, whole.output(1)}) ==
      "float32[2,2] [1 2 3 4]; float32[3,2] [1 2 3 4 5 6]; int64[3] [2 0 1]");
  auto lengths = b.constant(Tensor::of<int64_t>({2}, {2, 1}));
  auto padded = b.op(
      "TensorListConcatV2",
      {reserved(2, b.constant(-1)).set(1, vector({7})).handle, b.ints({-1}), lengths},
      {{"element_dtype", DType::float32}});
  BOOST_TEST(run({padded}) == "float32[3] [0 0 7]");
  BOOST_TEST(
      error(empty().push(number(1)).concat()) == "scalars cannot be concatenated, but stacked");
}

BOOST_FIXTURE_TEST_CASE(elements_have_the_dtype_and_the_shape_of_the_list, ListFixture) {
  auto list = reserved(2, b.ints({2}));
  BOOST_TEST(
      error(list.set(0, number(1)).length()) ==
      "an element of the shape [] does not fit into a list of elements of the shape [2]");
  auto other = b.op("TensorListSetItem", {list.handle, b.constant(0), b.constant(1)});
  BOOST_TEST(
      error(b.op("TensorListLength", {other})) == "the list's elements are float32, not int32");
  auto shape = b.op("TensorListElementShape", {list.handle}, {{"shape_type", DType::int64}});
  auto any = b.op("TensorListElementShape", {empty().handle}, {{"shape_type", DType::int32}});
  BOOST_TEST(run({shape, any}) == "int64[1] [2]; int32[] [-1]");
  auto no_list = b.op(
      "TensorDataset", {number(1)},
      {{"Toutput_types", DTypes{DType::float32}}, {"output_shapes", Shapes{Shape()}}});
  BOOST_TEST(error(b.op("TensorListLength", {no_list})) == "the variant must hold a tensor list");
}

BOOST_FIXTURE_TEST_CASE(a_list_grows_by_an_element_that_is_set_where_it_may, ListFixture) {
  auto set = [&](int32_t index) {
    return b.op(
        "TensorListSetItem", {reserved(1, b.ints({})).handle, b.constant(index), number(5)},
        {{"resize_if_index_out_of_bounds", true}});
  };
  BOOST_TEST(run({ListValue{b, DType::float32, set(2)}.stack()}) == "float32[3] [0 0 5]");
  for (int32_t index : {-1, 1 << 24})
    BOOST_TEST(starts_with(error(b.op("TensorListLength", {set(index)})), "there is no element "));
}

BOOST_FIXTURE_TEST_CASE(sizes_of_lists_are_bounded, ListFixture) {
  for (int32_t size : {-1, (1 << 24) + 1})
    BOOST_TEST(
        error(reserved(size, b.ints({2})).length()) ==
        "a list cannot have " + std::to_string(size) + " elements: from 0 to 16777216");
  BOOST_TEST(
      error(ListValue::scattered(b, {0, 1, 1 << 30}, matrix(), -1).length()) ==
      "there is no element 1073741824 in a list of 0");
}

BOOST_FIXTURE_TEST_CASE(lists_are_added_element_by_element, ListFixture) {
  auto a = reserved(3, b.constant(-1)).set(0, vector({1, 2})).set(1, vector({3, 4}));
  auto c = reserved(3, b.constant(-1)).set(1, vector({10, 20}));
  auto sum = ListValue{b, DType::float32, b.op("AddN", {a.handle, c.handle, c.handle})};
  BOOST_TEST(
      run({sum.stack(), a.stack()}) == "float32[3,2] [1 2 23 44 0 0]; float32[3,2] [1 2 3 4 0 0]");
  auto zeros = ListValue{b, DType::float32, b.op("ZerosLike", {a.handle})};
  BOOST_TEST(run({zeros.stack()}) == "float32[3,2] [0 0 0 0 0 0]");
  BOOST_TEST(
      error(b.op("TensorListLength", {b.op("AddN", {a.handle, empty().handle})})) ==
      "lists of 3 and 0 elements cannot be added");
}

BOOST_FIXTURE_TEST_CASE(lists_of_a_batch_grow_together, ListFixture) {
  auto one = empty().push(number(1)), two = empty().push(number(2)).push(number(3));
  auto both =
      b.op("TensorListConcatLists", {one.handle, two.handle}, {{"element_dtype", DType::float32}});
  BOOST_TEST(run({ListValue{b, DType::float32, both}.stack()}) == "float32[3] [1 2 3]");
}

BOOST_FIXTURE_TEST_CASE(each_list_of_a_batch_gets_a_row, ListFixture) {
  cpu::TensorList one, two;
  two.elements = {vec({7})};
  auto lists = Tensor::of<Variant>(
      {2},
      {std::make_shared<const cpu::TensorList>(one), std::make_shared<const cpu::TensorList>(two)});
  auto pushed =
      b.op("TensorListPushBackBatch", {b.placeholder(DType::variant, {2}), vector({1, 2})});
  auto device = make_cpu_device();
  auto kernel = device->kernels().make(b.graph().node(pushed.output().node));
  BOOST_TEST_REQUIRE(kernel.ok(), kernel.status().to_string());
  Tensors inputs{lists, vec({1, 2})}, outputs(1);
  Launch launch(*device, {}, inputs, outputs);
  auto status = kernel->compute(launch);
  BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  auto length = [&](int index) {
    const auto& list = outputs[0].data<Variant>()[index];
    return std::static_pointer_cast<const cpu::TensorList>(list)->elements.size();
  };
  BOOST_TEST(length(0) == 1U);
  BOOST_TEST(length(1) == 2U);
  BOOST_TEST(two.elements.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_loop_sets_the_elements_of_a_list, ListFixture) {
  auto list = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], b.constant(4)});
      },
      [&](const Builder& b, const Values& v) {
        auto square = b.op("Cast", {b.square(v[0])}, {{"DstT", DType::float32}});
        return Values{b.add(v[0], b.constant(1)), b.op("TensorListSetItem", {v[1], v[0], square})};
      },
      {b.constant(0), reserved(4, b.ints({})).handle})[1];
  BOOST_TEST(run({ListValue{b, DType::float32, list}.stack()}) == "float32[4] [0 1 4 9]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
