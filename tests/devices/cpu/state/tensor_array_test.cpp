#include "troupe/devices/resources/tensor_array.hpp"

#include "troupe/tests/devices/cpu/launch_kernel.hpp"
#include "troupe/tests/devices/cpu/state/array_value.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(tensor_array)

struct ArrayFixture {
  Builder b;

  ArrayValue array(int32_t size, Attrs attrs = {}, DType dtype = DType::float32) {
    attrs["tensor_array_name"] = "ta";
    return ArrayValue::make(b, size, dtype, attrs);
  }
  ArrayValue kept(int32_t size) { return array(size, {{"clear_after_read", false}}); }
  ArrayValue growing(int32_t size) { return array(size, {{"dynamic_size", true}}); }
  Value number(float value) { return b.constant(value); }
  Value vector(std::initializer_list<float> values) { return b.constant(vec(values)); }
  std::string run(const std::vector<Ref>& fetches, const std::vector<Feed>& feeds = {}) {
    return show(run_graph(b, feeds, fetches));
  }
};

BOOST_FIXTURE_TEST_CASE(elements_that_were_written_are_read, ArrayFixture) {
  auto written = array(2).write(1, number(5)).write(0, vector({1, 2}));
  BOOST_TEST(run({written.read(0), written.read(1)}) == "float32[2] [1 2]; float32[] [5]");
}

BOOST_FIXTURE_TEST_CASE(each_step_has_an_array_of_its_own, ArrayFixture) {
  auto written = array(1).write(0, number(5));
  auto read = written.read(0);
  GraphRunner runner;
  for (int step = 0; step < 3; ++step)
    BOOST_TEST(show(runner.run(b, {}, {read})) == "float32[] [5]");
}

BOOST_FIXTURE_TEST_CASE(an_element_is_read_once_unless_reads_leave_it, ArrayFixture) {
  auto once = array(1).write(0, number(5));
  auto first = once.read(0);
  auto second = b.after({first}).op(
      "TensorArrayReadV3", {once.handle, b.constant(0), once.flow}, {{"dtype", DType::float32}});
  BOOST_TEST(
      run({first, second}) ==
      "InvalidArgument: index 0 of TensorArray ta cannot be read twice: the first read has cleared "
      "it (clear_after_read=False keeps elements)");
  auto often = kept(1).write(0, number(5));
  BOOST_TEST(run({often.read(0), often.read(0)}) == "float32[] [5]; float32[] [5]");
}

BOOST_FIXTURE_TEST_CASE(an_element_is_written_once_and_not_after_a_read, ArrayFixture) {
  BOOST_TEST(
      run({array(1).write(0, number(5)).write(0, number(6)).flow}) ==
      "InvalidArgument: index 0 of TensorArray ta cannot be written: it has been written");
  auto written = kept(1).write(0, number(5));
  auto late = written.after(b.after({written.read(0)}).identity(written.flow));
  BOOST_TEST(
      run({late.write(0, number(6)).flow}) ==
      "InvalidArgument: index 0 of TensorArray ta cannot be written: it has been read");
}

BOOST_FIXTURE_TEST_CASE(indices_are_those_of_the_size_unless_the_array_grows, ArrayFixture) {
  for (int32_t index : {-1, 2, 2147483647})
    BOOST_TEST(
        run({array(2).write(index, number(5)).flow}) ==
        "InvalidArgument: index " + std::to_string(index) +
            " of TensorArray ta cannot be written: the size is 2, and cannot grow");
  for (int32_t index : {-1, 2})
    BOOST_TEST(
        run({array(2).read(index)}) == "InvalidArgument: index " + std::to_string(index) +
                                           " of TensorArray ta cannot be read: the size is 2");
  auto grown = growing(0).write(3, number(5));
  BOOST_TEST(run({grown.size(), grown.read(3)}) == "int32[] [4]; float32[] [5]");
  for (int32_t index : {-1, 2147483647})
    BOOST_TEST(
        run({growing(0).write(index, number(5)).flow}) ==
        "InvalidArgument: index " + std::to_string(index) +
            " of TensorArray ta cannot be written: the size is 0");
  // An array of which little is written takes little memory.
  auto large = growing(2147483647).write(2147483645, number(5));
  BOOST_TEST(run({large.size(), large.read(2147483645)}) == "int32[] [2147483647]; float32[] [5]");
}

