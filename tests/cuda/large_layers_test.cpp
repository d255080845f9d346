// As large_calls_test.cpp, of ops of layers: convolutions of each channel, and recurrent cells.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/tests/cuda/large_calls.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The names of a convolution and of its gradients.
struct ConvolutionOps {
  std::string forward, to_input, to_filter;
};

/// Of that input and filter, whose result has the shape `output`.
void compare_convolution(
    ComparedDevices& devices, const ConvolutionOps& ops, const Attrs& attrs, const Tensor& x,
    const Tensor& filter, const Shape& output) {
  auto ints_of = [](const Shape& shape) {
    return ints({shape.sizes().begin(), shape.sizes().end()});
  };
  auto dy = numbers(x.dtype(), output, 34);
  devices.compare({.op = ops.forward, .attrs = attrs, .inputs = {x, filter}});
  Tensors of_input = {ints_of(x.shape()), filter, dy}, of_filter = {x, ints_of(filter.shape()), dy};
  devices.compare({.op = ops.to_input, .attrs = attrs, .inputs = of_input});
  devices.compare({.op = ops.to_filter, .attrs = attrs, .inputs = of_filter});
}

/// Numbers of the axes [batch, spatial..., channels], in the order that the format has them in.
std::vector<int64_t> in_order(const std::string& format, std::vector<int64_t> of_axes) {
  if (!format.ends_with("C")) std::rotate(of_axes.begin() + 1, of_axes.end() - 1, of_axes.end());
  return of_axes;
}

/// Numbers in [-1, 1].
Tensor eighths(DType dtype, const Shape& shape, uint32_t seed) {
  auto made = numbers(dtype, shape, seed, -8, 8);
  cpu::for_dtype(cpu::Floating{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    auto* all = made.mutable_data<T>();
    std::transform(all, all + made.elements(), all, [](T number) {
      return static_cast<T>(static_cast<float>(number) / 8);
    });
  });
  return made;
}

constexpr int64_t times = 3, batch = 37, inputs = 19, units = 45;

