#include <limits>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// The pixels of the image in the summary of one image.
std::string pixels_of(const Tensor& image, const Attrs& attrs) {
  auto summary = run_op("ImageSummary", {Tensor::string("x"), image}, attrs);
  if (!summary) return show(summary);
  auto bytes = (*summary)[0].value<std::string>();
  auto file = bytes.find("\x89PNG");
  BOOST_REQUIRE(file != std::string::npos);
  return show("DecodePng", {Tensor::string(bytes.substr(file))});
}

const float infinity = std::numeric_limits<float>::infinity();

}  // namespace

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(a_pixel_that_is_not_finite_gets_the_color_that_the_node_says) {
  auto image = vec({1, 1, 3, 1}, {1, infinity, 4});
  Attrs attrs{{"max_images", 1}};
  BOOST_TEST(pixels_of(image, attrs) == "uint8[1,3,1] [63 255 255]");
  attrs["bad_color"] = vec<uint8_t>({7, 8});
  BOOST_TEST(pixels_of(image, attrs) == "uint8[1,3,1] [63 7 255]");
}

BOOST_AUTO_TEST_CASE(a_bad_color_has_a_byte_for_each_channel) {
  auto image = vec({1, 1, 1, 3}, {1, 2, 3});
  for (const auto& color :
       {vec<uint8_t>({7, 8}), vec<int32_t>({1, 2, 3}), vec<uint8_t>({1, 3}, {1, 2, 3})})
    BOOST_TEST(
        pixels_of(image, {{"max_images", 1}, {"bad_color", color}}).starts_with("InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(the_summary_of_a_tensor_has_the_name_of_its_node) {
  Builder b;
  auto node = b.named("of_x").op("TensorSummary", {b.constant(1.5f)});
  auto values = run_graph(b, {}, {node}, {});
  BOOST_REQUIRE(values.ok());
  auto bytes = (*values)[0].value<std::string>();
  BOOST_TEST(bytes.find("\x3a\x04of_x") != std::string::npos);  // field 7
}

BOOST_AUTO_TEST_CASE(a_histogram_error_names_the_node) {
  Builder b;
  auto tag = b.constant(Tensor::string("t"));
  auto node = b.named("here").op("HistogramSummary", {tag, b.constant(infinity)});
  BOOST_TEST(
      run_graph(b, {}, {node}, {}).status().message() == "Infinity in summary histogram for: here");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