BOOST_FIXTURE_TEST_CASE(an_array_needs_a_size, ArrayFixture) {
  BOOST_TEST(run({array(-1).flow}) == "InvalidArgument: the size must not be negative, but is -1");
  auto size = b.placeholder(DType::int32);
  auto made = b.op("TensorArrayV3", {size}, {{"dtype", DType::float32}});
  BOOST_TEST(
      run({made.output(1)}, {{size, vec<int32_t>({1})}}) ==
      "InvalidArgument: the size must be a scalar, but has the shape [1]");
}

BOOST_FIXTURE_TEST_CASE(an_index_is_a_scalar, ArrayFixture) {
  auto made = array(2);
  auto index = b.placeholder(DType::int32);
  std::vector<Feed> feeds = {{index, vec<int32_t>({1})}};
  auto refused = "InvalidArgument: the index must be a scalar, but has the shape [1]";
  BOOST_TEST(
      run({b.op("TensorArrayWriteV3", {made.handle, index, number(1), made.flow})}, feeds) ==
      refused);
  BOOST_TEST(
      run({b.op("TensorArrayReadV3", {made.handle, index, made.flow}, {{"dtype", made.dtype}})},
          feeds) == refused);
}

BOOST_FIXTURE_TEST_CASE(elements_have_the_shape_that_is_known_of_them, ArrayFixture) {
  auto one = b.placeholder(DType::float32);
  std::vector<Feed> feeds = {{one, Tensor::scalar(1.0f)}};
  auto wrong = array(1, {{"element_shape", Shape{2}}}).write(0, one);
  BOOST_TEST(
      run({wrong.flow}, feeds) ==
      "InvalidArgument: index 0 of TensorArray ta cannot be written: the shape of the value is [], "
      "that of elements [2] (infer_shape=False allows elements of several shapes)");
  Attrs identical{{"identical_element_shapes", true}};
  BOOST_TEST(starts_with(
      run({array(2, identical).write(0, vector({1, 2})).write(1, one).flow}, feeds),
      "InvalidArgument: index 1 of TensorArray ta cannot be written: the shape of the value is [], "
      "that of elements [2]"));
  BOOST_TEST(run({array(2).write(0, vector({1, 2})).write(1, one).flow}, feeds) == "float32[] [0]");
}

BOOST_FIXTURE_TEST_CASE(what_was_not_written_is_zeros_where_the_shape_is_known, ArrayFixture) {
  BOOST_TEST(
      run({array(1).read(0)}) ==
      "InvalidArgument: index 0 of TensorArray ta cannot be read: it has not been written, and the "
      "shape of its zeros is not known: element_shape is <unknown>");
  BOOST_TEST(run({array(1, {{"element_shape", Shape{2}}}).read(0)}) == "float32[2] [0 0]");
  auto same = array(2, {{"identical_element_shapes", true}}).write(0, vector({1, 2}));
  BOOST_TEST(run({same.gather({0, 1})}) == "float32[2,2] [1 2 0 0]");
  auto text = array(1, {{"element_shape", Shape()}}, DType::string);
  BOOST_TEST(run({text.read(0)}) == "InvalidArgument: no string is 0");
  auto flag = array(1, {{"element_shape", Shape()}}, DType::boolean);
  BOOST_TEST(run({flag.read(0)}) == "bool[] [0]");
}

BOOST_FIXTURE_TEST_CASE(rows_are_scattered_and_gathered, ArrayFixture) {
  auto rows = b.constant(vec({3, 2}, {1, 2, 3, 4, 5, 6}));
  BOOST_TEST(
      run({array(3).scatter({2, 0, 1}, rows).gather({0, 1, 2})}) == "float32[3,2] [3 4 5 6 1 2]");
  BOOST_TEST(run({growing(1).scatter({5, 1, 0}, rows).gather({5})}) == "float32[1,2] [1 2]");
  BOOST_TEST(run({kept(3).scatter({2, 0, 1}, rows).gather({2, 2})}) == "float32[2,2] [1 2 1 2]");
  BOOST_TEST(
      run({array(2).write(0, number(1)).write(1, vector({2})).gather({0, 1})}) ==
      "InvalidArgument: the shape of elements must be one, but is [] of the first and [1] of "
      "number "
      "1");
  BOOST_TEST(
      run({array(1).write(0, number(1)).gather({0}, Shape{2})}) ==
      "InvalidArgument: the shape of elements must be [2], but is []");
  BOOST_TEST(starts_with(
      run({array(2).scatter({0, 1, 2}, rows).flow}),
      "InvalidArgument: index 2 of TensorArray ta cannot be written"));
}

