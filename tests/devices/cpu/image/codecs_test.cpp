#include <random>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

Tensor picture(const Shape& shape) {
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < shape.elements(); ++i)
    pixels.push_back(static_cast<uint8_t>(i * 5 % 251));
  return Tensor::of<uint8_t>(shape, std::span<const uint8_t>(pixels));
}

std::string encoded(const std::string& op, const Attrs& attrs = {}) {
  auto contents = run_op(op, {picture({17, 19, 3})}, attrs);
  BOOST_REQUIRE(contents.ok());
  return (*contents)[0].value<std::string>();
}

/// A BMP file of 2 rows of 3 pixels.
std::string small_bmp() {
  std::string contents(54 + 24, '\x20');
  const int32_t begin = 54, width = 3, height = 2;
  const int16_t bits = 24;
  std::memcpy(contents.data() + 10, &begin, 4);
  std::memcpy(contents.data() + 18, &width, 4);
  std::memcpy(contents.data() + 22, &height, 4);
  std::memcpy(contents.data() + 28, &bits, 2);
  return contents;
}

/// True if the op decodes the contents or says that they are wrong.
bool decodes_or_refuses(const std::string& op, const std::string& contents, const Attrs& attrs) {
  Tensors inputs{Tensor::string(contents)};
  if (op == "DecodeAndCropJpeg") inputs.push_back(vec<int32_t>({3, 4, 5, 6}));
  auto result = run_op(op, inputs, attrs);
  if (result.ok() || result.status().code() == Code::invalid_argument) return true;
  BOOST_TEST_MESSAGE(op << ": " << result.status().to_string());
  return false;
}

/// Tries files with a few bytes changed, and files that end too early.
void check_damaged(const std::string& op, const std::string& contents, const Attrs& attrs = {}) {
  std::mt19937 random(7);
  for (int i = 0; i < 150; ++i) {
    auto damaged = contents;
    for (int k = 0; k < 1 + i % 5; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    BOOST_TEST(decodes_or_refuses(op, damaged, attrs));
  }
}

BOOST_AUTO_TEST_SUITE(codecs)

BOOST_AUTO_TEST_CASE(damaged_jpeg_files_are_decoded_or_refused) {
  for (bool progressive : {false, true}) {
    auto contents = encoded("EncodeJpeg", {{"progressive", progressive}});
    check_damaged("DecodeJpeg", contents);
    check_damaged("DecodeJpeg", contents, {{"try_recover_truncated", true}, {"ratio", 2}});
    check_damaged("DecodeAndCropJpeg", contents, {{"acceptable_fraction", 0.1f}});
    check_damaged("ExtractJpegShape", contents);
  }
}

BOOST_AUTO_TEST_CASE(damaged_png_files_are_decoded_or_refused) {
  auto contents = encoded("EncodePng");
  check_damaged("DecodePng", contents);
  check_damaged("DecodePng", contents, {{"channels", 4}, {"dtype", DType::uint16}});
}

BOOST_AUTO_TEST_CASE(damaged_bmp_files_are_decoded_or_refused) {
  check_damaged("DecodeBmp", small_bmp());
}

BOOST_AUTO_TEST_CASE(png_files_are_decoded_to_what_was_encoded) {
  for (int64_t channels = 1; channels <= 4; ++channels)
    for (int64_t compression : {-1, 0, 9}) {
      auto image = picture({6, 7, channels});
      auto contents = run_op("EncodePng", {image}, {{"compression", compression}});
      BOOST_REQUIRE(contents.ok());
      BOOST_TEST(show("DecodePng", {(*contents)[0]}) == show(Result<Tensors>(Tensors{image})));
    }
  auto wide = vec<uint16_t>({1, 2, 2}, {1, 2, 0xabcd, 0xffff});
  auto contents = run_op("EncodePng", {wide});
  BOOST_REQUIRE(contents.ok());
  BOOST_TEST(
      show("DecodePng", {(*contents)[0]}, {{"dtype", DType::uint16}}) ==
      show(Result<Tensors>(Tensors{wide})));
}

BOOST_AUTO_TEST_CASE(images_too_large_for_a_file_are_refused) {
  auto image = picture({1, 65501, 1});
  BOOST_TEST(starts_with(
      show("EncodeJpeg", {image}),
      "InvalidArgument: a JPEG image must have at least 1 and at most "
      "65500 rows and columns"));
  BOOST_TEST(starts_with(
      show("EncodeJpeg", {picture({2, 2, 3})}, {{"xmp_metadata", std::string(66000, 'x')}}),
      "InvalidArgument: 'xmp_metadata' must have at most 65504 bytes, but has 66000"));
}

BOOST_AUTO_TEST_CASE(a_large_size_in_a_header_takes_no_memory) {
  auto contents = encoded("EncodeJpeg");
  auto frame = contents.find("\xff\xc0");
  BOOST_REQUIRE(frame != std::string::npos);
  for (size_t i = 5; i < 9; ++i) contents[frame + i] = '\xfe';
  BOOST_TEST(starts_with(
      show("DecodeJpeg", {Tensor::string(contents)}),
      "InvalidArgument: the JPEG image has 65278 rows of 65278 pixels, which is too large"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::testing
