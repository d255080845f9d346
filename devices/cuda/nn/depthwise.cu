#include "troupe/devices/cuda/nn/depthwise.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// The rows of a thread where it has several.
constexpr int rows_many = 4;

/// A number that counts places, of which the faster axes are taken.
struct Split {
  int64_t rest;
  bool is_small;

  /// The place on the fastest axis that is left.
  __device__ int64_t take(const Divider& size) {
    auto above = size.divide(rest, is_small);
    auto at = rest - above * size.divisor();
    rest = above;
    return at;
  }
};

/// The elements of images, `rows_each` of a column for each thread, so that one read of the filter
/// serves several of them. Neighbouring threads have neighbours in memory.
struct ImageItems {
  Divider columns, row_groups, channels;
  int64_t count, rows_each;
  bool channels_first;

  ImageItems(const DepthwiseGeometry& g, const int64_t* sizes, int64_t all_channels, int64_t each)
      : columns(sizes[1]),
        row_groups((sizes[0] + each - 1) / each),
        channels(all_channels),
        count(g.batch * columns.divisor() * row_groups.divisor() * all_channels),
        rows_each(each),
        channels_first(g.channels_first) {}

  struct Place {
    int64_t image, channel, row, column;
  };
  __device__ Place place(int64_t item) const {
    Split split{item, count <= Divider::small_max};
    Place at;
    if (!channels_first) at.channel = split.take(channels);
    at.column = split.take(columns);
    at.row = split.take(row_groups) * rows_each;
    if (channels_first) at.channel = split.take(channels);
    at.image = split.rest;
    return at;
  }
};

template <class T, int rows_each>
__global__ void forward_kernel(DepthwiseCall call, ImageItems items, Divider multiplier) {
  const auto& g = call.geometry;
  const auto in = g.in_strides(), out = g.out_strides();
  for (auto item = first_item(); item < items.count; item += item_step()) {
    auto at = items.place(item);
    auto channel = multiplier.divide(at.channel, g.outputs() <= Divider::small_max);
    const auto* input =
        static_cast<const T*>(call.input) + at.image * in.image + channel * in.channel;
    const auto* filter = static_cast<const T*>(call.filter) + at.channel;
    Wide<T> sums[rows_each] = {};
    auto first_row = g.first_input(0, at.row), first_column = g.first_input(1, at.column);
    for (int64_t y = 0; y < g.kernel[0]; ++y)
      for (int64_t x = 0; x < g.kernel[1]; ++x) {
        auto column = first_column + x * g.dilations[1];
        if (!g.has_input(1, column)) continue;
        auto factor = widen(filter[(y * g.kernel[1] + x) * g.outputs()]);
        auto row = first_row + y * g.dilations[0];
        for (int i = 0; i < rows_each; ++i, row += g.strides[0])
          if (g.has_input(0, row))
            sums[i] += factor * widen(input[row * in.row + column * in.column]);
      }
    auto* result = static_cast<T*>(call.result) + at.image * out.image + at.channel * out.channel +
                   at.column * out.column;
    for (int i = 0; i < rows_each; ++i)
      if (at.row + i < g.out[0]) result[(at.row + i) * out.row] = Narrow<T>::of(sums[i]);
  }
}

/// Along one axis: the outputs that have a position of the input under their taps.
struct OutputAxis {
  Divider stride;
  int64_t size, dilation, before;
  bool is_small;

  OutputAxis(const DepthwiseGeometry& g, int axis)
      : stride(g.strides[axis]),
        size(g.out[axis]),
        dilation(g.dilations[axis]),
        before(g.before[axis]),
        is_small(g.in[axis] + g.before[axis] + rows_many <= Divider::small_max) {}

  /// The output for which a position is under that tap, or -1.
  __device__ int64_t output_at(int64_t tap, int64_t input) const {
    auto from = input + before - tap * dilation;
    if (from < 0) return -1;
    auto output = stride.divide(from, is_small);
    return output < size && output * stride.divisor() == from ? output : -1;
  }
};

