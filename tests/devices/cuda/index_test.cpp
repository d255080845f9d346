#include <array>
#include <set>

#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cuda/index/greater_elements.hpp"
#include "troupe/devices/cuda/index/matrices.hpp"
#include "troupe/devices/cuda/index/rows.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

using cuda::StridedWalk;

BOOST_AUTO_TEST_SUITE(cuda_index)

BOOST_AUTO_TEST_CASE(a_divider_divides_as_division_does) {
  std::vector<int64_t> divisors = {1,          2,         3,       5,         7,
                                   10,         31,        32,      33,        641,
                                   65535,      65536,     1000003, (1 << 30), (1 << 30) + 1,
                                   0x7ffffffe, 0x7fffffff};
  std::vector<int64_t> numbers = {0, 1, 2, 1000, 0x7ffffffe, 0x7fffffff};
  for (int64_t i = 0; i < 2000; ++i) numbers.push_back((i * 48271 * 48271) & 0x7fffffff);
  for (auto divisor : divisors) {
    cuda::Divider divider(divisor);
    for (auto number : numbers)
      for (auto near : {number, number / divisor * divisor, number / divisor * divisor - 1}) {
        if (near < 0) continue;
        BOOST_REQUIRE_EQUAL(divider.divide(near, true), near / divisor);
        BOOST_REQUIRE_EQUAL(divider.divide(near, false), near / divisor);
      }
  }
  cuda::Divider large(int64_t{1} << 40);
  BOOST_TEST(large.divide((int64_t{3} << 40) + 5, false) == 3);
}

/// The offsets of all elements, by a walk and by the loop nest of CPUs.
template <int N>
void check_walk(const std::vector<std::pair<int64_t, std::array<int64_t, N>>>& axes) {
  StridedWalk<N> walk;
  cpu::LoopNest<N> nest;
  for (const auto& [size, strides] : axes) {
    typename StridedWalk<N>::Offsets by;
    for (size_t i = 0; i < N; ++i) by.at[i] = strides[i];
    walk.add_axis(size, by);
    nest.add_axis(size, strides);
  }
  BOOST_TEST(walk.elements == nest.elements());
  if (walk.elements > 0) BOOST_TEST(walk.rank == nest.rank());
  nest.each_row(0, nest.rows(), [&](int64_t row, const auto& offsets) {
    for (int64_t i = 0; i < nest.row_size(); ++i) {
      auto found = walk.offsets(row * nest.row_size() + i);
      for (size_t k = 0; k < N; ++k)
        BOOST_REQUIRE_EQUAL(found.at[k], offsets[k] + i * nest.row_strides()[k]);
    }
  });
}

BOOST_AUTO_TEST_CASE(a_walk_leads_where_a_loop_nest_of_a_cpu_does) {
  check_walk<2>({});
  check_walk<2>({{7, {1, 1}}});
  check_walk<2>({{4, {1, 0}}, {3, {4, 1}}, {5, {12, 0}}});
  check_walk<2>({{4, {1, 1}}, {3, {4, 4}}, {1, {9, 9}}, {2, {100, 12}}});
  check_walk<3>({{2, {1, 0, 1}}, {3, {2, 1, 0}}, {4, {6, 3, 2}}, {5, {24, 0, 8}}});
  check_walk<1>({{6, {-1}}, {3, {6}}});
  check_walk<1>({{0, {1}}, {3, {0}}});
}

BOOST_AUTO_TEST_CASE(axes_that_are_crossed_in_one_stride_are_one) {
  StridedWalk<2> walk;
  walk.add_axis(4, {{1, 1}});
  walk.add_axis(3, {{4, 4}});
  walk.add_axis(5, {{12, 12}});
  BOOST_TEST(walk.rank == 1);
  BOOST_TEST(walk.sizes[0].divisor() == 60);
}

