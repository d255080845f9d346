// As large_calls_test.cpp, of ops of layers: convolutions of each channel, and recurrent cells.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/tests/cuda/large_calls.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The three ops of a convolution of each channel, with that input, filter and output.
void compare_depthwise(
    ComparedDevices& devices, const Attrs& attrs, const Tensor& x, const Tensor& filter,
    const Shape& output) {
  auto ints_of = [](const Shape& shape) {
    return ints({shape.sizes().begin(), shape.sizes().end()});
  };
  const std::string op = "DepthwiseConv2dNative";
  auto dy = numbers(x.dtype(), output, 34);
  devices.compare({.op = op, .attrs = attrs, .inputs = {x, filter}});
  Tensors of_input = {ints_of(x.shape()), filter, dy}, of_filter = {x, ints_of(filter.shape()), dy};
  devices.compare({.op = op + "BackpropInput", .attrs = attrs, .inputs = of_input});
  devices.compare({.op = op + "BackpropFilter", .attrs = attrs, .inputs = of_filter});
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
          auto is_last = format == "NHWC";
          auto shape = [&](int64_t y, int64_t x, int64_t c) {
            return is_last ? Shape{batch, y, x, c} : Shape{batch, c, y, x};
          };
          using Ints = std::vector<int64_t>;
          auto rate = 3 - stride;
          Attrs attrs = {
              {"T", dtype},
              {"data_format", format},
              {"strides", is_last ? Ints{1, stride, stride, 1} : Ints{1, 1, stride, stride}},
              {"dilations", is_last ? Ints{1, rate, rate, 1} : Ints{1, 1, rate, rate}},
              {"padding", "SAME"}};
          compare_depthwise(
              *this, attrs, numbers(dtype, shape(height, width, channels), 32),
              numbers(dtype, {3, 5, channels, multiplier}, 33),
              shape(height / stride, width / stride, channels * multiplier));
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

BOOST_AUTO_TEST_SUITE_END()