/// A thread adds up what its elements of the input had in the outputs, in the order of taps.
template <class T, int rows_each>
__global__ void to_input_kernel(
    DepthwiseCall call, ImageItems items, OutputAxis rows, OutputAxis columns) {
  const auto& g = call.geometry;
  const auto in = g.in_strides(), out = g.out_strides();
  for (auto item = first_item(); item < items.count; item += item_step()) {
    auto at = items.place(item);
    auto first = at.channel * g.multiplier;
    const auto* dy = static_cast<const T*>(call.dy) + at.image * out.image + first * out.channel;
    Wide<T> sums[rows_each] = {};
    for (int64_t y = 0; y < g.kernel[0]; ++y) {
      int64_t row[rows_each];
      for (int i = 0; i < rows_each; ++i) row[i] = rows.output_at(y, at.row + i);
      for (int64_t x = 0; x < g.kernel[1]; ++x) {
        auto column = columns.output_at(x, at.column);
        if (column < 0) continue;
        const auto* filter =
            static_cast<const T*>(call.filter) + (y * g.kernel[1] + x) * g.outputs() + first;
        for (int64_t k = 0; k < g.multiplier; ++k) {
          auto factor = widen(filter[k]);
          const auto* of_column = dy + k * out.channel + column * out.column;
          for (int i = 0; i < rows_each; ++i)
            if (row[i] >= 0) sums[i] += factor * widen(of_column[row[i] * out.row]);
        }
      }
    }
    auto* result = static_cast<T*>(call.result) + at.image * in.image + at.channel * in.channel +
                   at.column * in.column;
    for (int i = 0; i < rows_each; ++i)
      if (at.row + i < g.in[0]) result[(at.row + i) * in.row] = Narrow<T>::of(sums[i]);
  }
}

/// What a thread of the filter's gradient adds up: some taps of an output channel, of each
/// `parts`th position. Neighbouring threads read neighbours in memory.
struct FilterItems {
  Divider outputs, parts, rows, columns, multiplier;
  int64_t count, positions;
  bool channels_first;

  explicit FilterItems(const DepthwiseGeometry& g)
      : outputs(g.outputs()),
        parts(g.parts()),
        rows(g.out[0]),
        columns(g.out[1]),
        multiplier(g.multiplier),
        count(outputs.divisor() * parts.divisor() * g.tap_groups()),
        positions(g.out_positions()),
        channels_first(g.channels_first) {}

  struct Place {
    int64_t output, part, tap;  // tap: the first
  };
  __device__ Place place(int64_t item) const {
    Split split{item, count <= Divider::small_max};
    Place at;
    if (channels_first) at.part = split.take(parts);
    at.output = split.take(outputs);
    if (!channels_first) at.part = split.take(parts);
    at.tap = split.rest * DepthwiseGeometry::taps_each;
    return at;
  }
};

template <class T>
__global__ void to_filter_parts_kernel(DepthwiseCall call, FilterItems items) {
  constexpr int each = DepthwiseGeometry::taps_each;
  const auto& g = call.geometry;
  const auto in = g.in_strides(), out = g.out_strides();
  for (auto item = first_item(); item < items.count; item += item_step()) {
    auto at = items.place(item);
    auto channel = items.multiplier.divide(at.output, g.outputs() <= Divider::small_max);
    const auto* input = static_cast<const T*>(call.input) + channel * in.channel;
    const auto* dy = static_cast<const T*>(call.dy) + at.output * out.channel;
    Wide<T> sums[each] = {};
    int64_t row_of[each], column_of[each];
    for (int i = 0; i < each; ++i) {
      auto tap = at.tap + i;
      // Behind the last tap: a row that no input has.
      row_of[i] = tap < g.taps() ? tap / g.kernel[1] * g.dilations[0] : INT64_MIN / 2;
      column_of[i] = tap % g.kernel[1] * g.dilations[1];
    }
    for (auto position = at.part; position < items.positions; position += items.parts.divisor()) {
      Split split{position, items.positions <= Divider::small_max};
      auto column = split.take(items.columns), row = split.take(items.rows), image = split.rest;
      auto slope = widen(dy[image * out.image + row * out.row + column * out.column]);
      const auto* pixels = input + image * in.image;
      auto first_row = g.first_input(0, row), first_column = g.first_input(1, column);
      for (int i = 0; i < each; ++i) {
        auto y = first_row + row_of[i], x = first_column + column_of[i];
        if (g.has_input(0, y) && g.has_input(1, x))
          sums[i] += slope * widen(pixels[y * in.row + x * in.column]);
      }
    }
    auto* partial = static_cast<Wide<T>*>(call.partial) + at.part * g.filter_elements() + at.output;
    for (int i = 0; i < each; ++i)
      if (at.tap + i < g.taps()) partial[(at.tap + i) * g.outputs()] = sums[i];
  }
}

