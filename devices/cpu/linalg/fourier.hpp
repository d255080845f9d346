#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

enum class Spectrum : uint8_t { whole, of_reals, to_reals };

/// One of the ops FFT, RFFT2D and so on: along how many last axes, and which way.
struct FourierForm {
  int axes;
  Spectrum spectrum;
  bool is_inverse;
};

/// Calls add(op, form) for each op.
template <class Add>
void for_each_fourier_op(const Add& add) {
  for (int axes : {1, 2, 3}) {
    auto suffix = axes == 1 ? std::string() : std::to_string(axes) + "D";
    add("FFT" + suffix, FourierForm{axes, Spectrum::whole, false});
    add("IFFT" + suffix, FourierForm{axes, Spectrum::whole, true});
    add("RFFT" + suffix, FourierForm{axes, Spectrum::of_reals, false});
    add("IRFFT" + suffix, FourierForm{axes, Spectrum::to_reals, true});
  }
}

/// A batch of blocks with three axes; those that a transform has not have size 1.
struct FourierBlocks {
  int64_t count = 1;
  std::array<int64_t, 3> sizes{1, 1, 1};

  /// Of the last axes of a shape.
  static FourierBlocks of(const Shape& shape, int axes) {
    FourierBlocks blocks;
    for (int axis = 0; axis < shape.rank() - axes; ++axis) blocks.count *= shape[axis];
    for (int axis = 0; axis < axes; ++axis)
      blocks.sizes[static_cast<size_t>(3 - axes + axis)] = shape[shape.rank() - axes + axis];
    return blocks;
  }
  int64_t rows() const { return count * sizes[0] * sizes[1]; }
  int64_t elements() const { return rows() * sizes[2]; }
};

/// What a launch transforms: `whole` are the blocks of the transform, by the sizes of input 0 or by
/// those of input 1, 'fft_length'; `result` is the shape of output 0, which has half of the last
/// axis where reals are transformed.
struct FourierSizes {
  FourierBlocks whole;
  Shape result;

  /// InvalidArgument where input 0 is smaller, Unimplemented where a length is more than `longest`.
  static Result<FourierSizes> of(const Launch& launch, const FourierForm& form, int64_t longest);
};

}  // namespace troupe::cpu
