#include "troupe/devices/cpu/vector/transpose/transpose_small.hpp"

#include <vector>

#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

template <class T>
void check_small_transpose(int64_t rows, int64_t columns) {
  const auto in_stride = columns + 3, out_stride = rows + 5;
  std::vector<T> in(static_cast<size_t>(rows * in_stride));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(1 + i * 7919 % 250);
  std::vector<T> out(static_cast<size_t>(columns * out_stride));
  cpu::vector::small_transpose_loop(sizeof(T))(
      {.out = out.data(),
       .out_stride = out_stride,
       .in = in.data(),
       .in_stride = in_stride,
       .rows = rows,
       .columns = columns});
  int64_t wrong = 0;
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < out_stride; ++r)
      wrong += out[static_cast<size_t>(c * out_stride + r)] !=
               (r < rows ? in[static_cast<size_t>(r * in_stride + c)] : T(0));
  BOOST_TEST(wrong == 0, rows << " x " << columns << ": " << wrong << " wrong");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(small_transposes)

BOOST_AUTO_TEST_CASE(small_cells_are_transposed_in_blocks_and_around_them) {
  with_each_target([] {
    for (int64_t rows : {1, 8, 15, 16, 33, 64})
      for (int64_t columns : {1, 7, 16, 17, 48}) {
        check_small_transpose<uint8_t>(rows, columns);
        check_small_transpose<uint16_t>(rows, columns);
      }
  });
  BOOST_TEST(!cpu::vector::small_transpose_loop(4));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
