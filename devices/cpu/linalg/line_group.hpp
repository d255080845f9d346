#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "troupe/devices/cpu/vector/fourier/fourier_loops.hpp"

namespace troupe::cpu {

/// Lines of a tensor that are transformed side by side: `count` from `first` on, as parts of
/// complex numbers, where number i of line l is element i * width + l.
struct LineGroup {
  static constexpr int64_t most = 16;

  int64_t first = 0, count = 0, width = 0;

  /// How many of `count` lines are best for vectors and the caches, and of many numbers for
  /// threads.
  static int64_t size_for(int64_t count, int64_t length) {
    constexpr int64_t numbers = 64 * 1024, split_numbers = 64 * 1024, parts = 4;
    auto fitting = std::clamp(numbers / length / lanes * lanes, lanes, most);
    auto shared = count * length > split_numbers ? std::max<int64_t>(1, count / parts) : count;
    return std::min(fitting, shared);
  }

  /// The columns of so many lines: whole vectors, but of a single one.
  static int64_t width_for(int64_t lines) {
    auto vector = lines > 2 * lanes ? most : lines > 1 ? lanes : 1;
    return (lines + vector - 1) / vector * vector;
  }

 private:
  static constexpr int64_t lanes = 4;
};

/// Where the lines of a group are in a tensor, counted in real numbers.
struct GroupPlaces {
  LineGroup group;
  int64_t step;  // from one number of a line to the next
  std::array<int64_t, LineGroup::most> starts;

  /// start_of(line) says where a line starts.
  template <class StartOf>
  static GroupPlaces of(const LineGroup& group, int64_t step, const StartOf& start_of) {
    GroupPlaces places{.group = group, .step = step};
    for (int64_t l = 0; l < group.count; ++l)
      places.starts[static_cast<size_t>(l)] = start_of(group.first + l);
    return places;
  }
};

template <class R>
void load_numbers(
    const vector::Parts<R>& to, const R* from, const GroupPlaces& places, int64_t length) {
  vector::fourier_loops(R()).load(
      {const_cast<R*>(from), places.starts.data(), places.step, places.group.count,
       places.group.width, length, to});
}

template <class R>
void store_numbers(
    R* to, const vector::Parts<R>& from, const GroupPlaces& places, int64_t length, R scale) {
  vector::fourier_loops(R()).store(
      {to, places.starts.data(), places.step, places.group.count, places.group.width, length, from},
      scale);
}

template <class R>
void load_reals(
    const vector::Parts<R>& to, const R* from, const GroupPlaces& places, int64_t length) {
  const auto& group = places.group;
  std::fill_n(to.imaginary, length * group.width, R(0));
  for (int64_t i = 0; i < length; ++i)
    for (int64_t l = 0; l < group.count; ++l)
      to.real[i * group.width + l] = from[places.starts[static_cast<size_t>(l)] + i];
}

template <class R>
void store_reals(
    R* to, const vector::Parts<R>& from, const GroupPlaces& places, int64_t length, R scale) {
  const auto& group = places.group;
  for (int64_t i = 0; i < length; ++i)
    for (int64_t l = 0; l < group.count; ++l)
      to[places.starts[static_cast<size_t>(l)] + i] = from.real[i * group.width + l] * scale;
}

/// Fills the rest of the spectrum of reals: the conjugate of what there is.
template <class R>
void complete_spectrum(const vector::Parts<R>& spectrum, int64_t length, int64_t width) {
  for (auto i = length / 2 + 1; i < length; ++i)
    for (int64_t l = 0; l < width; ++l) {
      auto at = i * width + l, conjugate = (length - i) * width + l;
      spectrum.real[at] = spectrum.real[conjugate];
      spectrum.imaginary[at] = -spectrum.imaginary[conjugate];
    }
}

}  // namespace troupe::cpu
