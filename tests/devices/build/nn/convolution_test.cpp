#include "troupe/graph/build/nn/convolution.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/nn/pooling.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::nn {

namespace {

struct Filtered : testing::Model {
  Value images = linspace({2, 4, 4, 2}, -1, 2);

  /// The first image, or a corner of it.
  Value image(int32_t size) const {
    return b.op("Slice", {images, b.ints({0, 0, 0, 0}), b.ints({1, size, size, 2})});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(convolution, Filtered)

BOOST_AUTO_TEST_CASE(images_are_filtered) {
  auto filter = linspace({3, 2, 2, 3}, -0.5, 0.7);
  check(
      conv2d(b, images, filter, {.strides = {1, 2, 1, 1}}),
      {0.89551014,   0.67020404,   0.44489807,   0.97061235,  0.78448969, 0.59836739, 1.0457144,
       0.89877546,   0.75183672,   0.70326531,   0.63959187,  0.57591838, 0.33578232, 0.3423129,
       0.34884354,   0.22911565,   0.26176873,   0.29442176,  0.12244898, 0.1812245,  0.23999999,
       -0.092789114, -0.056870747, -0.020952383, 2.0971429,   2.4987757,  2.9004083,  2.172245,
       2.6130612,    3.0538776,    2.2473469,    2.7273469,   3.2073469,  0.36367351, 0.61346942,
       0.86326516,   -1.3708844,   -0.94639456,  -0.52190471, -1.4775512, -1.0269387, -0.57632661,
       -1.5842173,   -1.1074829,   -0.63074839,  -1.5730611,  -1.3281631, -1.0832653},
      {}, 1e-5);
}

BOOST_AUTO_TEST_CASE(sequences_are_filtered) {
  auto filter = linspace({2, 4, 2}, -1, 1);
  check(
      conv1d(b, linspace({2, 3, 4}, -1.5, 2), filter, {.padding = "VALID", .data_format = "NWC"}),
      {2.2202902, 1.188406, 1.8956523, 1.5130433, 1.2463768, 2.1623187, 0.92173922, 2.4869566});
}

BOOST_AUTO_TEST_CASE(a_convolution_is_transposed) {
  auto filter = linspace({2, 2, 1, 2}, -0.5, 0.7);
  check(
      conv2d_transpose(b, image(2), filter, b.ints({1, 4, 4, 1}), {.strides = {2}}),
      {0.81292516, 0.14353742, 0.73401362, 0.12993199, -0.52585036, -1.1952381, -0.47414967,
       -1.0782313, 0.49727893, 0.089115649, 0.41836736, 0.075510211, -0.31904763, -0.72721094,
       -0.26734695, -0.6102041});
}

BOOST_AUTO_TEST_CASE(channels_are_filtered_apart_and_then_mixed) {
  auto depthwise = linspace({2, 2, 2, 2}, -0.5, 0.7), pointwise = linspace({1, 1, 4, 2}, -1, 1);
  check(
      separable_conv2d(b, image(4), depthwise, pointwise, {.padding = "VALID"}),
      {-0.64544213, -0.66068029, -0.58013606, -0.55183673, -0.51482999, -0.44299322, -0.38421771,
       -0.22530614, -0.31891155, -0.1164626, -0.25360546, -0.007619068, -0.12299319, 0.21006805,
       -0.057687055, 0.31891158, 0.0076190443, 0.42775512});
}

BOOST_AUTO_TEST_CASE(windows_are_pooled) {
  check(
      max_pool(b, image(4)), {-0.52380955, -0.47619048, -0.33333334, -0.2857143, 0.23809524,
                              0.2857143, 0.42857143, 0.47619048});
  check(
      avg_pool(b, image(4), {.ksize = {3}, .strides = {2}, .padding = "SAME"}),
      {-0.52380949, -0.47619051, -0.38095239, -0.33333334, 0.047619056, 0.095238097, 0.19047619,
       0.23809524});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::nn
