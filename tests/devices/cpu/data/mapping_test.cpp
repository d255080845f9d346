#include <algorithm>

#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {
namespace {

struct MappingFixture : DatasetFixture {
  FunctionRef square =
      function("square", [](const Builder&, const Values& in) { return Values{in[0] * in[0]}; });
  /// An error for 1, else 12 / (x - 1).
  FunctionRef quotient = function("quotient", [](const Builder& f, const Values& in) {
    auto one = f.constant<int64_t>(1);
    return Values{f.named("divide").op("FloorDiv", {f.constant<int64_t>(12), in[0] - one})};
  });
  /// range(x) as a dataset.
  FunctionRef counting = function("counting", [](const Builder& f, const Values& in) {
    return Values{
        f.op("RangeDataset", {f.constant<int64_t>(0), in[0], f.constant<int64_t>(1)}, elements())};
  });
  /// x three times.
  FunctionRef thrice = function("thrice", [](const Builder& f, const Values& in) {
    auto one = f.op(
        "TensorDataset", {in[0]},
        {{"Toutput_types", DTypes{DType::int64}}, {"output_shapes", Shapes{Shape()}}});
    return Values{f.op("RepeatDataset", {one, f.constant<int64_t>(3)}, elements())};
  });

  Value int32(int32_t value) const { return b.constant(Tensor::scalar(value)); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dataset_mapping, MappingFixture)

BOOST_AUTO_TEST_CASE(a_function_is_called_with_each_element_and_what_it_captured) {
  BOOST_TEST(numbers(mapped("MapDataset", {range(4)}, square)) == "0 1 4 9");
  auto add = function(
      "add", [](const Builder&, const Values& in) { return Values{in[0] + in[1]}; },
      /*arguments=*/2);
  auto map = dataset(
      "MapDataset", {range(3), number(10)}, {{"f", add}, {"Targuments", DTypes{DType::int64}}});
  BOOST_TEST(numbers(map) == "10 11 12");
}

BOOST_AUTO_TEST_CASE(a_function_may_call_others_have_branches_and_be_without_work) {
  auto outer = function("outer", [&](const Builder& f, const Values& in) {
    return Values{f.call(square, in)[0] + 1.0};
  });
  BOOST_TEST(numbers(mapped("MapDataset", {range(3)}, outer)) == "1 2 5");
  auto same = function("same", [](const Builder&, const Values& in) { return in; });
  BOOST_TEST(numbers(mapped("MapDataset", {range(3)}, same)) == "0 1 2");
}

BOOST_AUTO_TEST_CASE(an_error_of_a_function_names_its_node_and_the_next_element_follows) {
  auto text = all(mapped("MapDataset", {range(4)}, quotient));
  BOOST_TEST(
      text ==
      "int64[] [-12] | InvalidArgument: integer division by zero | int64[] [12] | "
      "int64[] [6]");
  auto it = iterator(mapped("MapDataset", {range(2)}, quotient));
  BOOST_TEST(begin(it) == "");
  next(it);
  auto failed = runner.run(b, {}, it.next);
  BOOST_TEST(failed.status().where().node == "divide");
  BOOST_TEST(failed.status().where().op == "FloorDiv");
}

BOOST_AUTO_TEST_CASE(parallel_calls_keep_the_order_and_their_errors_their_places) {
  for (int32_t calls : {1, 3, 100, -1}) {
    auto map = [&](const FunctionRef& f, int64_t count) {
      return mapped("ParallelMapDataset", {range(count)}, f, {int32(calls)});
    };
    BOOST_TEST(numbers(map(square, 6)) == "0 1 4 9 16 25");
    BOOST_TEST(numbers(map(quotient, 4)) == "-12 InvalidArgument: integer division by zero | 12 6");
  }
  BOOST_TEST(
      numbers(mapped("ParallelMapDataset", {range(1)}, square, {int32(0)})) ==
      "InvalidArgument: num_parallel_calls must be greater than zero.");
}

BOOST_AUTO_TEST_CASE(a_filter_passes_what_its_predicate_accepts) {
  auto is_odd = function("is_odd", [](const Builder& f, const Values& in) {
    auto rest = f.op("FloorMod", {in[0], f.constant<int64_t>(2)});
    return Values{f.op("Equal", {rest, f.constant<int64_t>(1)})};
  });
  BOOST_TEST(numbers(mapped("FilterDataset", {range(6)}, is_odd, {}, "predicate")) == "1 3 5");
  // Deep recursion would end the process.
  auto is_last = function("is_last", [](const Builder& f, const Values& in) {
    return Values{f.op("Equal", {in[0], f.constant<int64_t>(99'999)})};
  });
  BOOST_TEST(
      numbers(mapped("FilterDataset", {range(100'000)}, is_last, {}, "predicate")) == "99999");
}

BOOST_AUTO_TEST_CASE(elements_are_taken_while_the_predicate_is_true) {
  auto is_small = function("is_small", [](const Builder& f, const Values& in) {
    auto rest = f.op("FloorMod", {in[0], f.constant<int64_t>(5)});
    return Values{f.op("Less", {rest, f.constant<int64_t>(3)})};
  });
  for (const auto* op : {"TakeWhileDataset", "ExperimentalTakeWhileDataset"})
    BOOST_TEST(numbers(mapped(op, {range(9)}, is_small, {}, "predicate")) == "0 1 2");
  auto it = iterator(mapped("TakeWhileDataset", {range(9)}, is_small, {}, "predicate"));
  BOOST_TEST(begin(it).empty());
  BOOST_TEST(all_of(it) == "int64[] [0] | int64[] [1] | int64[] [2]");
  // The end stays, though 5 and 6 would be taken.
  BOOST_TEST(next(it) == "OutOfRange: End of sequence");
}

BOOST_AUTO_TEST_CASE(a_scan_hands_its_state_on_and_keeps_it_where_the_function_fails) {
  auto sums = function(
      "sums",
      [](const Builder& f, const Values& in) {
        // Fails at the element 2.
        auto one = f.op("FloorDiv", {in[1] - 2.0, in[1] - 2.0});
        return Values{in[0] + in[1] * one, in[0] * 10.0 + in[1]};
      },
      2);
  Attrs attrs{{"f", sums}, {"Targuments", DTypes()}, {"Tstate", DTypes{DType::int64}}};
  for (const auto* op : {"ScanDataset", "ExperimentalScanDataset"}) {
    auto text = all(dataset(op, {range(4), number(1)}, attrs));
    BOOST_TEST(starts_with(text, "int64[] [10] | int64[] [11] | InvalidArgument"), text);
    BOOST_TEST(text.ends_with("| int64[] [23]"), text);
  }
  attrs["Tstate"] = DTypes{DType::int64, DType::int64};
  BOOST_TEST(starts_with(
      all(dataset("ScanDataset", {range(4), number(1), number(2)}, attrs)),
      "InvalidArgument: function 'sums' takes (int64, int64), but is called with"));
}

BOOST_AUTO_TEST_CASE(elements_with_errors_are_left_out_but_not_those_of_an_input_that_stays) {
  auto inverse = function("inverse", [](const Builder& f, const Values& in) {
    auto rest = f.op("FloorMod", {in[0], f.constant<int64_t>(3)});
    return Values{in[0] * f.op("FloorDiv", {rest, rest})};
  });
  auto mapping = mapped("MapDataset", {range(7)}, inverse);
  for (const auto* op : {"IgnoreErrorsDataset", "ExperimentalIgnoreErrorsDataset"})
    BOOST_TEST(numbers(dataset(op, {mapping})) == "1 2 4 5");
  auto strings = elements(DType::string);
  auto missing = b.op("TextLineDataset", {text("/nowhere/at/all"), text(""), number(0)});
  auto it = iterator(dataset("IgnoreErrorsDataset", {missing}, {}, strings), strings);
  BOOST_TEST(begin(it).empty());
  BOOST_TEST(starts_with(next(it), "NotFound"));
}

BOOST_AUTO_TEST_CASE(each_element_comes_once) {
  auto six = b.constant(vec<int64_t>({3, 1, 3, 2, 1, 3}));
  auto of_numbers = b.op(
      "TensorSliceDataset", {six},
      {{"Toutput_types", DTypes{DType::int64}}, {"output_shapes", Shapes{Shape()}}});
  for (const auto* op : {"UniqueDataset", "ExperimentalUniqueDataset"})
    BOOST_TEST(numbers(dataset(op, {of_numbers})) == "3 1 2");
  // Strings that only together are the same bytes, and rows.
  auto strings = elements(DType::string, Shape{2});
  auto rows = slices(Tensor::of<std::string>({3, 2}, {"1:a", "b", "1:a", "b", "1", ":ab"}));
  BOOST_TEST(
      all(dataset("UniqueDataset", {rows}, {}, strings), strings) ==
      "string[2] [\"1:a\" \"b\"] | string[2] [\"1\" \":ab\"]");
  auto floats = elements(DType::float32);
  BOOST_TEST(starts_with(
      all(dataset("UniqueDataset", {slices(vec<float>({1}))}, {}, floats), floats),
      "InvalidArgument: elements of one component"));
}

BOOST_AUTO_TEST_CASE(functions_that_do_not_fit_their_elements_are_refused) {
  BOOST_TEST(starts_with(
      numbers(mapped("FilterDataset", {range(1)}, square, {}, "predicate")),
      "InvalidArgument: function 'square' returns (int64), but (bool) are expected"));
  BOOST_TEST(starts_with(
      numbers(mapped("MapDataset", {slices(vec<float>({1}))}, square)),
      "InvalidArgument: function 'square' takes (int64), but is called with (float32)"));
  BOOST_TEST(starts_with(
      numbers(mapped("FlatMapDataset", {range(1)}, square)),
      "InvalidArgument: function 'square' returns (int64), but (variant) are expected"));
}

BOOST_AUTO_TEST_CASE(a_function_that_names_a_resource_of_its_own_is_refused) {
  auto f = function("own", [](const Builder& f, const Values& in) {
    auto handle = f.op("VarHandleOp", {}, {{"dtype", DType::int64}, {"shape", Shape()}});
    return Values{f.op("ReadVariableOp", {handle}, {{"dtype", DType::int64}}) + in[0]};
  });
  BOOST_TEST(starts_with(
      numbers(mapped("MapDataset", {range(1)}, f)),
      "InvalidArgument: a function of a dataset cannot name a resource"));
}

BOOST_AUTO_TEST_CASE(flat_map_gives_the_elements_of_one_dataset_after_the_other) {
  BOOST_TEST(numbers(mapped("FlatMapDataset", {range(4)}, counting)) == "0 0 1 0 1 2");
  BOOST_TEST(numbers(mapped("FlatMapDataset", {range(0)}, counting)) == "");
}

BOOST_AUTO_TEST_CASE(interleaved_datasets_take_turns_by_blocks) {
  auto interleave = [&](int64_t cycle, int64_t block, const Values& more = {}) {
    Values inputs = {number(cycle), number(block)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    auto* op = more.empty() ? "InterleaveDataset" : "ParallelInterleaveDatasetV2";
    return numbers(mapped(op, {range(4)}, thrice, inputs));
  };
  for (const auto& calls : {Values(), Values{number(2)}, Values{number(-1)}}) {
    BOOST_TEST(interleave(2, 1, calls) == "0 1 0 1 0 1 2 3 2 3 2 3");
    BOOST_TEST(interleave(2, 2, calls) == "0 0 1 1 0 1 2 2 3 3 2 3");
    BOOST_TEST(interleave(9, 3, calls) == "0 0 0 1 1 1 2 2 2 3 3 3");
  }
  BOOST_TEST(interleave(1, 1, {number(1)}) == "0 0 0 1 1 1 2 2 2 3 3 3");
  BOOST_TEST(interleave(0, 1) == "InvalidArgument: cycle_length must be greater than zero.");
  BOOST_TEST(interleave(1, 0) == "InvalidArgument: block_length must be greater than zero.");
  BOOST_TEST(starts_with(interleave(2, 1, {number(3)}), "InvalidArgument: num_parallel_calls"));
}

// The numbers are those of TensorFlow 1.15.
BOOST_AUTO_TEST_CASE(shuffles_that_a_function_makes_have_the_seeds_of_their_places) {
  auto shuffled = function("shuffled", [](const Builder& f, const Values&) {
    auto four = f.constant<int64_t>(4), zero = f.constant<int64_t>(0);
    auto numbers = f.op("RangeDataset", {zero, four, f.constant<int64_t>(1)}, elements());
    return Values{f.op(
        "ShuffleDataset", {numbers, four, f.constant<int64_t>(7), f.constant<int64_t>(11)},
        elements())};
  });
  auto three = Values{number(2), number(1)};
  auto interleaved = mapped("InterleaveDataset", {range(3)}, shuffled, three);
  BOOST_TEST(numbers(interleaved) == "2 2 1 1 0 0 3 3 2 1 0 3");
  auto flat = repeat(mapped("FlatMapDataset", {range(2)}, shuffled), 2);
  BOOST_TEST(numbers(flat) == "2 1 0 3 2 1 0 3 2 1 0 3 2 1 0 3");
}

BOOST_AUTO_TEST_CASE(an_error_takes_a_turn_where_datasets_are_read_in_parallel) {
  auto input = mapped("MapDataset", {range(4)}, quotient);
  auto interleave = [&](int64_t cycle) {
    return numbers(mapped(
        "ParallelInterleaveDatasetV2", {input}, thrice, {number(cycle), number(1), number(1)}));
  };
  const std::string error = "InvalidArgument: integer division by zero | ";
  BOOST_TEST(interleave(2) == "-12 " + error + "-12 -12 12 12 6 12 6 6");
  BOOST_TEST(interleave(1) == "-12 -12 -12 " + error + "12 12 12 6 6 6");
}

BOOST_AUTO_TEST_CASE(an_older_interleave_says_how_many_elements_are_ahead) {
  auto interleave = [&](const char* op, bool sloppy, int64_t ahead, int64_t inputs_ahead) {
    return numbers(mapped(
        op, {range(3)}, thrice,
        {number(2), number(2), flag(sloppy), number(ahead), number(inputs_ahead)}));
  };
  for (const auto* op : {"ParallelInterleaveDataset", "ExperimentalParallelInterleaveDataset"})
    for (int64_t ahead : {1, 9}) BOOST_TEST(interleave(op, false, ahead, 0) == "0 0 1 1 0 1 2 2 2");
  auto unordered = interleave("ParallelInterleaveDataset", true, 1, 2);
  std::ranges::sort(unordered);
  BOOST_TEST(unordered == "        000111222");
  BOOST_TEST(
      interleave("ParallelInterleaveDataset", true, 0, 2) ==
      "InvalidArgument: `buffer_output_elements` must be > 0");
  BOOST_TEST(
      interleave("ParallelInterleaveDataset", true, 1, -1) ==
      "InvalidArgument: `prefetch_input_elements` must be >= 0");
}

BOOST_AUTO_TEST_CASE(a_reduction_calls_the_function_with_the_state_and_each_element) {
  auto add = function(
      "add", [](const Builder&, const Values& in) { return Values{in[0] + in[1]}; },
      /*arguments=*/2);
  auto reduce = [&](const Value& input, const FunctionRef& f) {
    Attrs attrs = elements();
    attrs.insert({{"f", f}, {"Tstate", DTypes{DType::int64}}, {"Targuments", DTypes()}});
    auto state = b.op("ReduceDataset", {input, number(100)}, attrs);
    return show(runner.run(b, {}, {state}));
  };
  BOOST_TEST(reduce(range(5), add) == "int64[] [110]");
  BOOST_TEST(reduce(range(0), add) == "int64[] [100]");
  BOOST_TEST(
      reduce(mapped("MapDataset", {range(4)}, quotient), add) ==
      "InvalidArgument: integer division by zero");
  BOOST_TEST(starts_with(reduce(range(5), square), "InvalidArgument: function 'square' takes"));
}

BOOST_AUTO_TEST_CASE(a_dataset_of_one_element_is_that_element) {
  auto single = [&](const Value& input) {
    return show(runner.run(b, {}, {b.op("DatasetToSingleElement", {input}, elements())}));
  };
  BOOST_TEST(single(range(1)) == "int64[] [0]");
  BOOST_TEST(single(range(0)) == "InvalidArgument: Dataset was empty.");
  BOOST_TEST(single(range(2)) == "InvalidArgument: Dataset had more than one element.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