/// x, the states before it, and the weights of a memory cell.
Tensors lstm_inputs(DType dtype, bool is_block) {
  Shape state{batch, units}, weights{units};
  auto x = is_block ? Shape{times, batch, inputs} : Shape{batch, inputs};
  Tensors all;
  uint32_t seed = 40;
  for (const auto& shape :
       {x, state, state, Shape{inputs + units, 4 * units}, weights, weights, weights,
        Shape{4 * units}})
    all.push_back(eighths(dtype, shape, seed++));
  return all;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(large_layers_on_a_card, ComparedDevices)

BOOST_AUTO_TEST_CASE(depthwise_convolutions_of_many_and_of_large_images) {
  struct Case {
    int64_t batch, height, width, channels, multiplier;
  };
  for (auto [batch, height, width, channels, multiplier] :
       {Case{2, 60, 44, 1, 3}, Case{40, 4, 4, 33, 1}, Case{3, 26, 18, 5, 2}})
    for (auto dtype : floats)
      for (std::string format : {"NHWC", "NCHW"})
        for (int64_t stride : {1, 2}) {
          Attrs attrs = {
              {"T", dtype},
              {"data_format", format},
              {"strides", in_order(format, {1, stride, stride, 1})},
              {"dilations", in_order(format, {1, 3 - stride, 3 - stride, 1})},
              {"padding", "SAME"}};
          const std::string op = "DepthwiseConv2dNative";
          compare_convolution(
              *this, {op, op + "BackpropInput", op + "BackpropFilter"}, attrs,
              numbers(dtype, Shape(in_order(format, {batch, height, width, channels})), 32),
              numbers(dtype, {3, 5, channels, multiplier}, 33),
              Shape(in_order(
                  format, {batch, height / stride, width / stride, channels * multiplier})));
        }
}

BOOST_AUTO_TEST_CASE(
    convolutions_of_volumes_with_more_padding_behind_than_before, *where_card_has("Conv3D")) {
  for (auto dtype : floats)
    for (std::string format : {"NDHWC", "NCDHW"})
      for (int64_t stride : {1, 2}) {
        Attrs attrs = {
            {"T", dtype},
            {"data_format", format},
            {"strides", in_order(format, {1, 1, stride, stride, 1})},
            {"padding", "SAME"}};
        compare_convolution(
            *this, {"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"}, attrs,
            numbers(dtype, Shape(in_order(format, {2, 5, 8, 6, 7})), 35),
            numbers(dtype, {2, 3, 4, 7, 9}, 36),
            Shape(in_order(format, {2, 5, 8 / stride, 6 / stride, 9})));
      }
}

BOOST_AUTO_TEST_CASE(
    convolutions_so_large_that_the_engines_of_both_orders_are_measured, *where_card_has("Conv2D")) {
  for (std::string format : {"NHWC", "NCHW"}) {
    Attrs attrs = {
        {"data_format", format}, {"strides", in_order(format, {1, 1, 1, 1})}, {"padding", "SAME"}};
    auto images = [&](int64_t channels) { return Shape(in_order(format, {3, 33, 30, channels})); };
    compare_convolution(
        *this, {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"}, attrs,
        numbers(DType::float32, images(40), 37), numbers(DType::float32, {3, 3, 40, 48}, 38),
        images(48));
  }
}

BOOST_AUTO_TEST_CASE(memory_cells_of_many_sequences_and_their_gradients) {
  for (auto dtype : floats)
    for (const std::string op : {"LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"}) {
      auto is_block = op.starts_with("Block");
      Attrs peepholes = {{"T", dtype}, {"use_peephole", true}};
      auto attrs = peepholes;
      attrs["cell_clip"] = 1.25f;
      auto given = lstm_inputs(dtype, is_block);
      if (is_block) given.insert(given.begin(), Tensor::scalar<int64_t>(times - 1));
      compare({.op = op, .attrs = attrs, .inputs = given});
      RecordedCall forward{.where = "forward", .op = op, .attrs = attrs, .inputs = given};
      auto results = run_call(forward, cpu).outputs;
      if (!is_block) results.pop_back();  // h
      given.insert(given.end(), results.begin(), results.end());
      for (uint32_t seed : {50, 51}) given.push_back(eighths(dtype, results[0].shape(), seed));
      auto gradient = op.ends_with("V2") ? "BlockLSTMGradV2" : op + "Grad";
      compare({.op = gradient, .attrs = peepholes, .inputs = given});
    }
}

BOOST_AUTO_TEST_CASE(gated_units_of_many_sequences_and_their_gradients) {
  for (auto dtype : floats) {
    Shape state{batch, units};
    Tensors given;
    uint32_t seed = 60;
    for (const auto& shape :
         {Shape{batch, inputs}, state, Shape{inputs + units, 2 * units},
          Shape{inputs + units, units}, Shape{2 * units}, Shape{units}})
      given.push_back(eighths(dtype, shape, seed++));
    // What is multiplied again was rounded to the dtype.
    auto tolerance = size_of(dtype) == 2 ? 0.01 : 0;
    compare({.op = "GRUBlockCell", .attrs = {{"T", dtype}}, .inputs = given}, tolerance);
    for (int i = 0; i < 4; ++i) given.push_back(eighths(dtype, state, seed++));
    compare({.op = "GRUBlockCellGrad", .attrs = {{"T", dtype}}, .inputs = given}, tolerance);
  }
}

BOOST_AUTO_TEST_CASE(beams_of_many_rows) {
  auto scalar = [](int value) { return Tensor::scalar<int32_t>(value); };
  for (auto [times, batch, beams] :
       std::vector<std::array<int, 3>>{{1, 3, 2}, {20, 70, 9}, {5, 1, 1000}}) {
    Shape shape{times, batch, beams};
    auto ids = numbers(DType::int32, shape, 50, 0, 30);
    auto parents = numbers(DType::int32, shape, 51, 0, beams - 1);
    auto lengths = numbers(DType::int32, {batch}, 52, -1, times + 2);
    compare({.op = "GatherTree", .inputs = {ids, parents, lengths, scalar(30)}});
    if (times == 1) continue;
    auto* parent = parents.mutable_data<int32_t>() + (times - 1) * batch * beams;
    parent[batch * beams - 1] = -1;
    parent[batch * beams / 2] = beams;
    auto whole = numbers(DType::int32, {batch}, 0, times, times);
    RecordedCall call{.op = "GatherTree", .inputs = {ids, parents, whole, scalar(30)}};
    call.where = "beams of " + shape.to_string();
    auto expected = run_call(call, cpu), got = run_call(call, card);
    BOOST_TEST(got.status.message() == expected.status.message());
    BOOST_TEST(got.status.message().starts_with("Saw invalid parent id "));
  }
}

BOOST_AUTO_TEST_CASE(ranges_of_many_numbers_and_their_gradients) {
  auto limits = [](const Shape& shape, int value) {
    return numbers(DType::float32, shape, 71, value, value);
  };
  for (const auto& shape : {Shape{70000}, Shape{3, 5000}, Shape{5000, 3}, Shape{20, 30, 257}}) {
    auto x = numbers(DType::float32, shape, 72, -9, 9), dy = numbers(DType::float32, shape, 73);
    for (std::string kind : {"", "PerChannel"}) {
      auto sizes = kind.empty() ? Shape() : Shape{shape[shape.rank() - 1]};
      auto low = limits(sizes, -3), high = limits(sizes, 4);
      auto op = "FakeQuantWithMinMaxVars" + kind;
      compare({.op = op, .inputs = {x, low, high}});
      compare({.op = op + "Gradient", .inputs = {dy, x, low, high}});
    }
    compare({.op = "FakeQuantWithMinMaxArgs", .inputs = {x}});
    compare({.op = "FakeQuantWithMinMaxArgsGradient", .inputs = {dy, x}});
  }
}

BOOST_AUTO_TEST_CASE(weighted_sums_of_the_pixels_of_large_images) {
  for (const auto& [from, to] :
       {std::pair(Shape{2, 60, 41, 3}, Shape{2, 97, 130, 3}),
        std::pair(Shape{1, 150, 200, 2}, Shape{1, 31, 50, 2})})
    for (bool half_pixels : {false, true}) {
      auto size = ints({static_cast<int32_t>(to[1]), static_cast<int32_t>(to[2])});
      Attrs attrs{{"half_pixel_centers", half_pixels}};
      for (auto dtype : {DType::float32, DType::float16, DType::uint8, DType::int64}) {
        auto images = numbers(dtype, from, 77, 0, 9);
        compare({.op = "ResizeBicubic", .attrs = attrs, .inputs = {images, size}}, 1e-4);
        if (!half_pixels) compare({.op = "ResizeArea", .inputs = {images, size}}, 1e-4);
      }
      auto gradients = numbers(DType::float32, to, 78, -9, 9);
      for (auto dtype : {DType::float32, DType::float64})
        compare(
            {.op = "ResizeBicubicGrad",
             .attrs = attrs,
             .inputs = {gradients, numbers(dtype, from, 79)}},
            1e-4);
    }
}

BOOST_AUTO_TEST_CASE(scales_of_the_range_of_many_numbers) {
  for (auto dtype : floats)
    for (const auto& shape : {Shape{70000}, Shape{20, 30, 257}}) {
      auto x = numbers(dtype, shape, 74, -9, 8), limit = numbers(dtype, {}, 75, 0, 0);
      // The range is that of one number at the end alone.
      auto wide = numbers(dtype, {1}, 76, 11, 11);
      cpu::for_dtype(cpu::Floating{}, dtype, [&](auto zero) {
        using T = decltype(zero);
        x.mutable_data<T>()[x.elements() - 1] = wide.value<T>();
      });
      compare({.op = "QuantizeAndDequantize", .attrs = {{"num_bits", 5}}, .inputs = {x}});
      compare(
          {.op = "QuantizeAndDequantizeV2",
           .attrs = {{"num_bits", 5}, {"round_mode", "HALF_UP"}, {"narrow_range", true}},
           .inputs = {x, limit, limit}});
    }
}

BOOST_AUTO_TEST_SUITE_END()