BOOST_FIXTURE_TEST_CASE(rows_and_indices_that_differ_in_number_are_refused, ArrayFixture) {
  auto made = array(2);
  auto indices = b.placeholder(DType::int32), value = b.placeholder(DType::float32);
  auto flow = b.op("TensorArrayScatterV3", {made.handle, indices, value, made.flow});
  auto refused = [](const std::string& shapes) {
    return "InvalidArgument: the indices must be a vector, of an index for each row of the value, "
           "but the shapes are " +
           shapes;
  };
  BOOST_TEST(
      run({flow}, {{indices, vec<int32_t>({0})}, {value, vec({1, 2})}}) == refused("[1] and [2]"));
  BOOST_TEST(
      run({flow}, {{indices, Tensor::scalar<int32_t>(0)}, {value, vec({1})}}) ==
      refused("[] and [1]"));
  BOOST_TEST(
      run({flow}, {{indices, vec<int32_t>({0})}, {value, Tensor::scalar(1.0f)}}) ==
      refused("[1] and []"));
  BOOST_TEST(run({flow}, {{indices, vec<int32_t>({})}, {value, vec({})}}) == "float32[] [0]");
  auto gathered =
      b.op("TensorArrayGatherV3", {made.handle, indices, made.flow}, {{"dtype", DType::float32}});
  BOOST_TEST(
      run({gathered}, {{indices, Tensor::scalar<int32_t>(0)}}) ==
      "InvalidArgument: the indices must be a vector, but have the shape []");
}

BOOST_FIXTURE_TEST_CASE(parts_of_a_split_are_concatenated_with_their_lengths, ArrayFixture) {
  auto rows = b.constant(vec({3, 2}, {1, 2, 3, 4, 5, 6}));
  auto parts = kept(3).split({1, 0, 2}, rows);
  auto whole = parts.concat();
  BOOST_TEST(
      run({parts.read(2), whole, whole.output(1)}) ==
      "float32[2,2] [3 4 5 6]; float32[3,2] [1 2 3 4 5 6]; int64[3] [1 0 2]");
  BOOST_TEST(run({growing(0).split({3}, rows).size()}) == "int32[] [1]");
  BOOST_TEST(
      run({array(2).split({3}, rows).flow}) ==
      "InvalidArgument: TensorArray ta has 2 elements and cannot grow, but is split into 1");
  BOOST_TEST(
      run({growing(2).split({3}, rows).flow}) ==
      "InvalidArgument: TensorArray ta has 2 elements, but is split into 1");
  BOOST_TEST(
      run({array(1).split({2}, rows).flow}) ==
      "InvalidArgument: the lengths must add up to axis 0 of the value, whose shape is [3,2]: 1 "
      "are "
      "left");
  BOOST_TEST(
      run({array(2).split({2, 2}, rows).flow}) ==
      "InvalidArgument: a part cannot have the length 2 where 1 of [3,2] are left");
  BOOST_TEST(
      run({array(2).split({4, -1}, rows).flow}) ==
      "InvalidArgument: a part cannot have the length 4 where 3 of [3,2] are left");
  BOOST_TEST(
      run({array(1).split({1}, number(1)).flow}) == "InvalidArgument: a scalar cannot be split");
}

BOOST_FIXTURE_TEST_CASE(only_rows_of_one_shape_are_concatenated, ArrayFixture) {
  BOOST_TEST(
      run({array(1).write(0, number(1)).concat()}) ==
      "InvalidArgument: scalars cannot be concatenated, but stacked");
  auto square = b.constant(vec({1, 1}, {1}));
  BOOST_TEST(
      run({array(2).write(0, vector({1})).write(1, square).concat()}) ==
      "InvalidArgument: the shape of elements without axis 0 must be one, but is [] of the first "
      "and [1] of number 1");
  BOOST_TEST(
      run({array(1).write(0, square).concat({2})}) ==
      "InvalidArgument: the shape of elements without axis 0 must be [2], but is [1]");
}

