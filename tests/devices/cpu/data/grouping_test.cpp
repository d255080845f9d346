#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {
namespace {

struct GroupingFixture : DatasetFixture {
  using Body = std::function<Value(const Builder&, const Value&)>;

  FunctionRef of_number(const std::string& name, const Body& body) const {
    return function(
        name, [body](const Builder& f, const Values& in) { return Values{body(f, in[0])}; });
  }
  FunctionRef parity = of_number("parity", [](const Builder& f, const Value& x) {
    return f.op("FloorMod", {x, f.constant<int64_t>(2)});
  });
  FunctionRef always(int64_t size) const {
    return of_number("size_" + std::to_string(size), [size](const Builder& f, const Value& key) {
      return key * 0.0 + f.constant<int64_t>(size);
    });
  }
  static Attrs batches() { return elements(DType::int64, Shape{Shape::unknown}); }
  /// One batch of the window, or batches of as many elements as the key is.
  FunctionRef batched(bool by_key) const {
    return b.function(
        by_key ? "batched_by_key" : "batched",
        {{"", DType::int64, Shape()}, {"", DType::variant, Shape()}},
        [by_key](const Builder& f, const Values& in) {
          auto size = by_key ? in[0] : f.constant<int64_t>(100);
          return Values{f.op("BatchDataset", {in[1], size}, batches())};
        });
  }
  Value grouped(
      const Value& input, const FunctionRef& key, const FunctionRef& size,
      const char* op = "GroupByWindowDataset", bool by_key = false) const {
    return dataset(
        op, {input},
        {{"key_func", key},
         {"reduce_func", batched(by_key)},
         {"window_size_func", size},
         {"Tkey_func_other_arguments", DTypes()},
         {"Treduce_func_other_arguments", DTypes()},
         {"Twindow_size_func_other_arguments", DTypes()}},
        batches());
  }
  std::string groups(const Value& input, const FunctionRef& key, const FunctionRef& size) {
    return all(grouped(input, key, size), batches());
  }

  Value directed(
      std::initializer_list<int64_t> choices, const char* op = "DirectedInterleaveDataset") const {
    auto count = static_cast<int64_t>(choices.size());
    auto selector = slices(Tensor::of<int64_t>({count}, choices), Shape());
    return dataset(op, {selector, range(2), range(3)});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dataset_grouping, GroupingFixture)

BOOST_AUTO_TEST_CASE(a_window_comes_when_it_is_full_and_the_others_at_the_end_by_key) {
  BOOST_TEST(
      groups(range(9), parity, always(3)) ==
      "int64[3] [0 2 4] | int64[3] [1 3 5] | int64[2] [6 8] | int64[1] [7]");
  BOOST_TEST(groups(range(0), parity, always(3)) == "");
}

BOOST_AUTO_TEST_CASE(both_have_an_older_name) {
  auto older = grouped(range(3), parity, always(2), "ExperimentalGroupByWindowDataset");
  BOOST_TEST(all(older, batches()) == "int64[2] [0 2] | int64[1] [1]");
  BOOST_TEST(numbers(directed({1, 0}, "ExperimentalDirectedInterleaveDataset")) == "0 0");
}

BOOST_AUTO_TEST_CASE(each_key_has_a_window_size_of_its_own) {
  auto size = of_number(
      "size", [](const Builder& f, const Value& key) { return key + f.constant<int64_t>(1); });
  BOOST_TEST(groups(range(4), parity, size) == "int64[1] [0] | int64[1] [2] | int64[2] [1 3]");
}

BOOST_AUTO_TEST_CASE(an_error_of_a_key_leaves_its_element_out) {
  auto key = of_number("key", [](const Builder& f, const Value& x) {
    return f.op("FloorDiv", {f.constant<int64_t>(0), x - f.constant<int64_t>(1)});
  });
  BOOST_TEST(
      groups(range(4), key, always(100)) ==
      "InvalidArgument: integer division by zero | int64[3] [0 2 3]");
}

BOOST_AUTO_TEST_CASE(a_window_that_cannot_be_reduced_leaves_those_of_other_keys) {
  for (int64_t size : {2, 100}) {
    auto text =
        all(grouped(range(4), parity, always(size), "GroupByWindowDataset", /*by_key=*/true),
            batches());
    BOOST_TEST(text.starts_with("InvalidArgument: "), text);
    BOOST_TEST(text.ends_with(" | int64[1] [1] | int64[1] [3]"), text);
  }
}

BOOST_AUTO_TEST_CASE(a_window_without_room_is_an_error) {
  BOOST_TEST(
      groups(range(1), parity, always(0)) ==
      "InvalidArgument: Window size must be greater than zero, but got 0.");
}

BOOST_AUTO_TEST_CASE(a_key_must_be_a_scalar) {
  auto key = of_number("key", [](const Builder& f, const Value& x) {
    return f.op("Reshape", {x, f.constant(Tensor::of<int32_t>({1}, {1}))});
  });
  BOOST_TEST(
      groups(range(1), key, always(2)) ==
      "InvalidArgument: `key_func` must return a scalar int64, not one of shape [1]");
}

/// Numbers by parity: how many there are, and their sum.
struct ReducerFixture : GroupingFixture {
  FunctionRef init =
      b.function("init", {{"", DType::int64, Shape()}}, [](const Builder& f, const Values& in) {
        return Values{f.constant<int64_t>(0), in[0] * 100.0};
      });
  FunctionRef reduce = function(
      "reduce",
      [](const Builder& f, const Values& in) {
        return Values{in[0] + f.constant<int64_t>(1), in[1] + in[2]};
      },
      3);
  FunctionRef finalize = function(
      "finalize",
      [](const Builder&, const Values& in) {
        return Values{in[1], in[0]};
      },
      2);

