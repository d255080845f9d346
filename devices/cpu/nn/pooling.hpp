#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/vector/pool.hpp"
#include "troupe/devices/kernel.hpp"
#include "troupe/graph/ops/nn/window.hpp"

namespace troupe::cpu {

/// A part of the input that one output is made from: positions [begin, end) along each axis.
struct PoolWindow {
  int64_t outer, out;  // the image, and the position of the output in it
  std::array<int64_t, 3> begin, end;

  int64_t cells() const { return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
};

/// How windows lie over a tensor seen as [outer, three axes that are pooled, inner]. None is empty.
struct PoolPlan {
  using Sizes = std::array<int64_t, 3>;
  static constexpr int64_t positions_max = int64_t{1} << 32;  // of an image

  int64_t outer = 1, inner = 1;
  Sizes in{1, 1, 1}, out{1, 1, 1}, sizes{1, 1, 1}, strides{1, 1, 1}, before{};

  /// Of an input that pooled_shape() accepted.
  static Result<PoolPlan> make(const ops::Windows& windows, const Shape& input);

  int64_t in_positions() const { return in[0] * in[1] * in[2]; }
  int64_t out_positions() const { return out[0] * out[1] * out[2]; }
  int64_t in_image() const { return in_positions() * inner; }
  int64_t out_image() const { return out_positions() * inner; }
  /// Where the window's image begins in the input, and its output in the result.
  int64_t image_at(const PoolWindow& window) const { return window.outer * in_image(); }
  int64_t output_at(const PoolWindow& window) const {
    return window.outer * out_image() + window.out * inner;
  }
  /// Elements that the windows of an image read; less where the sum over all images would overflow.
  int64_t image_work() const {
    auto read = double(out_image()) * double(sizes[0]) * double(sizes[1]) * double(sizes[2]);
    return static_cast<int64_t>(std::min(4e18 / double(std::max<int64_t>(1, outer)), read));
  }

  /// Rows of windows: those that differ in the last axis alone.
  int64_t rows_of_image() const { return out[0] * out[1]; }
  int64_t rows() const { return outer * rows_of_image(); }

  /// Calls f(window) for the windows of rows [begin, end) of all images.
  template <class F>
  void each_window(int64_t begin, int64_t end, const F& f) const {
    PoolWindow window{};
    for (auto row = begin; row < end; ++row) {
      window.outer = row / rows_of_image();
      auto row_of_image = row - window.outer * rows_of_image();
      place(window, 0, row_of_image / out[1]);
      place(window, 1, row_of_image % out[1]);
      window.out = row_of_image * out[2];
      for (int64_t at = 0; at < out[2]; ++at, ++window.out) {
        place(window, 2, at);
        f(window);
      }
    }
  }

  /// Calls f(position) for the input's positions in a window, in their order.
  template <class F>
  void each_cell(const PoolWindow& window, const F& f) const {
    for (auto d = window.begin[0]; d < window.end[0]; ++d)
      for (auto h = window.begin[1]; h < window.end[1]; ++h)
        for (auto w = window.begin[2]; w < window.end[2]; ++w) f((d * in[1] + h) * in[2] + w);
  }

  /// The cells of the window, of which the first is at first_cell() in the image.
  vector::PoolCells cells_of(const PoolWindow& window) const {
    vector::PoolCells cells{{}, {in[1] * in[2] * inner, in[2] * inner, inner}, inner};
    for (size_t i = 0; i < 3; ++i) cells.counts[i] = window.end[i] - window.begin[i];
    return cells;
  }
  int64_t first_cell(const PoolWindow& window) const {
    return ((window.begin[0] * in[1] + window.begin[1]) * in[2] + window.begin[2]) * inner;
  }

  /// The last position of the image that is in the window.
  int64_t last_position(const PoolWindow& window) const {
    return ((window.end[0] - 1) * in[1] + window.end[1] - 1) * in[2] + window.end[2] - 1;
  }

  /// Calls f(begin, end) for parts of all rows of windows.
  template <class F>
  void each_rows_parallel(const F& f) const {
    if (out_image() == 0) return;  // however many images there are
    parallel_ranges(rows(), image_work() / rows_of_image(), f);
  }

  /// Calls f(window) for all windows.
  template <class F>
  void each_window_parallel(const F& f) const {
    each_rows_parallel([&](int64_t begin, int64_t end) { each_window(begin, end, f); });
  }

 private:
  /// Sets where the window at a position of the result lies along an axis.
  void place(PoolWindow& window, size_t axis, int64_t at) const {
    auto start = at * strides[axis] - before[axis];
    window.begin[axis] = std::max<int64_t>(0, start);
    window.end[axis] = std::min(in[axis], start + sizes[axis]);
  }
};

/// What the kernels of pools know of their node.
class PoolNode {
 public:
  /// `sizes_input`: the input that says the windows' sizes, strides being the next; or -1.
  static Result<PoolNode> of(const Node& node, int sizes_input, bool may_span_channels);

  struct Pool {
    PoolPlan plan;
    Shape pooled;
  };
  /// The windows over an input of that shape, in one launch.
  Result<Pool> over(const Launch& launch, const Shape& input) const;

 private:
  Result<ops::Windows> windows_of(const Launch& launch) const;

  ops::WindowAttrs attrs_;
  int sizes_input_ = -1;
  bool may_span_channels_ = true;
  std::optional<ops::Windows> windows_;  // where attributes say them
};

/// Fails unless that input has that shape.
Status check_pool_input(const Launch& launch, int index, const Shape& expected);

/// What walks over windows, which are compiled once, need to know of elements of which the greatest
/// are looked for. NaN, once met, stays the greatest.
struct GreatestElements {
  DType dtype;
  size_t size, sum_size;  // 16-bit floats are added as floats
  /// Sets `out` to the greatest elements of a window.
  void (*take)(const PoolPlan& plan, const PoolWindow& window, const void* image, void* out);
  /// Adds the gradients of a window to the image's sums where the greatest elements are.
  void (*add_to_greatest)(
      const PoolPlan& plan, const PoolWindow& window, const void* image, const void* gradients,
      void* sums);
  /// Sets `offsets` to where in the image the greatest are, or the first of equal ones.
  void (*find)(const PoolPlan& plan, const PoolWindow& window, const void* image, int64_t* offsets);
  /// to[i] = from[offsets[i]]
  void (*gather)(void* to, const void* from, const int64_t* offsets, int64_t count);
  /// sums[offsets[i]] += values[i]
  void (*add)(void* sums, const void* values, const int64_t* offsets, int64_t count);
};
/// Null where elements of the dtype have no order.
const GreatestElements* find_greatest_elements(DType dtype);

/// Calls f(window, offsets) for all windows of `x`; offsets[i] is where in the image the greatest
/// element is of those where the inner index is i.
void each_greatest(
    const PoolPlan& plan, const GreatestElements& elements, const void* x,
    const std::function<void(const PoolWindow&, const int64_t*)>& f);

inline const std::byte* bytes_of(const Tensor& tensor) {
  return static_cast<const std::byte*>(tensor.raw());
}
inline std::byte* mutable_bytes_of(Tensor& tensor) {
  return static_cast<std::byte*>(tensor.mutable_raw());
}

/// In proportion to the larger of the first and last inputs.
int64_t pool_cost_ns(const Launch& launch);

/// Fails where positions among so many elements of images of that shape do not fit in the dtype of
/// argmax.
Status check_argmax_dtype(const Shape& images, int64_t elements, DType argmax);

/// MaxPoolWithArgmax and what belongs to it.
void add_argmax_pooling_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
