#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// The form of a sound in a WAV file.
struct WaveForm {
  int64_t frames, channels;
  uint32_t rate;  // frames in a second

  int64_t samples() const { return frames * channels; }
};

/// InvalidArgument, with TensorFlow's words, where a file cannot have that form.
Status check_wave(int64_t frames, int64_t channels, int64_t rate);

/// A file of 16-bit samples, whose form check_wave() accepts. NaN is written as 0.
std::string encode_wave(const float* values, const WaveForm& form);

/// What a WAV file of 16-bit samples holds; `samples` are the bytes of its samples, in
/// the file that was given.
struct WaveContents {
  WaveForm form;
  std::string_view samples;

  /// Of a frame and channel that it has, in [-1, 1).
  float value(int64_t frame, int64_t channel) const;
};

/// InvalidArgument, with TensorFlow's words, where the bytes are no such file.
Result<WaveContents> decode_wave(std::string_view file);

}  // namespace troupe::cpu
