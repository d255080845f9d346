#pragma once

#include "troupe/devices/cuda/reduction/folds.hpp"

namespace troupe::cuda {

/// How windows lie over a tensor seen as [outer, three axes that are pooled, inner], as
/// cpu::PoolPlan. No window is empty.
struct PoolGeometry {
  int64_t outer, inner;
  int64_t in[3], out[3], sizes[3], strides[3], before[3];

  /// Of a cpu::PoolPlan.
  template <class Plan>
  static PoolGeometry of(const Plan& plan) {
    PoolGeometry pool{.outer = plan.outer, .inner = plan.inner};
    for (size_t i = 0; i < 3; ++i) {
      pool.in[i] = plan.in[i];
      pool.out[i] = plan.out[i];
      pool.sizes[i] = plan.sizes[i];
      pool.strides[i] = plan.strides[i];
      pool.before[i] = plan.before[i];
    }
    return pool;
  }

  TROUPE_BOTH int64_t in_elements() const { return outer * in[0] * in[1] * in[2] * inner; }
  TROUPE_BOTH int64_t out_elements() const { return outer * out[0] * out[1] * out[2] * inner; }

  /// The place of an element of the input, or of the output, by its number.
  struct Place {
    int64_t image, at[3], column;
  };
  TROUPE_BOTH static Place place_of(int64_t element, const int64_t* axes, int64_t inner) {
    Place place;
    place.column = element % inner;
    element /= inner;
    for (int i = 2; i >= 0; --i) {
      place.at[i] = element % axes[i];
      element /= axes[i];
    }
    place.image = element;
    return place;
  }
  TROUPE_BOTH int64_t in_element(int64_t image, const int64_t* at, int64_t column) const {
    return (((image * in[0] + at[0]) * in[1] + at[1]) * in[2] + at[2]) * inner + column;
  }
  TROUPE_BOTH int64_t out_element(int64_t image, const int64_t* at, int64_t column) const {
    return (((image * out[0] + at[0]) * out[1] + at[1]) * out[2] + at[2]) * inner + column;
  }

  /// Positions [begin, end) of the input along each axis.
  struct Window {
    int64_t begin[3], end[3];
    TROUPE_BOTH int64_t cells() const {
      return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
    }
  };
  /// The window of the output at that place.
  TROUPE_BOTH Window window_at(const int64_t* at) const {
    Window window;
    for (int i = 0; i < 3; ++i) {
      auto start = at[i] * strides[i] - before[i], stop = start + sizes[i];
      window.begin[i] = start < 0 ? 0 : start;
      window.end[i] = stop < in[i] ? stop : in[i];
    }
    return window;
  }
  /// The outputs whose windows have the input's position: those in [begin, end) of each axis.
  TROUPE_BOTH Window windows_over(const int64_t* at) const {
    Window outputs;
    for (int i = 0; i < 3; ++i) {
      auto shifted = at[i] + before[i];
      auto first = shifted - sizes[i] + 1;
      outputs.begin[i] = first > 0 ? (first + strides[i] - 1) / strides[i] : 0;
      auto last = shifted / strides[i] + 1;
      outputs.end[i] = last < out[i] ? last : out[i];
    }
    return outputs;
  }
  /// Calls f(position) for those in a window, in their order.
  template <class F>
  TROUPE_BOTH static void each(const Window& window, const F& f) {
    int64_t at[3];
    for (at[0] = window.begin[0]; at[0] < window.end[0]; ++at[0])
      for (at[1] = window.begin[1]; at[1] < window.end[1]; ++at[1])
        for (at[2] = window.begin[2]; at[2] < window.end[2]; ++at[2]) f(at);
  }
};

/// The element of the input that is the greatest of a window: the first of them; NaN, once met,
/// stays the greatest.
template <class T>
TROUPE_BOTH inline int64_t greatest_of_window(
    const T* x, const PoolGeometry& pool, const PoolGeometry::Window& window, int64_t image,
    int64_t column) {
  auto found = pool.in_element(image, window.begin, column);
  auto greatest = widen(x[found]);
  PoolGeometry::each(window, [&](const int64_t* at) {
    auto element = pool.in_element(image, at, column);
    auto value = widen(x[element]);
    if (!(value <= greatest) && greatest == greatest) {
      greatest = value;
      found = element;
    }
  });
  return found;
}

template <class T>
TROUPE_BOTH inline T max_pool_at(const T* x, const PoolGeometry& pool, int64_t output) {
  auto place = PoolGeometry::place_of(output, pool.out, pool.inner);
  return x[greatest_of_window(x, pool, pool.window_at(place.at), place.image, place.column)];
}

/// Of an output: the element of `values`, which lies as the input, where its window's greatest is.
template <class T>
TROUPE_BOTH inline T value_at_greatest(
    const T* x, const T* values, const PoolGeometry& pool, int64_t output) {
  auto place = PoolGeometry::place_of(output, pool.out, pool.inner);
  return values[greatest_of_window(x, pool, pool.window_at(place.at), place.image, place.column)];
}

/// Of an input element: the sum of the gradients of the windows whose greatest it is.
template <class T>
TROUPE_BOTH inline T max_pool_gradient_at(
    const T* x, const T* dy, const PoolGeometry& pool, int64_t element) {
  auto place = PoolGeometry::place_of(element, pool.in, pool.inner);
  Wide<T> sum = 0;
  PoolGeometry::each(pool.windows_over(place.at), [&](const int64_t* output) {
    auto window = pool.window_at(output);
    if (greatest_of_window(x, pool, window, place.image, place.column) == element)
      sum = FoldSum::join(sum, widen(dy[pool.out_element(place.image, output, place.column)]));
  });
  return Narrow<T>::of(sum);
}

template <class T>
TROUPE_BOTH inline T average_pool_at(const T* x, const PoolGeometry& pool, int64_t output) {
  auto place = PoolGeometry::place_of(output, pool.out, pool.inner);
  auto window = pool.window_at(place.at);
  Wide<T> sum = 0;
  PoolGeometry::each(window, [&](const int64_t* at) {
    sum += widen(x[pool.in_element(place.image, at, place.column)]);
  });
  return Narrow<T>::of(sum / static_cast<Wide<T>>(window.cells()));
}

/// Of an input element: its equal parts of the gradients of all windows that have it.
template <class T>
TROUPE_BOTH inline T average_pool_gradient_at(
    const T* dy, const PoolGeometry& pool, int64_t element) {
  auto place = PoolGeometry::place_of(element, pool.in, pool.inner);
  Wide<T> sum = 0;
  PoolGeometry::each(pool.windows_over(place.at), [&](const int64_t* output) {
    sum += widen(dy[pool.out_element(place.image, output, place.column)]) /
           static_cast<Wide<T>>(pool.window_at(output).cells());
  });
  return Narrow<T>::of(sum);
}

}  // namespace troupe::cuda
