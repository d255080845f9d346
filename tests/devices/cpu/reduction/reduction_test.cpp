#include <algorithm>
#include <limits>
#include <numeric>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(reduction)

std::string over(
    const char* op, const Tensor& x, std::initializer_list<int32_t> axes, bool keep_dims = false) {
  return show(op, {x, vec<int32_t>(axes)}, {{"keep_dims", keep_dims}});
}

const auto matrix = vec({2, 3}, {1, 5, 3, 4, 2, 6});

BOOST_AUTO_TEST_CASE(elements_are_folded_over_the_given_axes) {
  BOOST_TEST(over("Sum", matrix, {0}) == "float32[3] [5 7 9]");
  BOOST_TEST(over("Sum", matrix, {1}) == "float32[2] [9 12]");
  BOOST_TEST(over("Sum", matrix, {0, 1}) == "float32[] [21]");
  BOOST_TEST(over("Sum", matrix, {}) == "float32[2,3] [1 5 3 4 2 6]");
  BOOST_TEST(over("Mean", matrix, {1}) == "float32[2] [3 4]");
  BOOST_TEST(over("Max", matrix, {0}) == "float32[3] [4 5 6]");
  BOOST_TEST(over("Min", matrix, {1}) == "float32[2] [1 2]");
  BOOST_TEST(over("Prod", matrix, {1}) == "float32[2] [15 48]");
  BOOST_TEST(over("Mean", vec<int32_t>({1, 2, 4}), {0}) == "int32[] [2]");
  BOOST_TEST(over("Mean", vec<int32_t>({-1, -2, -4}), {0}) == "int32[] [-2]");
  BOOST_TEST(over("Sum", vec<complex64>({{1, 2}, {3, 4}}), {0}) == "complex64[] [(4,6)]");
}