BOOST_FIXTURE_TEST_CASE(no_elements_are_joined_where_their_shape_is_known, ArrayFixture) {
  BOOST_TEST(run({array(0).gather({}, {2})}) == "float32[0,2] []");
  auto empty = array(0).concat({2});
  BOOST_TEST(run({empty, empty.output(1)}) == "float32[0,2] []; int64[0] []");
  auto unknown =
      "Unimplemented: no elements can only be joined where their shape is known, but it is "
      "<unknown>";
  BOOST_TEST(run({array(0).gather({})}) == unknown);
  BOOST_TEST(run({array(0).concat()}) == unknown);
  BOOST_TEST(run({array(0, {{"element_shape", Shape{3}}}).gather({})}) == "float32[0,3] []");
}

BOOST_FIXTURE_TEST_CASE(a_tensor_has_no_more_axes_than_tensors_can_have, ArrayFixture) {
  auto deep = b.constant(vec({1, 1, 1, 1, 1, 1, 1, 1}, {1}));
  BOOST_TEST(starts_with(run({array(1).write(0, deep).gather({0})}), "InvalidArgument: "));
}

BOOST_FIXTURE_TEST_CASE(elements_have_the_dtype_of_the_array, ArrayFixture) {
  auto whole = b.constant(Tensor::scalar<int32_t>(1));
  auto refused = "InvalidArgument: the TensorArray's elements are float32, not int32";
  BOOST_TEST(run({array(1).write(0, whole).flow}) == refused);
  BOOST_TEST(run({array(1).scatter({0}, b.constant(vec<int32_t>({1}))).flow}) == refused);
  BOOST_TEST(run({array(1).split({1}, b.constant(vec<int32_t>({1}))).flow}) == refused);
  auto other = array(1).write(0, number(1));
  other.dtype = DType::int32;
  BOOST_TEST(run({other.read(0)}) == refused);
  BOOST_TEST(run({other.gather({0})}) == refused);
  BOOST_TEST(run({other.concat()}) == refused);
  auto texts = b.constant(Tensor::of<std::string>({2}, {"a", "b"}));
  BOOST_TEST(
      run({array(2, {}, DType::string).scatter({1, 0}, texts).gather({0, 1})}) ==
      "string[2] [\"b\" \"a\"]");
}

BOOST_FIXTURE_TEST_CASE(a_gradient_array_is_found_by_its_source_and_sums, ArrayFixture) {
  auto forward = kept(2).write(0, number(1)).write(1, vector({1, 2}));
  auto first = forward.gradient("a").write(1, vector({3, 4})).write(0, number(5));
  auto again = first.after(forward.after(first.flow).gradient("a").flow).write(1, vector({10, 20}));
  BOOST_TEST(run({again.read(0), again.read(1)}) == "float32[] [5]; float32[2] [13 24]");
  auto other = forward.after(again.flow).gradient("b");
  BOOST_TEST(run({other.read(0), other.read(1)}) == "float32[] [0]; float32[2] [0 0]");
  BOOST_TEST(
      run({first.write(1, number(1)).flow}) ==
      "InvalidArgument: index 1 of TensorArray ta@a cannot be added to: its shape is [2], that of "
      "the value []");
}