  static Attrs pairs() {
    return {
        {"output_types", DTypes{DType::int64, DType::int64}}, {"output_shapes", Shapes{{}, {}}}};
  }
  std::string reduced(
      const Value& input, const FunctionRef& key, const FunctionRef& step,
      const FunctionRef& result, const char* op = "GroupByReducerDataset") {
    Attrs attrs = {
        {"key_func", key}, {"init_func", init}, {"reduce_func", step}, {"finalize_func", result}};
    for (const auto* name : {"key", "init", "reduce", "finalize"})
      attrs.insert({std::string("T") + name + "_func_other_arguments", DTypes()});
    return all(dataset(op, {input}, attrs, pairs()), pairs());
  }
  std::string reduced(const Value& input) { return reduced(input, parity, reduce, finalize); }
  /// x / (x - number)
  static Value fails_at(const Builder& f, const Value& x, int64_t number) {
    return f.op("FloorDiv", {x, x - f.constant<int64_t>(number)});
  }
};

BOOST_FIXTURE_TEST_CASE(a_reducer_makes_an_element_of_each_key_at_the_end, ReducerFixture) {
  BOOST_TEST(reduced(range(5)) == "int64[] [6]; int64[] [3] | int64[] [104]; int64[] [2]");
  BOOST_TEST(reduced(range(0)) == "");
}

BOOST_FIXTURE_TEST_CASE(a_reducer_has_an_older_name, ReducerFixture) {
  BOOST_TEST(
      reduced(range(1), parity, reduce, finalize, "ExperimentalGroupByReducerDataset") ==
      "int64[] [0]; int64[] [1]");
}

BOOST_FIXTURE_TEST_CASE(an_element_that_cannot_be_reduced_leaves_the_state, ReducerFixture) {
  auto fails_at_2 = function(
      "fails_at_2",
      [](const Builder& f, const Values& in) {
        return Values{in[0] + f.constant<int64_t>(1), in[1] + in[2] + fails_at(f, in[2], 2) * 0.0};
      },
      3);
  BOOST_TEST(
      reduced(range(5), parity, fails_at_2, finalize) ==
      "InvalidArgument: integer division by zero | int64[] [4]; int64[] [2] | "
      "int64[] [104]; int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_key_that_cannot_be_made_leaves_its_element_out, ReducerFixture) {
  auto key =
      of_number("key", [](const Builder& f, const Value& x) { return fails_at(f, x, 3) * 0.0; });
  BOOST_TEST(
      reduced(range(5), key, reduce, finalize) ==
      "InvalidArgument: integer division by zero | int64[] [7]; int64[] [4]");
}

BOOST_FIXTURE_TEST_CASE(a_state_without_a_result_leaves_those_of_other_keys, ReducerFixture) {
  auto fails_at_6 = function(
      "fails_at_6",
      [](const Builder& f, const Values& in) {
        return Values{fails_at(f, in[1], 6), in[0]};
      },
      2);
  BOOST_TEST(
      reduced(range(5), parity, reduce, fails_at_6) ==
      "InvalidArgument: integer division by zero | int64[] [1]; int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_reducer_must_keep_the_dtypes_of_its_state, ReducerFixture) {
  auto floats = function(
      "floats",
      [](const Builder& f, const Values& in) {
        return Values{in[0], f.op("Cast", {in[1]}, {{"DstT", DType::float32}})};
      },
      3);
  BOOST_TEST(reduced(range(5), parity, floats, finalize).starts_with("InvalidArgument: "));
}

BOOST_AUTO_TEST_CASE(a_selector_chooses_the_dataset_of_each_element) {
  BOOST_TEST(numbers(directed({0, 1, 0, 1})) == "0 0 1 1");
  BOOST_TEST(numbers(directed({0, 0, 0, 0, 1})) == "0 1 0");
  BOOST_TEST(numbers(directed({0, 1, 0, 0, 1, 1, 1, 0, 1})) == "0 0 1 1 2");
}

BOOST_AUTO_TEST_CASE(a_selector_that_chooses_no_dataset_is_an_error) {
  BOOST_TEST(
      all(directed({2, 1})) ==
      "InvalidArgument: Selector index out of range: 2 is not in [0, 2) | int64[] [0]");
  BOOST_TEST(
      all(directed({-1})) == "InvalidArgument: Selector index out of range: -1 is not in [0, 2)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
