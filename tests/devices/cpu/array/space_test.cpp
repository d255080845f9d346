#include <algorithm>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// Height and width cut into blocks of 3 x 2, of one image after the other with paddings.
struct Blocks {
  static constexpr int64_t images = 2, rows = 3, columns = 2;  // of a block

  int64_t height, width, channels, top, left;  // with paddings on all sides, what is before
  Tensor space, batch;

  Blocks(int64_t height, int64_t width, int64_t channels, int64_t top, int64_t left)
      : height(height), width(width), channels(channels), top(top), left(left) {
    space = varied<float>({images, height, width, channels});
    auto down = (height + paddings(0) + paddings(1)) / rows;
    auto across = (width + paddings(2) + paddings(3)) / columns;
    std::vector<float> values;
    for (int64_t block = 0; block < rows * columns; ++block)
      for (int64_t image = 0; image < images; ++image)
        for (int64_t i = 0; i < down * across * channels; ++i) {
          auto y = i / channels / across * rows + block / columns - top;
          auto x = i / channels % across * columns + block % columns - left;
          auto at = ((image * height + y) * width + x) * channels + i % channels;
          auto is_inside = y >= 0 && x >= 0 && y < height && x < width;
          values.push_back(is_inside ? space.data<float>()[at] : 0);
        }
    batch = Tensor::of<float>(
        {images * rows * columns, down, across, channels}, std::span<const float>(values));
  }

  Tensor block_shape() const { return vec<int32_t>({rows, columns}); }
  Tensor sides() const {
    return vec<int32_t>(
        {2, 2},
        {int32_t(paddings(0)), int32_t(paddings(1)), int32_t(paddings(2)), int32_t(paddings(3))});
  }

 private:
  /// Before and after each axis.
  int64_t paddings(int i) const {
    if (i == 0) return top;
    if (i == 1) return (rows - (height + top) % rows) % rows + rows;
    return i == 2 ? left : (columns - (width + left) % columns) % columns;
  }
};

void check_blocks(const Blocks& blocks) {
  auto batch = run_op("SpaceToBatchND", {blocks.space, blocks.block_shape(), blocks.sides()});
  auto space = run_op("BatchToSpaceND", {blocks.batch, blocks.block_shape(), blocks.sides()});
  BOOST_REQUIRE_MESSAGE((batch && space), show(batch) << ", " << show(space));
  BOOST_TEST((batch->front().shape() == blocks.batch.shape()));
  BOOST_TEST(std::ranges::equal(batch->front().values<float>(), blocks.batch.values<float>()));
  BOOST_TEST((space->front().shape() == blocks.space.shape()));
  BOOST_TEST(std::ranges::equal(space->front().values<float>(), blocks.space.values<float>()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(space)

BOOST_AUTO_TEST_CASE(pixels_of_any_size_move_between_blocks_and_the_batch) {
  for (int64_t channels : {1, 2, 3, 4, 7})
    for (int64_t top : {0, 1, 4})
      for (int64_t left : {0, 1, 5})
        BOOST_TEST_CONTEXT(channels << " channels, " << top << " above, " << left << " before")
  check_blocks({5, 4, channels, top, left});
}

BOOST_AUTO_TEST_CASE(threads_share_long_rows_of_blocks) {
  check_blocks({1, 60001, 5, 2, 3});
  check_blocks({700, 3, 160, 1, 0});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
