#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {
namespace {

struct WindowsFixture : DatasetFixture {
  struct Plan {
    int64_t size;
    int64_t shift = 1;
    int64_t stride = 1;
    bool drops_remainder = false;
  };

  static Attrs datasets() { return elements(DType::variant, Shape()); }
  static Attrs rows() { return elements(DType::int64, {Shape::unknown}); }

  Value windows(const Value& input, const Plan& plan) const {
    return dataset(
        "WindowDataset",
        {input, number(plan.size), number(plan.shift), number(plan.stride),
         flag(plan.drops_remainder)},
        {}, datasets());
  }
  /// Of each window a batch of all its elements.
  Value batches(const Value& windows) const {
    auto f = b.function(
        "batch", {{"", DType::variant, Shape()}}, [](const Builder& f, const Values& in) {
          return Values{f.op("BatchDataset", {in[0], f.constant<int64_t>(100)}, rows())};
        });
    return dataset("FlatMapDataset", {windows}, {{"f", f}, {"Targuments", DTypes()}}, rows());
  }
  /// "[0 1] [2 3] [4]"
  std::string show_windows(const Value& input, const Plan& plan, int most = 64) {
    auto text = all(batches(windows(input, plan)), rows(), most);
    for (size_t at; (at = text.find("int64[")) != std::string::npos;)
      text.erase(at, text.find(' ', at) + 1 - at);
    for (size_t at; (at = text.find(" | ")) != std::string::npos;) text.replace(at, 3, " ");
    return text;
  }
  /// 12 / (x - bad) for each x: an error for one of them.
  Value numbers_but(const Value& input, int64_t bad) const {
    auto f = function("divide", [bad](const Builder& f, const Values& in) {
      return Values{f.op("FloorDiv", {f.constant<int64_t>(12), in[0] - f.constant<int64_t>(bad)})};
    });
    return mapped("MapDataset", {input}, f);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dataset_windows, WindowsFixture)

BOOST_AUTO_TEST_CASE(a_window_begins_so_many_elements_behind_the_one_before) {
  BOOST_TEST(show_windows(range(7), {.size = 2, .shift = 2}) == "[0 1] [2 3] [4 5] [6]");
  BOOST_TEST(
      show_windows(range(5), {.size = 3, .shift = 1}) == "[0 1 2] [1 2 3] [2 3 4] [3 4] [4]");
  BOOST_TEST(show_windows(range(7), {.size = 1, .shift = 3}) == "[0] [3] [6]");
  BOOST_TEST(show_windows(range(0), {.size = 2}) == "");
}

BOOST_AUTO_TEST_CASE(windows_that_are_not_full_may_be_dropped) {
  Plan plan{.size = 3, .shift = 2, .stride = 1, .drops_remainder = true};
  BOOST_TEST(show_windows(range(7), plan) == "[0 1 2] [2 3 4] [4 5 6]");
  BOOST_TEST(show_windows(range(6), plan) == "[0 1 2] [2 3 4]");
  BOOST_TEST(show_windows(range(2), plan) == "");
}

BOOST_AUTO_TEST_CASE(the_elements_of_a_window_are_a_stride_apart) {
  Plan plan{.size = 3, .shift = 1, .stride = 2, .drops_remainder = true};
  BOOST_TEST(show_windows(range(7), plan) == "[0 2 4] [1 3 5] [2 4 6]");
  plan = {.size = 2, .shift = 5, .stride = 3};
  BOOST_TEST(show_windows(range(12), plan) == "[0 3] [5 8] [10]");
}

BOOST_AUTO_TEST_CASE(a_window_of_more_elements_than_there_can_be_takes_all) {
  constexpr auto most = std::numeric_limits<int64_t>::max();
  Plan plan{.size = most, .shift = most, .stride = most};
  BOOST_TEST(show_windows(range(3), plan) == "[0]");
  plan.stride = 1;
  BOOST_TEST(show_windows(range(3), plan) == "[0 1 2]");
}

BOOST_AUTO_TEST_CASE(each_component_has_a_window_of_its_own) {
  Attrs both{
      {"output_types", DTypes{DType::int64, DType::float32}},
      {"output_shapes", Shapes{Shape(), Shape()}}};
  Attrs two_windows{
      {"output_types", DTypes{DType::variant, DType::variant}},
      {"output_shapes", Shapes{Shape(), Shape()}}};
  auto zip = dataset("ZipDataset", {range(3), slices(vec({7, 8, 9}), Shape())}, {}, both);
  Values inputs{zip, number(2), number(2), number(1), flag(false)};
  auto it = iterator(dataset("WindowDataset", inputs, {}, two_windows), two_windows);
  Attrs floats = elements(DType::float32, {Shape::unknown});
  auto windows_of_both = b.op("IteratorGetNext", {it.handle}, two_windows);
  auto first = b.op("BatchDataset", {windows_of_both.output(0), number(9)}, rows());
  auto second = b.op("BatchDataset", {windows_of_both.output(1), number(9)}, floats);
  Values batches{
      b.op("DatasetToSingleElement", {first}, rows()),
      b.op("DatasetToSingleElement", {second}, floats)};
  BOOST_TEST(begin(it) == "");
  auto next = [&] { return show(runner.run(b, {}, {batches[0], batches[1]})); };
  BOOST_TEST(next() == "int64[2] [0 1]; float32[2] [7 8]");
  BOOST_TEST(next() == "int64[1] [2]; float32[1] [9]");
  BOOST_TEST(
      all(dataset("WindowDataset", inputs, {}, datasets()), datasets()) ==
      "InvalidArgument: Number of components does not match: expected 1 types but got 2.");
}

BOOST_AUTO_TEST_CASE(an_error_belongs_to_the_windows_that_its_element_is_in) {
  auto input = numbers_but(range(6), 2);  // -6 -12 error 12 6 4
  const std::string error = "InvalidArgument: integer division by zero";
  BOOST_TEST(
      show_windows(input, {.size = 2, .shift = 1, .stride = 1, .drops_remainder = true}) ==
      "[-6 -12] " + error + " " + error + " [12 6] [6 4]");
  BOOST_TEST(
      show_windows(input, {.size = 2, .shift = 2, .stride = 3}) == "[-6 12] " + error + " [6]");
  BOOST_TEST(show_windows(input, {.size = 2, .shift = 3, .stride = 1}) == "[-6 -12] [12 6]");
}

BOOST_AUTO_TEST_CASE(an_input_that_stays_where_it_failed_does_not_fill_a_window_for_ever) {
  auto missing = b.op("TextLineDataset", {text("/no/such/file"), text(""), number(0)});
  Plan plan{.size = int64_t{1} << 40, .shift = 1};
  auto it = iterator(windows(missing, plan), datasets());
  BOOST_TEST(begin(it) == "");
  auto node =
      b.op("OptionalHasValue", {b.op("IteratorGetNextAsOptional", {it.handle}, datasets())});
  BOOST_TEST(starts_with(show(runner.run(b, {}, {node})), "NotFound: "));
}

BOOST_AUTO_TEST_CASE(a_window_needs_positive_numbers) {
  auto error = [&](const Plan& plan) { return show_windows(range(3), plan); };
  BOOST_TEST(error({.size = 0}) == "InvalidArgument: Window size must be greater than zero.");
  BOOST_TEST(
      error({.size = 1, .shift = -1}) ==
      "InvalidArgument: Window shift must be greater than zero.");
  BOOST_TEST(
      error({.size = 1, .shift = 1, .stride = 0}) ==
      "InvalidArgument: Window stride must be greater than zero.");
}

BOOST_AUTO_TEST_CASE(a_window_can_be_read_more_than_once) {
  auto f =
      b.function("twice", {{"", DType::variant, Shape()}}, [](const Builder& f, const Values& in) {
        return Values{f.op("RepeatDataset", {in[0], f.constant<int64_t>(2)}, elements())};
      });
  auto input = windows(range(3), {.size = 2, .shift = 2});
  auto twice = dataset("FlatMapDataset", {input}, {{"f", f}, {"Targuments", DTypes()}});
  BOOST_TEST(numbers(twice) == "0 1 0 1 2 2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