BOOST_FIXTURE_TEST_CASE(a_sum_leaves_what_was_added_as_it_was, ArrayFixture) {
  auto given = b.placeholder(DType::float32);
  auto forward = array(1).write(0, given);
  auto summed = forward.gradient("a").write(0, given).write(0, given).write(0, given);
  BOOST_TEST(
      run({summed.read(0), given}, {{given, vec({1, 2})}}) == "float32[2] [3 6]; float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(numbers_of_every_dtype_are_summed_and_texts_are_not, ArrayFixture) {
  for (auto dtype : numeric()) {
    auto two = b.cast(number(2), dtype);
    auto sum = array(1, {}, dtype).write(0, two).gradient("a").write(0, two).write(0, two);
    BOOST_TEST(run({b.cast(sum.read(0), DType::float64)}) == "float64[] [4]", to_string(dtype));
  }
  auto text = b.constant(Tensor::string("a"));
  BOOST_TEST(
      run({array(1, {}, DType::string)
               .write(0, text)
               .gradient("a")
               .write(0, text)
               .write(0, text)
               .flow}) == "InvalidArgument: string elements cannot be summed");
}

BOOST_FIXTURE_TEST_CASE(an_array_with_gradients_grows_no_more, ArrayFixture) {
  auto forward = growing(1).write(0, number(1));
  auto later = forward.after(forward.gradient("a").flow);
  BOOST_TEST(
      run({later.write(1, number(1)).flow}) ==
      "InvalidArgument: index 1 of TensorArray ta cannot be written: the size is 1, and cannot "
      "grow");
}

BOOST_FIXTURE_TEST_CASE(a_gradient_array_of_sums_has_no_gradient, ArrayFixture) {
  auto forward = array(1).write(0, number(1));
  auto sums = forward.gradient("a").write(0, number(1)).write(0, number(1));
  BOOST_TEST(
      run({sums.gradient("b").flow}) ==
      "InvalidArgument: TensorArray ta@a has no gradient: an element is a sum of what was written "
      "to it more than once");
}

BOOST_FIXTURE_TEST_CASE(a_gradient_array_concatenates_as_many_as_were_split, ArrayFixture) {
  auto forward = growing(0).split({1, 2}, vector({1, 2, 3})).write(2, number(4));
  auto gradient = forward.gradient("a").write(1, vector({5, 6}));
  auto whole = gradient.concat();
  BOOST_TEST(run({whole, whole.output(1)}) == "float32[3] [0 5 6]; int64[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(elements_of_a_gradient_array_can_have_more_axes, ArrayFixture) {
  auto forward = array(2, {{"element_shape", Shape{2}}}).write(0, vector({1, 2}));
  auto make = [&](const Value& outer) {
    auto made =
        b.op("TensorArrayGradWithShape", {forward.handle, forward.flow, outer}, {{"source", "a"}});
    return ArrayValue{b, DType::float32, made, made.output(1)};
  };
  BOOST_TEST(run({make(b.ints({1, 2})).gather({0, 1})}) == "float32[2,1,2,2] [0 0 0 0 0 0 0 0]");
  BOOST_TEST(starts_with(run({make(b.ints({-1})).flow}), "InvalidArgument: "));
  BOOST_TEST(starts_with(run({make(b.ints({1, 1, 1, 1, 1, 1, 1, 1})).flow}), "InvalidArgument: "));
}

BOOST_FIXTURE_TEST_CASE(a_closed_array_takes_and_gives_nothing, ArrayFixture) {
  auto written = array(1).write(0, number(1));
  auto close = b.after({written.flow}).op("TensorArrayCloseV3", {written.handle});
  auto closed = written.after(b.after({close}).identity(written.flow));
  auto refused = "InvalidArgument: TensorArray ta is closed";
  for (const auto& use :
       {closed.read(0), closed.write(0, number(1)).flow, closed.size(), closed.gather({0}),
        closed.concat(), closed.gradient("a").flow, closed.scatter({0}, vector({1})).flow,
        closed.split({1}, vector({1})).flow})
    BOOST_TEST(run({use}) == refused, use.name());
}

BOOST_FIXTURE_TEST_CASE(what_is_no_array_is_refused, KernelFixture) {
  BOOST_TEST(
      launch("TensorArrayCloseV3", {variable(vec({1}))}, {}) ==
      "InvalidArgument: 'w' is a variable, but a TensorArray is needed");
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_step_frees_elements_and_gradients, ArrayFixture) {
  auto device = make_cpu_device();
  auto& memory = device->allocator();
  GraphRunner runner(std::move(device));
  auto written = array(3).scatter({0, 1, 2}, b.fill(b.ints({3, 100}), number(1)));
  auto flow = written.gradient("a").write(0, written.read(0)).flow;
  auto before = memory.use().bytes_in_use;
  for (int step = 0; step < 3; ++step) BOOST_TEST(runner.run(b, {}, {flow}).ok());
  BOOST_TEST(memory.use().bytes_in_use == before);
}

/// Writes and reads elements of a megabyte, one after the other, on a device with eight.
std::string run_large(const Attrs& attrs) {
  Builder b;
  auto array = ArrayValue::make(b, 16, DType::float32, attrs);
  for (int32_t i = 0; i < 16; ++i) {
    auto next = b.after({array.flow});
    auto written = array.write(i, next.fill(b.ints({1 << 18}), b.constant(1.0f)));
    auto sum = b.op("Max", {written.read(i), b.constant(0)});
    array = written.after(b.after({sum}).identity(written.flow));
  }
  GraphRunner runner(make_cpu_device({.memory_limit = 8 << 20}));
  return show(runner.run(b, {}, {array.flow}));
}

BOOST_AUTO_TEST_CASE(a_read_frees_the_element_unless_it_is_to_be_kept) {
  BOOST_TEST(run_large({}) == "float32[] [0]");
  BOOST_TEST(starts_with(run_large({{"clear_after_read", false}}), "ResourceExhausted"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
