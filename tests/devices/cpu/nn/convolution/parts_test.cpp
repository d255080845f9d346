#include "troupe/devices/cpu/nn/convolution/parts.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

namespace troupe::cpu {
namespace {

using Pass = ConvolutionPass;

/// One axis of a convolution, as "SAME" or "VALID" places its windows.
struct Axis {
  int64_t size, window, stride, dilation;
  bool pads;
};

Convolution make_convolution(const Axis& rows, int64_t batch, bool channels_first = false) {
  Convolution c{
      .batch = batch, .inputs = 5, .outputs = 7, .spatial = 2, .channels_first = channels_first};
  c.in = {1, rows.size, 40};
  c.kernel = {1, rows.window, 3};
  c.strides = {1, rows.stride, 2};
  c.dilations = {1, rows.dilation, 1};
  for (size_t i = 1; i < 3; ++i) {
    auto window = (c.kernel[i] - 1) * c.dilations[i] + 1;
    if (!rows.pads) {
      c.out[i] = (c.in[i] - window) / c.strides[i] + 1;
      continue;
    }
    c.out[i] = (c.in[i] - 1) / c.strides[i] + 1;
    auto padding = std::max<int64_t>(0, (c.out[i] - 1) * c.strides[i] + window - c.in[i]);
    c.before[i] = padding / 2;
    c.after[i] = padding - padding / 2;
  }
  return c;
}

std::vector<double> numbers(int64_t count) {
  std::vector<double> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size(); ++i) all[i] = double(i * 7 % 31) - 15;
  return all;
}

struct Operands {
  std::vector<double> input, filter, output;

  explicit Operands(const Convolution& c)
      : input(numbers(c.batch * c.in_channels() * c.in_positions())),
        filter(numbers(c.filter_elements())),
        output(numbers(c.batch * c.out_channels() * c.out_positions())) {}

  std::vector<double>& result_of(Pass pass) {
    return pass == Pass::output ? output : pass == Pass::input ? input : filter;
  }
};

/// Integers: sums are exact in any order.
std::vector<double> compute(
    const Convolution& whole, Pass pass, const std::vector<ConvolutionPart>& parts) {
  Operands all(whole);
  std::vector<double> result(all.result_of(pass).size()), sum(result.size());
  for (const auto& part : parts) {
    ConvolutionData<double> data{
        all.input.data() + part.input, all.filter.data(), all.output.data() + part.output,
        result.data()};
    data.result += pass == Pass::output ? part.output : pass == Pass::input ? part.input : 0;
    convolve_by_loops(part.convolution, pass, data);
    if (pass == Pass::filter)
      std::transform(sum.begin(), sum.end(), result.begin(), sum.begin(), std::plus());
  }
  return pass == Pass::filter ? sum : result;
}

const std::vector<Axis> all_axes{
    {29, 3, 1, 1, true}, {29, 3, 1, 1, false}, {30, 5, 2, 1, true},  {30, 5, 2, 1, false},
    {31, 2, 3, 1, true}, {31, 1, 2, 1, true},  {33, 3, 1, 4, true},  {33, 3, 2, 4, false},
    {28, 7, 2, 1, true}, {28, 2, 2, 1, false}, {28, 3, 3, 1, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(convolution_parts)

BOOST_AUTO_TEST_CASE(parts_of_rows_compute_what_the_whole_computes) {
  for (const auto& axis : all_axes) {
    for (auto pass : {Pass::output, Pass::input, Pass::filter}) {
      for (int64_t batch : {1, 2}) {
        // Enough to be worth a division.
        auto c = make_convolution(axis, batch);
        c.inputs = 50;
        c.outputs = 70;
        auto whole = compute(c, pass, {{c}});
        for (int64_t threads : {2, 3, 4, 8}) {
          auto parts = split_convolution(c, pass, threads);
          BOOST_TEST(
              (compute(c, pass, parts) == whole),
              "rows " << axis.size << ", window " << axis.window << ", stride " << axis.stride
                      << ", dilation " << axis.dilation << ", pass " << int(pass) << ", batch "
                      << batch << ", threads " << threads);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(images_are_divided_before_rows_and_rows_only_with_channels_last) {
  Axis axis{56, 3, 1, 1, true};
  auto parts_of = [&](int64_t batch, int64_t threads, bool channels_first = false) {
    auto c = make_convolution(axis, batch, channels_first);
    c.inputs = c.outputs = 64;
    return split_convolution(c, Pass::output, threads);
  };
  BOOST_TEST(parts_of(8, 2).size() == 2);
  BOOST_TEST(parts_of(8, 2)[1].convolution.batch == 4);
  BOOST_TEST(parts_of(3, 2)[0].convolution.batch == 1);
  BOOST_TEST(parts_of(1, 4).size() == 4);
  BOOST_TEST(parts_of(1, 4)[1].convolution.out[1] == 14);
  BOOST_TEST(parts_of(3, 4).size() == 6);
  BOOST_TEST(parts_of(1, 400).size() == 56);
  BOOST_TEST(parts_of(1, 4, true).size() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_small_stays_whole) {
  auto c = make_convolution({8, 3, 1, 1, true}, 4);
  BOOST_TEST(split_convolution(c, Pass::output, 4).size() == 1);
}

BOOST_AUTO_TEST_CASE(rows_that_nothing_was_computed_from_keep_an_image_whole) {
  // Of the gradient of an input whose windows leave rows out, some parts would have no output.
  auto c = make_convolution({64, 1, 16, 1, true}, 1);
  c.inputs = c.outputs = 512;
  BOOST_TEST(split_convolution(c, Pass::input, 32).size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::cpu
