#include <algorithm>
#include <numeric>

#include "troupe/devices/cuda/reduction/extremes.hpp"
#include "troupe/devices/cuda/reduction/fold_geometry.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(cuda_folds)

/// Folds as the kernels do: parts, each by threads that take every so many elements, then the
/// parts' results.
template <class Fold, class T>
std::vector<cuda::Wide<T>> fold(const T* from, const cuda::FoldGeometry& geometry, int threads) {
  using A = cuda::Wide<T>;
  std::vector<A> results;
  for (int64_t part = 0; part < geometry.parts; ++part)
    for (int64_t out = 0; out < geometry.outs(); ++out) {
      auto folded = Fold::template none<A>();
      for (int thread = 0; thread < threads; ++thread)
        folded = Fold::join(
            folded, cuda::fold_share<Fold, A>(from, geometry, out, part, thread, threads));
      results.push_back(folded);
    }
  if (geometry.parts == 1) return results;
  return fold<cuda::FoldSum, A>(results.data(), geometry.of_parts(), 8);
}

/// Checks sums, of whole numbers so that their order does not matter, against a CPU's.
void check_sum(const Shape& shape, std::vector<int32_t> axes, int64_t parts_min = 1) {
  std::vector<double> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 7919) % 1009);
  auto tensor = Tensor::of<double>(shape, std::span<const double>(values));
  auto on_cpu = run_op(
      "Sum", {tensor, Tensor::of<int32_t>(
                          {static_cast<int64_t>(axes.size())}, std::span<const int32_t>(axes))});
  BOOST_REQUIRE(on_cpu.ok());
  bool is_folded[Shape::max_rank]{};
  for (auto axis : axes) is_folded[axis] = true;
  auto geometry = cuda::FoldGeometry::of(shape.rank(), shape.sizes(), is_folded);
  BOOST_TEST(geometry.parts >= parts_min);
  BOOST_TEST(geometry.outs() == (*on_cpu)[0].elements());
  auto sums = fold<cuda::FoldSum>(values.data(), geometry, 32);
  for (size_t i = 0; i < sums.size(); ++i)
    BOOST_REQUIRE_EQUAL(sums[i], (*on_cpu)[0].data<double>()[i]);
}

BOOST_AUTO_TEST_CASE(each_element_is_folded_once_onto_its_place) {
  check_sum({5, 7}, {1});
  check_sum({5, 7}, {0});
  check_sum({5, 7}, {0, 1});
  check_sum({5, 7}, {});
  check_sum({3, 4, 5, 6}, {0, 2});
  check_sum({3, 4, 5, 6}, {1, 3});
  check_sum({3, 1, 5}, {1});
  check_sum({0, 4}, {0});
  check_sum({4, 0}, {0});
  check_sum({}, {});
}

BOOST_AUTO_TEST_CASE(long_folds_are_made_in_parts) {
  check_sum({300000}, {0}, 2);
  check_sum({30000, 10}, {0}, 2);
  check_sum({2, 30000, 3}, {1}, 2);
  check_sum({4, 65537}, {1}, 2);
}

BOOST_AUTO_TEST_CASE(many_results_need_no_parts) {
  const int64_t sizes[] = {1 << 20, 64};
  const bool is_folded[] = {false, true};
  BOOST_TEST(cuda::FoldGeometry::of(2, sizes, is_folded).parts == 1);
}

BOOST_AUTO_TEST_CASE(nothing_folds_to_what_a_cpu_says) {
  for (auto dtype : {DType::float32, DType::float64, DType::int32, DType::int64})
    visit(dtype, [](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        auto none = Tensor::of<T>({0}, {});
        auto axes = vec<int32_t>({0});
        auto of_cpu = [&](const char* op) { return (*run_op(op, {none, axes}))[0]; };
        BOOST_TEST(of_cpu("Sum").template value<T>() == cuda::FoldSum::none<T>());
        BOOST_TEST(of_cpu("Prod").template value<T>() == cuda::FoldProduct::none<T>());
        BOOST_TEST(of_cpu("Max").template value<T>() == cuda::FoldMaximum::none<T>());
        BOOST_TEST(of_cpu("Min").template value<T>() == cuda::FoldMinimum::none<T>());
      }
    });
}

BOOST_AUTO_TEST_CASE(nan_wins_over_all_extremes) {
  auto bad = static_cast<float>(nan);
  for (auto pair : {std::pair(bad, 1.0f), std::pair(1.0f, bad)}) {
    auto greatest = cuda::FoldMaximum::join(pair.first, pair.second);
    auto least = cuda::FoldMinimum::join(pair.first, pair.second);
    BOOST_TEST(greatest != greatest);
    BOOST_TEST(least != least);
  }
}

BOOST_AUTO_TEST_CASE(means_of_integers_are_rounded_towards_0) {
  using cuda::Finish;
  BOOST_TEST(cuda::finish_fold(-7, Finish::divide, 2) == -3);
  BOOST_TEST(cuda::finish_fold(0, Finish::divide, 0) == 0);
  BOOST_TEST(cuda::finish_fold(9.0, Finish::root, 0) == 3.0);
  auto none = cuda::finish_fold(0.0, Finish::divide, 0);
  BOOST_TEST(none != none);
}

/// The places of extremes as lanes find them together.
void check_extremes(const Tensor& tensor, int axis, int lanes) {
  const auto& shape = tensor.shape();
  cuda::LineGeometry lines{1, shape[axis], 1};
  for (int i = 0; i < shape.rank(); ++i)
    if (i != axis) (i < axis ? lines.outer : lines.inner) *= shape[i];
  for (bool is_least : {false, true}) {
    auto on_cpu = run_op(is_least ? "ArgMin" : "ArgMax", {tensor, Tensor::scalar<int32_t>(axis)});
    BOOST_REQUIRE(on_cpu.ok());
    for (int64_t line = 0; line < lines.count(); ++line) {
      auto find = [&](int lane) {
        return cuda::find_extreme_of_share<float>(
            tensor.data<float>(), lines, line, lane, lanes, is_least);
      };
      auto best = find(0);
      for (int lane = 1; lane < lanes; ++lane)
        best = cuda::better_extreme(best, find(lane), is_least);
      BOOST_REQUIRE_EQUAL(best.place, (*on_cpu)[0].data<int64_t>()[line]);
    }
  }
}

BOOST_AUTO_TEST_CASE(lanes_find_the_first_of_the_extremes_together) {
  for (int lanes : {1, 4, 32}) {
    check_extremes(varied<float>({3, 50, 4}), 1, lanes);
    check_extremes(varied<float>({3, 50, 4}), 2, lanes);
    auto bad = static_cast<float>(nan);
    check_extremes(vec({bad, 2, 7, 7, bad, 1, 1, 2}), 0, lanes);
    check_extremes(vec({2, 5}, {bad, bad, bad, bad, bad, 3, 3, 3, 3, 3}), 1, lanes);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
