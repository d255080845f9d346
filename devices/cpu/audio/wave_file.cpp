#include "troupe/devices/cpu/audio/wave_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe::cpu {
namespace {

constexpr int64_t bytes_per_sample = 2;
constexpr int64_t header_bytes = 44;

/// Appends numbers with their lowest byte first.
void append(std::string& bytes, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
}

/// The number whose lowest byte is first.
uint32_t number_in(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  return value;
}

int16_t to_sample(float value) {
  constexpr float least = std::numeric_limits<int16_t>::min();
  constexpr float most = std::numeric_limits<int16_t>::max();
  if (std::isnan(value)) return 0;
  return static_cast<int16_t>(std::min(std::max(std::round(value * 32768.0f), least), most));
}

/// Reads a file from its begin. After a read that fails, all others give zeros, so that only the
/// status need be asked.
class WaveReader {
 public:
  explicit WaveReader(std::string_view file) : file_(file) {}

  std::string_view bytes(uint64_t count) {
    if (failure_.ok() && (at_ > file_.size() || file_.size() - at_ < count))
      failure_ = invalid_argument("Data too short when trying to read string");
    if (!failure_.ok()) return {};
    auto read = file_.substr(at_, count);
    at_ += count;
    return read;
  }
  uint32_t number(uint64_t size) { return number_in(bytes(size)); }
  void expect(std::string_view text) {
    auto found = bytes(text.size());
    check(
        found == text,
        "Header mismatch: Expected " + std::string(text) + " but found " + std::string(found));
  }
  /// Fails unless that is true.
  void check(bool is_right, const std::string& message) {
    if (failure_.ok() && !is_right) failure_ = invalid_argument(message);
  }
  /// May lead past the end, where nothing can be read.
  void skip(uint64_t count) { at_ += count; }

  bool has_more() const { return failure_.ok() && at_ < file_.size(); }
  const Status& status() const { return failure_; }

 private:
  std::string_view file_;
  uint64_t at_ = 0;
  Status failure_;
};

/// What comes before the chunks of a file; the frames are left 0.
WaveForm read_header(WaveReader& reader) {
  reader.expect("RIFF");
  reader.number(4);  // the size of the file, which is known
  reader.expect("WAVE");
  reader.expect("fmt ");
  auto size = reader.number(4);
  reader.check(
      size == 16 || size == 18,
      "Bad file size for WAV: Expected 16 or 18, but got" + std::to_string(size));
  auto coding = reader.number(2);
  reader.check(
      coding == 1, "Bad audio format for WAV: Expected 1 (PCM), but got" + std::to_string(coding));
  auto channels = reader.number(2);
  reader.check(channels >= 1, "Bad number of channels for WAV: Expected at least 1, but got 0");
  auto rate = reader.number(4), bytes_per_second = reader.number(4);
  auto frame_bytes = reader.number(2), bits = reader.number(2);
  reader.check(bits == 16, "Can only read 16-bit WAV files, but received " + std::to_string(bits));
  auto expected = channels * static_cast<uint32_t>(bytes_per_sample);
  reader.check(
      frame_bytes == expected, "Bad bytes per sample in WAV header: Expected " +
                                   std::to_string(expected) + " but got " +
                                   std::to_string(frame_bytes));
  expected = frame_bytes * rate;
  reader.check(
      bytes_per_second == expected,
      "Bad bytes per second in WAV header: Expected " + std::to_string(expected) + " but got " +
          std::to_string(bytes_per_second) + " (sample_rate=" + std::to_string(rate) +
          ", bytes_per_sample=" + std::to_string(frame_bytes) + ")");
  if (size == 18) reader.skip(2);
  return {.frames = 0, .channels = channels, .rate = rate};
}

}  // namespace

Status check_wave(int64_t frames, int64_t channels, int64_t rate) {
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  if (rate <= 0 || rate > most)
    return invalid_argument("sample_rate must be in (0, 2^32), got: " + std::to_string(rate));
  if (channels == 0 || channels > std::numeric_limits<uint16_t>::max())
    return invalid_argument("num_channels must be in (0, 2^16), got: " + std::to_string(channels));
  if (frames == 0) return invalid_argument("num_frames must be positive.");
  if (frames > (most - header_bytes) / bytes_per_sample / channels)
    return invalid_argument("Provided channels and frames cannot be encoded as a WAV.");
  return {};
}

std::string encode_wave(const float* values, const WaveForm& form) {
  auto data_bytes = static_cast<uint32_t>(form.samples() * bytes_per_sample);
  auto frame_bytes = static_cast<uint32_t>(form.channels * bytes_per_sample);
  std::string bytes = "RIFF";
  bytes.reserve(data_bytes + static_cast<size_t>(header_bytes));
  append(bytes, data_bytes + static_cast<uint32_t>(header_bytes) - 8, 4);
  bytes += "WAVEfmt ";
  append(bytes, 16, 4);  // the bytes of what follows, up to the data
  append(bytes, 1, 2);   // without compression
  append(bytes, static_cast<uint32_t>(form.channels), 2);
  append(bytes, form.rate, 4);
  append(bytes, form.rate * frame_bytes, 4);
  append(bytes, frame_bytes, 2);
  append(bytes, 8 * bytes_per_sample, 2);
  bytes += "data";
  append(bytes, data_bytes, 4);
  for (int64_t i = 0; i < form.samples(); ++i)
    append(bytes, static_cast<uint16_t>(to_sample(values[i])), 2);
  return bytes;
}

float WaveContents::value(int64_t frame, int64_t channel) const {
  auto at = static_cast<size_t>((frame * form.channels + channel) * bytes_per_sample);
  auto bits = static_cast<uint16_t>(number_in(samples.substr(at, bytes_per_sample)));
  return static_cast<float>(static_cast<int16_t>(bits)) / 32768.0f;
}

Result<WaveContents> decode_wave(std::string_view file) {
  WaveReader reader(file);
  WaveContents contents{.form = read_header(reader), .samples = {}};
  bool has_data = false;
  while (reader.has_more()) {
    auto chunk = reader.bytes(4);
    auto size = reader.number(4);
    constexpr auto largest = static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
    reader.check(
        size <= largest, "WAV data chunk '" + std::string(chunk) +
                             "' is too large: " + std::to_string(size) +
                             " bytes, but the limit is " + std::to_string(largest));
    if (chunk != "data") {
      reader.skip(size);
      continue;
    }
    reader.check(!has_data, "More than one data chunk found in WAV");
    if (!reader.status().ok()) break;
    has_data = true;
    auto frame_bytes = contents.form.channels * bytes_per_sample;
    contents.form.frames = size / frame_bytes;
    contents.samples = reader.bytes(static_cast<uint64_t>(contents.form.frames * frame_bytes));
  }
  reader.check(has_data, "No data chunk found in WAV");
  if (!reader.status().ok()) return reader.status();
  return contents;
}

}  // namespace troupe::cpu