BOOST_AUTO_TEST_CASE(a_walk_in_steps_of_neighbours_leads_to_the_same_elements) {
  for (int64_t row : {8, 12, 6, 7})
    for (int64_t gap : {0, 4, 2, 3})
      for (auto is_first : {true, false}) {
        StridedWalk<2> walk;
        walk.add_axis(row, {{1, 1}});
        walk.add_axis(5, {{is_first ? row + gap : row, is_first ? row : row + gap}});
        auto joined = cuda::joined_elements(walk, 4);
        if (row == 8 && gap == 4) BOOST_TEST(joined == 4);
        if (row == 8 && gap == 2) BOOST_TEST(joined == 2);
        auto few = cuda::walk_joined(walk, joined);
        BOOST_TEST(few.elements * joined == walk.elements);
        for (int64_t i = 0; i < few.elements; ++i)
          for (size_t k = 0; k < 2; ++k)
            BOOST_REQUIRE_EQUAL(few.offsets(i).at[k] * joined, walk.offsets(i * joined).at[k]);
      }
  StridedWalk<2> repeated;
  repeated.add_axis(8, {{1, 0}});
  BOOST_TEST(cuda::joined_elements(repeated, 4) == 1);
}

BOOST_AUTO_TEST_CASE(tiles_have_each_element_of_all_matrices_once) {
  cuda::Matrices matrices{.count = 3, .rows = 70, .columns = 33};
  std::set<std::array<int64_t, 3>> seen;
  for (int64_t i = 0; i < matrices.tiles(); ++i) {
    auto tile = matrices.tile_at(i);
    for (int64_t row = tile.row; row < std::min(tile.row + 32, matrices.rows); ++row)
      for (int64_t column = tile.column; column < std::min(tile.column + 32, matrices.columns);
           ++column)
        BOOST_REQUIRE(seen.insert({tile.matrix, row, column}).second);
  }
  BOOST_TEST(seen.size() == 3u * 70 * 33);
}

/// What a gather of those rows gives; -1 where an index names none.
Tensor gather(const Tensor& params, const Tensor& indices, const cuda::GatheredRows& rows) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows.elements(); ++i) {
    auto source = rows.source_of(i, indices.data<int32_t>()[rows.index_of(i)]);
    values.push_back(source < 0 ? -1 : params.data<float>()[source]);
  }
  return Tensor::of<float>({rows.elements()}, std::span<const float>(values));
}

BOOST_AUTO_TEST_CASE(gathered_rows_are_those_that_a_cpu_gathers) {
  auto params = varied<float>({2, 3, 4, 5});
  auto indices = vec<int32_t>({2, 2}, {3, 0, 1, 2});
  for (int64_t batch : {0, 1}) {
    auto on_cpu =
        run_op("GatherV2", {params, indices, Tensor::scalar<int32_t>(2)}, {{"batch_dims", batch}});
    BOOST_REQUIRE(on_cpu.ok());
    cuda::GatheredRows rows = {
        .batches = batch == 0 ? 1 : 2,
        .between = batch == 0 ? 6 : 3,
        .each = batch == 0 ? 4 : 2,
        .middle = 4,
        .inner = 5};
    BOOST_TEST(rows.elements() == (*on_cpu)[0].elements());
    BOOST_TEST(equal(gather(params, indices, rows), (*on_cpu)[0].reshaped({rows.elements()})));
  }
}

BOOST_AUTO_TEST_CASE(an_index_out_of_range_names_no_row_and_no_slice) {
  cuda::GatheredRows rows = {.batches = 1, .between = 1, .each = 3, .middle = 2, .inner = 1};
  auto found = gather(vec({5, 6}), vec<int32_t>({1, 2, -1}), rows);
  BOOST_TEST(equal(found, vec({6, -1, -1})));
  cuda::NamedSlices slices = {.count = 3, .size = 1, .depth = 2, .sizes = {2, 3}};
  const int64_t indices[] = {1, 2, 0, 3, -1, 0};
  BOOST_TEST(slices.position(indices, 0) == 5);
  BOOST_TEST(slices.position(indices, 1) == -1);
  BOOST_TEST(slices.position(indices, 2) == -1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