BOOST_AUTO_TEST_CASE(inner_and_outer_axes_of_a_cube_can_be_folded_alone) {
  auto cube = vec<int32_t>({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  BOOST_TEST(over("Sum", cube, {1}) == "int32[2,3] [5 7 9 17 19 21]");
  BOOST_TEST(over("Sum", cube, {0, 2}) == "int32[2] [30 48]");
  BOOST_TEST(over("Sum", cube, {2, 0}) == "int32[2] [30 48]");
  BOOST_TEST(over("Sum", cube, {0, 1}) == "int32[3] [22 26 30]");
  BOOST_TEST(over("Sum", cube, {1, 2}) == "int32[2] [21 57]");
}

BOOST_AUTO_TEST_CASE(axes_may_count_from_the_end_and_be_kept) {
  BOOST_TEST(over("Sum", matrix, {-1}) == "float32[2] [9 12]");
  BOOST_TEST(over("Sum", matrix, {-2}, /*keep_dims=*/true) == "float32[1,3] [5 7 9]");
  BOOST_TEST(over("Max", matrix, {0, 1}, /*keep_dims=*/true) == "float32[1,1] [6]");
  BOOST_TEST(over("Sum", vec({1, 2, 1}, {3, 4}), {0, 2}) == "float32[2] [3 4]");
  BOOST_TEST(show("Sum", {matrix, Tensor::scalar<int64_t>(1)}) == "float32[2] [9 12]");
}

BOOST_AUTO_TEST_CASE(axes_must_exist_and_may_come_twice) {
  BOOST_TEST(starts_with(over("Sum", matrix, {2}), "InvalidArgument"));
  BOOST_TEST(starts_with(over("Sum", matrix, {-3}), "InvalidArgument"));
  BOOST_TEST(over("Sum", matrix, {0, -2}) == over("Sum", matrix, {0}));
}

BOOST_AUTO_TEST_CASE(nothing_folds_to_what_changes_nothing) {
  auto none = Tensor::of<float>({0, 2}, {});
  BOOST_TEST(over("Sum", none, {0}) == "float32[2] [0 0]");
  BOOST_TEST(over("Prod", none, {0}) == "float32[2] [1 1]");
  BOOST_TEST(over("Max", none, {0}) == "float32[2] [-inf -inf]");
  BOOST_TEST(over("Min", none, {0}) == "float32[2] [inf inf]");
  BOOST_TEST(over("Mean", none, {0}) == "float32[2] [nan nan]");
  BOOST_TEST(over("Mean", Tensor::of<int32_t>({0}, {}), {0}) == "int32[] [0]");
  BOOST_TEST(over("Max", Tensor::of<int8_t>({0}, {}), {0}) == "int8[] [-128]");
  BOOST_TEST(over("Sum", none, {1}) == "float32[0] []");
}

BOOST_AUTO_TEST_CASE(extremes_pass_nan_on) {
  auto x = vec<double>({2, 2}, {nan, 1, 2, nan});
  BOOST_TEST(over("Max", x, {1}) == "float64[2] [nan nan]");
  BOOST_TEST(over("Min", x, {0}) == "float64[2] [nan nan]");
}

BOOST_AUTO_TEST_CASE(bools_are_true_all_or_any) {
  auto x = vec<bool>({2, 2}, {true, false, true, true});
  BOOST_TEST(over("All", x, {1}) == "bool[2] [0 1]");
  BOOST_TEST(over("Any", x, {1}) == "bool[2] [1 1]");
  BOOST_TEST(over("All", x, {0, 1}) == "bool[] [0]");
  BOOST_TEST(over("All", Tensor::of<bool>({0}, {}), {0}) == "bool[] [1]");
  BOOST_TEST(over("Any", Tensor::of<bool>({0}, {}), {0}) == "bool[] [0]");
}

BOOST_AUTO_TEST_CASE(short_floats_are_summed_without_losing_small_ones) {
  std::vector<float16> ones(4096, float16(1));
  auto sum = run_op(
      "Sum", {Tensor::of<float16>({4096}, std::span<const float16>(ones)), vec<int32_t>({0})});
  BOOST_TEST(show(sum) == "float16[] [4096]");
}

BOOST_AUTO_TEST_CASE(large_tensors_are_folded_in_parts_with_the_same_result) {
  constexpr int64_t rows = 900, columns = 400;
  std::vector<int64_t> values, row_sums(rows), column_sums(columns);
  int64_t total = 0;
  for (int64_t i = 0; i < rows * columns; ++i) {
    values.push_back(i * 7 % 1001);
    row_sums[i / columns] += values.back();
    column_sums[i % columns] += values.back();
    total += values.back();
  }
  auto x = Tensor::of<int64_t>({rows, columns}, std::span<const int64_t>(values));
  auto sum = [&](std::initializer_list<int32_t> axes) {
    return (*run_op("Sum", {x, vec<int32_t>(axes)}))[0];
  };
  BOOST_TEST(equal(sum({1}), Tensor::of<int64_t>({rows}, std::span<const int64_t>(row_sums))));
  BOOST_TEST(
      equal(sum({0}), Tensor::of<int64_t>({columns}, std::span<const int64_t>(column_sums))));
  BOOST_TEST(sum({0, 1}).value<int64_t>() == total);
}

BOOST_AUTO_TEST_CASE(the_first_of_the_greatest_is_found) {
  auto arg_max = [](const Tensor& x, int32_t axis, DType type = DType::int64) {
    return show("ArgMax", {x, Tensor::scalar(axis)}, {{"output_type", type}});
  };
  BOOST_TEST(arg_max(matrix, 1) == "int64[2] [1 2]");
  BOOST_TEST(arg_max(matrix, 0) == "int64[3] [1 0 1]");
  BOOST_TEST(arg_max(matrix, -1, DType::int32) == "int32[2] [1 2]");
  BOOST_TEST(arg_max(vec({3, 7, 7}), 0) == "int64[] [1]");
  BOOST_TEST(arg_max(vec<double>({nan, 1, 2}), 0) == "int64[] [2]");
  BOOST_TEST(arg_max(vec<uint8_t>({0, 0}), 0) == "int64[] [0]");
  BOOST_TEST(starts_with(arg_max(matrix, 2), "InvalidArgument"));
  BOOST_TEST(starts_with(arg_max(Tensor::of<float>({2, 0}, {}), 1), "InvalidArgument"));
}

/// Sums of the rows of each segment, one after the other.
std::vector<float> sums_of_rows(const Tensor& x, const std::vector<int32_t>& ids, int64_t count) {
  const auto columns = x.shape()[1];
  std::vector<float> sums(static_cast<size_t>(count * columns));
  for (size_t row = 0; row < ids.size(); ++row)
    for (int64_t i = 0; ids[row] >= 0 && i < columns; ++i)
      sums[static_cast<size_t>(ids[row] * columns + i)] +=
          x.data<float>()[static_cast<int64_t>(row) * columns + i];
  return sums;
}

BOOST_AUTO_TEST_CASE(segments_of_short_rows_are_those_of_single_elements) {
  std::vector<int32_t> ids;
  for (int32_t row = 0; row < 90; ++row) ids.push_back(row * row / 900);
  auto segments = Tensor::of<int32_t>({90}, std::span<const int32_t>(ids));
  for (int64_t size : {1, 2, 3, 4, 7, 16, 21, 40, 300}) {
    auto x = varied<float>({90, size});
    auto sums = run_op("SegmentSum", {x, segments}), most = run_op("SegmentMax", {x, segments});
    BOOST_REQUIRE(sums.ok());
    BOOST_REQUIRE(most.ok());
    auto count = ids.back() + 1;
    std::vector<double> sum(static_cast<size_t>(count * size));
    std::vector<float> greatest(sum.size(), -2.0F);
    for (int64_t i = 0; i < x.elements(); ++i) {
      auto to = static_cast<size_t>(ids[static_cast<size_t>(i / size)] * size + i % size);
      sum[to] += double(x.data<float>()[i]);
      greatest[to] = std::max(greatest[to], x.data<float>()[i]);
    }
    for (size_t i = 0; i < sum.size(); ++i) {
      if (greatest[i] == -2.0F) continue;  // a segment without rows
      BOOST_TEST(std::abs(double((*sums)[0].data<float>()[i]) - sum[i]) < 1e-4);
      BOOST_TEST((*most)[0].data<float>()[i] == greatest[i]);
    }
  }
}

BOOST_AUTO_TEST_CASE(many_values_are_counted_in_the_bins_of_few) {
  constexpr int64_t count = 300007;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(float(i % 10) + 0.5F);
  auto histogram = [&] {
    return run_op(
        "HistogramFixedWidth", {Tensor::of<float>({count}, std::span<const float>(values)),
                                vec({0, 10}), Tensor::scalar<int32_t>(10)});
  };
  BOOST_TEST(
      show(histogram()) ==
      "int32[10] [30001 30001 30001 30001 30001 30001 30001 30000 30000 30000]");
  values.back() = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(show(histogram()) == "InvalidArgument: a value is NaN, which is in no bin");
}

BOOST_AUTO_TEST_CASE(tiny_rows_in_any_order_are_folded_to_the_segments_of_their_ids) {
  constexpr int64_t rows = 200, count = 17;
  std::vector<int32_t> ids;  // 16 is nobody's, and negative ones are of no segment
  for (int32_t row = 0; row < rows; ++row) ids.push_back(row * 7 % 18 - 2);
  for (int64_t size : {1, 3, 7, 8, 20}) {
    const auto x = varied<float>({rows, size});
    std::vector<float> greatest(
        static_cast<size_t>(count * size), std::numeric_limits<float>::lowest());
    for (int64_t i = 0; i < x.elements(); ++i) {
      auto id = ids[static_cast<size_t>(i / size)];
      if (id < 0) continue;
      auto& to = greatest[static_cast<size_t>(id * size + i % size)];
      to = std::max(to, x.data<float>()[i]);
    }
    Tensors inputs{
        x, Tensor::of<int32_t>({rows}, std::span<const int32_t>(ids)),
        Tensor::scalar<int64_t>(count)};
    auto most = (*run_op("UnsortedSegmentMax", inputs))[0];
    auto sums = (*run_op("UnsortedSegmentSum", inputs))[0];
    BOOST_TEST(most.values<float>() == greatest, boost::test_tools::per_element());
    BOOST_TEST(
        sums.values<float>() == sums_of_rows(x, ids, count), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(rows_of_large_segments_are_summed) {
  constexpr int64_t rows = 3000, columns = 150, count = 40;
  const auto x = varied<float>({rows, columns});
  auto sums = [&](const char* op, auto id_of) {
    std::vector<int32_t> ids;
    for (int32_t row = 0; row < rows; ++row) ids.push_back(id_of(row));
    Tensors inputs{x, Tensor::of<int32_t>({rows}, std::span<const int32_t>(ids))};
    if (op == std::string("UnsortedSegmentSum")) inputs.push_back(Tensor::scalar<int64_t>(count));
    const auto out = (*run_op(op, inputs))[0];
    auto expected = sums_of_rows(x, ids, count);
    for (size_t i = 0; i < expected.size(); ++i)
      BOOST_TEST(std::abs(out.values<float>()[i] - expected[i]) < 1e-3);
  };
  sums("SegmentSum", [](int32_t row) { return row * 39 / 2999; });
  sums("SegmentSum", [](int32_t row) { return row < 2990 ? 7 : 39; });  // most rows in one
  sums("UnsortedSegmentSum", [](int32_t row) { return row * 7 % 42 - 2; });
  sums("UnsortedSegmentSum", [](int32_t row) { return row % 3 == 0 ? row % 40 : 5; });
}

BOOST_AUTO_TEST_CASE(short_rows_of_large_tensors_are_folded_alone) {
  const auto x = varied<float>({40000, 8});
  const auto sums = (*run_op("Sum", {x, vec<int32_t>({1})}))[0];
  for (int64_t row = 0; row < 40000; ++row) {
    float sum = 0;
    for (int64_t i = 0; i < 8; ++i) sum += x.data<float>()[row * 8 + i];
    BOOST_REQUIRE(sums.data<float>()[row] == sum);
  }
}

template <class T>
void test_extremes_in_long_rows() {
  for (int64_t size : {32, 33, 100, 1027}) {
    for (int64_t place : {int64_t{0}, size / 2, size - 1}) {
      std::vector<T> row(static_cast<size_t>(size), T(3));
      row[static_cast<size_t>(place)] = T(5);
      row.back() = T(5);
      if constexpr (std::is_floating_point_v<T>) row[1] = T(nan);
      auto expected = "int64[1] [" + std::to_string(place) + "]";
      auto found = [&](const char* op) {
        auto x = Tensor::of<T>({1, size}, std::span<const T>(row));
        return show(op, {x, Tensor::scalar<int32_t>(1)});
      };
      BOOST_TEST(found("ArgMax") == expected);
      for (auto& element : row) element = -element;
      BOOST_TEST(found("ArgMin") == expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_first_extreme_of_a_long_row_is_found) {
  test_extremes_in_long_rows<float>();
  test_extremes_in_long_rows<double>();
  test_extremes_in_long_rows<int32_t>();
  std::vector<float> row(100, float(-inf));
  row[0] = float(nan);
  auto x = Tensor::of<float>({1, 100}, std::span<const float>(row));
  BOOST_TEST(show("ArgMax", {x, Tensor::scalar<int32_t>(1)}) == "int64[1] [0]");
}

/// The places of a row's elements, the greatest first, at equal ones the first first, NaN last.
template <class T>
std::vector<int32_t> ranked_places(const T* row, int64_t size, int64_t k) {
  std::vector<int32_t> places(static_cast<size_t>(size));
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](auto x, auto y) {
    return row[x] > row[y] || (row[x] == row[x] && row[y] != row[y]);
  });
  places.resize(static_cast<size_t>(k));
  return places;
}

template <class T>
void test_top_of_long_rows() {
  constexpr int64_t rows = 3, size = 5000;
  std::vector<T> elements;
  for (int64_t i = 0; i < rows * size; ++i)
    elements.push_back(static_cast<T>((i * 7919) % 2003 - 1001));
  if constexpr (std::is_floating_point_v<T>) elements[77] = T(nan);
  auto x = Tensor::of<T>({rows, size}, std::span<const T>(elements));
  for (int32_t k : {1, 10, 700, 4999, 5000}) {
    auto top = *run_op("TopKV2", {x, Tensor::scalar<int32_t>(k)});
    for (int64_t row = 0; row < rows; ++row) {
      auto expected = ranked_places(elements.data() + row * size, size, k);
      std::span found(top[1].template data<int32_t>() + row * k, static_cast<size_t>(k));
      BOOST_TEST(found == expected, boost::test_tools::per_element());
      for (size_t i = 0; i < found.size(); ++i) {
        auto value = top[0].template data<T>()[row * k + static_cast<int64_t>(i)];
        auto own = elements[static_cast<size_t>(row * size + expected[i])];
        BOOST_REQUIRE((value == own || (value != value && own != own)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_greatest_of_long_rows_come_in_their_order) {
  test_top_of_long_rows<float>();
  test_top_of_long_rows<double>();
  test_top_of_long_rows<int32_t>();
  test_top_of_long_rows<int64_t>();
}

BOOST_AUTO_TEST_CASE(many_numbers_are_counted_in_parts) {
  constexpr int32_t count = 300001, size = 50;
  std::vector<int32_t> numbers, expected(size), weights, sums(size);
  for (int32_t i = 0; i < count; ++i) {
    numbers.push_back(i * 7 % 53);  // some of them beyond the bins
    weights.push_back(i % 11);
    if (numbers.back() >= size) continue;
    ++expected[static_cast<size_t>(numbers.back())];
    sums[static_cast<size_t>(numbers.back())] += weights.back();
  }
  auto counted = [&](std::span<const int32_t> weights) {
    const auto given = Tensor::of<int32_t>({static_cast<int64_t>(weights.size())}, weights);
    const auto x = Tensor::of<int32_t>({count}, std::span<const int32_t>(numbers));
    return (*run_op("Bincount", {x, Tensor::scalar(size), given}))[0];
  };
  const auto plain = counted({}), weighted = counted(weights);
  BOOST_TEST(plain.values<int32_t>() == expected, boost::test_tools::per_element());
  BOOST_TEST(weighted.values<int32_t>() == sums, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(segments_of_no_possible_shape_are_a_fault_of_the_ids) {
  for (const auto* op : {"SegmentSum", "SegmentMax", "SegmentMean", "SegmentProd"})
    BOOST_TEST(starts_with(
        show(
            op, {vec({1, 10, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
                 vec<int64_t>({int64_t{1676240524292489355}})}),
        "InvalidArgument: a tensor of so many elements cannot be"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
