#include "troupe/devices/cuda/image/crop_geometry.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>

namespace troupe::testing {

using cuda::CropAxis;
using cuda::CropPixels;

BOOST_AUTO_TEST_SUITE(cuda_crop_geometry)

void check_ranges(const CropAxis& axis) {
  for (int64_t i = 0; i < axis.crop; ++i) {
    auto at = axis.position(i);
    if (!axis.contains(at)) continue;
    CropPixels pixels(axis, at);
    for (auto pixel : {pixels.lower, pixels.upper, axis.pixel(roundf(at))}) {
      auto range = axis.range_near(pixel);
      BOOST_REQUIRE_MESSAGE(
          range.begin <= i && i < range.end, "pixel " << i << " of " << axis.crop << " from "
                                                      << axis.low << " to " << axis.high << " of "
                                                      << axis.pixels);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_near_a_pixel_is_in_its_range) {
  std::mt19937 random(1);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint32_t>(n)); };
  for (int i = 0; i < 3000; ++i) {
    // Wide boxes of few pixels, narrow ones of many, far corners, and such as differ in a few bits.
    auto scale = std::pow(10.0f, static_cast<float>(below(8)) - 2);
    auto corner = [&] { return (static_cast<float>(below(2001)) - 1000) / 1000 * scale; };
    CropAxis axis{1 + below(300), 1 + below(3000), corner(), corner()};
    if (below(3) == 0) axis.high = axis.low * (1 + static_cast<float>(below(100)) * 1e-7f);
    check_ranges(axis);
  }
}

BOOST_AUTO_TEST_CASE(positions_that_are_rounded_past_a_pixel_are_in_its_range) {
  // Each has a position that is exactly a little above a power of two, and below it as a float: the
  // product that it is the sum of is rounded more coarsely than the sum. Found by search.
  for (const auto& axis : {
           CropAxis{65, 257, -0.0058501563f, 0.0829128325f},
           CropAxis{65, 257, -0.00287671876f, 0.128594935f},
           CropAxis{65, 257, -0.0130235935f, 0.343241185f},
           CropAxis{65, 257, -0.00520468736f, 1.4796226f},
       })
    check_ranges(axis);
}

BOOST_AUTO_TEST_CASE(ranges_are_short) {
  CropAxis axis{1000, 1000, 0, 1};
  for (int64_t pixel = 0; pixel < axis.pixels; ++pixel) {
    auto range = axis.range_near(pixel);
    BOOST_TEST(range.end - range.begin <= 9);
  }
}

BOOST_AUTO_TEST_CASE(corners_that_are_no_numbers_have_no_pixels) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  for (auto corner : {infinity, -infinity, std::nanf(""), 3e38f})
    for (const auto& axis : {CropAxis{10, 5, 0, corner}, CropAxis{10, 5, corner, -corner}})
      check_ranges(axis);
  CropAxis axis{10, 5, 0, infinity};
  for (int64_t i = 0; i < axis.crop; ++i) BOOST_TEST(!axis.contains(axis.position(i)));
  BOOST_TEST(axis.range_near(3).end == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
