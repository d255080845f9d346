#include <cmath>
#include <limits>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

const float not_a_number = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();

std::string cepstrum(const Attrs& attrs) {
  auto squares = vec({1, 1, 3}, {1, 4, 9});
  Attrs all{{"filterbank_channel_count", 2}, {"dct_coefficient_count", 2}};
  for (const auto& [name, value] : attrs) all[name] = value;
  return show("Mfcc", {squares, Tensor::scalar<int32_t>(8000)}, all);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sounds)

BOOST_AUTO_TEST_CASE(a_sound_that_is_written_is_read_again) {
  auto audio = vec({3, 2}, {0, 0.5f, -1, 1, not_a_number, 0.25f});
  auto file = run_op("EncodeWav", {audio, Tensor::scalar<int32_t>(8000)});
  BOOST_REQUIRE(file.ok());
  BOOST_TEST(show("DecodeWav", *file) == "float32[3,2] [0 0.5 -1 0.999969 0 0.25]; int32[] [8000]");
}

BOOST_AUTO_TEST_CASE(a_sound_may_be_larger_than_what_one_thread_reads) {
  auto audio = varied<float>({100'000, 3});
  auto file = run_op("EncodeWav", {audio, Tensor::scalar<int32_t>(8000)});
  BOOST_REQUIRE(file.ok());
  auto read = run_op("DecodeWav", *file, {{"desired_samples", 100'001}, {"desired_channels", 4}});
  BOOST_REQUIRE(read.ok());
  auto values = (*read)[0].values<float>();
  float apart = 0;
  for (int64_t frame = 0; frame < 100'000; ++frame)
    for (int64_t channel = 0; channel < 4; ++channel) {
      auto written =
          audio.values<float>()[static_cast<size_t>(3 * frame + std::min<int64_t>(channel, 2))];
      auto found = values[static_cast<size_t>(4 * frame + channel)];
      apart = std::max(apart, std::abs(written - found));
    }
  BOOST_TEST(apart <= 1.0f / 32768);
  BOOST_TEST(values[values.size() - 1] == 0);
}

BOOST_AUTO_TEST_CASE(a_file_has_less_than_65536_channels) {
  auto audio = varied<float>({1, 65536});
  auto error = show("EncodeWav", {audio, Tensor::scalar<int32_t>(8000)});
  BOOST_TEST(error.starts_with("InvalidArgument: num_channels must be in (0, 2^16), got: 65536"));
}

BOOST_AUTO_TEST_CASE(limits_of_frequencies_are_numbers) {
  BOOST_TEST(cepstrum({{"upper_frequency_limit", infinity}}) == "float32[1,1,2] [0 0]");
  for (const auto* limit : {"lower_frequency_limit", "upper_frequency_limit"})
    BOOST_TEST(cepstrum({{limit, not_a_number}})
                   .starts_with("InvalidArgument: Mfcc initialization failed for channel count 3"));
  BOOST_TEST(cepstrum({{"filterbank_channel_count", int64_t{1} << 40}})
                 .starts_with("InvalidArgument: Mfcc initialization failed"));
}

BOOST_AUTO_TEST_CASE(a_window_may_be_longer_than_the_sound) {
  Attrs attrs{{"window_size", int64_t{1} << 26}, {"stride", 1}};
  BOOST_TEST(
      show("AudioSpectrogram", {vec({3, 1}, {1, 2, 3})}, attrs) == "float32[1,0,33554433] []");
  attrs["window_size"] = (int64_t{1} << 26) + 1;
  BOOST_TEST(show("AudioSpectrogram", {vec({3, 1}, {1, 2, 3})}, attrs)
                 .starts_with("InvalidArgument: Spectrogram initialization failed"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