constexpr int join_columns = 32, join_shares = 16;

/// Neighbouring threads have neighbouring elements of the filter, and those of a column of the
/// block share the parts of one.
template <class T>
__global__ void join_filter_parts_kernel(DepthwiseCall call, int64_t parts) {
  __shared__ Wide<T> shared[join_shares][join_columns];
  auto elements = call.geometry.filter_elements();
  const auto* partial = static_cast<const Wide<T>*>(call.partial);
  for (auto base = blockIdx.x * int64_t{join_columns}; base < elements;
       base += gridDim.x * int64_t{join_columns}) {
    auto element = base + threadIdx.x;
    Wide<T> sum = 0;
    for (int64_t part = threadIdx.y; element < elements && part < parts; part += join_shares)
      sum += partial[part * elements + element];
    shared[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && element < elements) {
      for (int i = 1; i < join_shares; ++i) sum += shared[i][threadIdx.x];
      static_cast<T*>(call.result)[element] = Narrow<T>::of(sum);
    }
    __syncthreads();
  }
}

/// Whether threads have several rows: where enough of them are left to keep a card busy.
bool has_row_groups(const DepthwiseGeometry& g, const int64_t* sizes, int64_t channels) {
  constexpr auto enough = blocks_max * block_threads / rows_many;
  return sizes[0] >= rows_many && g.batch * channels * sizes[0] * sizes[1] >= enough;
}

template <class T>
void forward(const DepthwiseCall& call) {
  const auto& g = call.geometry;
  Divider multiplier(g.multiplier);
  auto start = [&](auto* kernel, int64_t rows_each) {
    ImageItems items(g, g.out, g.outputs(), rows_each);
    start_kernel(
        call.stream, blocks_for(items.count), block_threads, kernel, call, items, multiplier);
  };
  if (has_row_groups(g, g.out, g.outputs())) start(forward_kernel<T, rows_many>, rows_many);
  else start(forward_kernel<T, 1>, 1);
}

template <class T>
void to_input(const DepthwiseCall& call) {
  const auto& g = call.geometry;
  OutputAxis rows(g, 0), columns(g, 1);
  auto start = [&](auto* kernel, int64_t rows_each) {
    ImageItems items(g, g.in, g.channels, rows_each);
    start_kernel(
        call.stream, blocks_for(items.count), block_threads, kernel, call, items, rows, columns);
  };
  if (has_row_groups(g, g.in, g.channels)) start(to_input_kernel<T, rows_many>, rows_many);
  else start(to_input_kernel<T, 1>, 1);
}

template <class T>
void to_filter(const DepthwiseCall& call) {
  FilterItems items(call.geometry);
  start_kernel(
      call.stream, blocks_for(items.count), block_threads, to_filter_parts_kernel<T>, call, items);
  start_kernel(
      call.stream, blocks_for(call.geometry.filter_elements(), join_columns),
      dim3(join_columns, join_shares), join_filter_parts_kernel<T>, call, items.parts.divisor());
}

}  // namespace

LaunchDepthwise find_depthwise(Element element, DepthwisePass pass) {
  return choose<LaunchDepthwise>(FloatingElements{}, element, [pass](auto zero) -> LaunchDepthwise {
    using T = decltype(zero);
    switch (pass) {
      case DepthwisePass::forward: return forward<T>;
      case DepthwisePass::to_input: return to_input<T>;
      default: return to_filter<T>;
    }
  });
}

}  // namespace troupe::cuda
