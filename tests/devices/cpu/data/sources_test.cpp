#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {

BOOST_FIXTURE_TEST_SUITE(dataset_sources, DatasetFixture)

BOOST_AUTO_TEST_CASE(a_tensor_dataset_has_one_element_with_all_components) {
  auto pair = b.op(
      "TensorDataset", {b.constant(vec<float>({1, 2})), text("x")},
      {{"Toutput_types", DTypes{DType::float32, DType::string}},
       {"output_shapes", Shapes{{2}, Shape()}}});
  Attrs components{
      {"output_types", DTypes{DType::float32, DType::string}},
      {"output_shapes", Shapes{{2}, Shape()}}};
  BOOST_TEST(all(pair, components) == "float32[2] [1 2]; string[] [\"x\"]");
}

BOOST_AUTO_TEST_CASE(slices_are_the_rows_of_plain_tensors_and_of_strings) {
  auto rows = slices(vec<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6}));
  BOOST_TEST(
      all(rows, elements(DType::int32, {2})) == "int32[2] [1 2] | int32[2] [3 4] | int32[2] [5 6]");
  auto texts = slices(Tensor::of<std::string>({2}, {"a", "b"}));
  BOOST_TEST(all(texts, elements(DType::string)) == "string[] [\"a\"] | string[] [\"b\"]");
  BOOST_TEST(all(slices(vec<float>({0, 2}, {})), elements(DType::float32, {2})) == "");
}

BOOST_AUTO_TEST_CASE(a_large_slice_is_not_written_over_by_a_later_op) {
  auto tensor = varied<float>({2, 1000});
  auto rows = slices(tensor);
  auto negated = b.function(
      "negated", {{"x", DType::float32, {1000}}},
      [](const Builder& f, const Values& in) { return Values{f.op("Neg", {in[0]})}; });
  auto components = elements(DType::float32, {1000});
  auto map = dataset("MapDataset", {rows}, {{"f", negated}, {"Targuments", DTypes()}}, components);
  auto it = iterator(map, components);
  BOOST_TEST(begin(it) == "");
  for (int64_t row = 0; row < 2; ++row) {
    auto element = runner.run(b, {}, it.next);
    BOOST_TEST_REQUIRE(element.ok());
    for (int64_t i = 0; i < 1000; ++i)
      BOOST_TEST((*element)[0].data<float>()[i] == -tensor.data<float>()[row * 1000 + i]);
  }
}

BOOST_AUTO_TEST_CASE(ranges_go_up_and_down_and_end_before_they_overflow) {
  BOOST_TEST(numbers(range(3)) == "0 1 2");
  BOOST_TEST(numbers(dataset("RangeDataset", {number(5), number(-2), number(-3)})) == "5 2 -1");
  BOOST_TEST(numbers(dataset("RangeDataset", {number(2), number(2), number(1)})) == "");
  auto most = std::numeric_limits<int64_t>::max();
  BOOST_TEST(
      numbers(dataset("RangeDataset", {number(most - 1), number(most), number(5)})) ==
      std::to_string(most - 1));
  BOOST_TEST(
      all(dataset("RangeDataset", {number(0), number(1), number(0)})) ==
      "InvalidArgument: step must be a non-zero integer.");
}

BOOST_AUTO_TEST_CASE(components_without_rows_or_with_different_numbers_of_them_are_refused) {
  BOOST_TEST(
      all(slices(Tensor::scalar(1.0f)), elements(DType::float32)) ==
      "InvalidArgument: All components must be at least 1-dimensional");
  auto uneven = b.op(
      "TensorSliceDataset", {b.constant(vec<float>({1})), b.constant(vec<float>({1, 2}))},
      {{"Toutput_types", DTypes{DType::float32, DType::float32}},
       {"output_shapes", Shapes{Shape(), Shape()}}});
  Attrs components{
      {"output_types", DTypes{DType::float32, DType::float32}},
      {"output_shapes", Shapes{Shape(), Shape()}}};
  BOOST_TEST(
      all(uneven, components) ==
      "InvalidArgument: All components must have the same size in the 0th dimension");
}

BOOST_AUTO_TEST_CASE(a_generator_gives_what_its_function_returns_until_that_is_out_of_range) {
  auto counter = b.variable("counter", b.constant<int32_t>(0));
  auto ended = b.variable("ended", b.constant<int32_t>(0));
  auto init = b.function(
      "init", {}, [](const Builder& f, const Values&) { return Values{f.constant<int32_t>(10)}; });
  std::vector<FunctionArgument> arguments = {
      {"state", DType::int32, Shape()}, {"counter", DType::resource, Shape()}};
  auto next = b.function("next", arguments, [](const Builder& f, const Values& in) {
    auto count = f.op("ResourceCountUpTo", {in[1]}, {{"limit", int64_t{3}}, {"T", DType::int32}});
    return Values{in[0] + count};
  });
  auto finalize = b.function("finalize", arguments, [](const Builder& f, const Values& in) {
    auto added = f.op("AssignAddVariableOp", {in[1], f.constant<int32_t>(1)}, {});
    return Values{f.after({added}).op("Identity", {in[0]})};
  });
  auto generator = dataset(
      "GeneratorDataset", {counter.handle, ended.handle},
      {{"init_func", init},
       {"next_func", next},
       {"finalize_func", finalize},
       {"Tinit_func_args", DTypes()},
       {"Tnext_func_args", DTypes{DType::resource}},
       {"Tfinalize_func_args", DTypes{DType::resource}}},
      elements(DType::int32));
  BOOST_TEST(show(runner.run(b, {}, {}, {b.initializer()})) == "");
  BOOST_TEST(
      all(generator, elements(DType::int32)) == "int32[] [10] | int32[] [11] | int32[] [12]");
  BOOST_TEST(show(runner.run(b, {}, {ended.value()})) == "int32[] [1]");
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_no_dataset_is_refused) {
  auto it = iterator(range(1));
  b.op("MakeIterator", {number(1), it.handle});
  BOOST_TEST(b.status().message().find("variant") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
