#include <atomic>
#include <cmath>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

using Ints = std::vector<int64_t>;

/// Memory of the heap that may end before a device's.
struct CountingAllocator final : Allocator {
  std::atomic<int64_t> bytes = 0;

  void* allocate(size_t size) override {
    bytes += static_cast<int64_t>(size);
    return heap_allocator().allocate(size);
  }
  void deallocate(void* memory, size_t size) noexcept override {
    bytes -= static_cast<int64_t>(size);
    heap_allocator().deallocate(memory, size);
  }
};

/// A convolution with work enough for oneDNN and, with several images, for all threads.
struct LargeConvolution {
  std::string forward, to_input, to_filter;
  Shape input, filter;
  Attrs attrs;
};

std::vector<LargeConvolution> large_convolutions() {
  std::vector<LargeConvolution> all;
  auto add = [&](const std::string& op, Shape input, Shape filter, Attrs attrs) {
    auto version = std::string(op == "Conv3D" ? "V2" : "");
    all.push_back(
        {op, op + "BackpropInput" + version, op + "BackpropFilter" + version, input, filter,
         std::move(attrs)});
  };
  Ints ones{1, 1, 1, 1};
  const std::string depthwise = "DepthwiseConv2dNative";
  add("Conv2D", {4, 14, 15, 16}, {3, 3, 16, 24}, {{"strides", ones}, {"padding", "SAME"}});
  add("Conv2D", {3, 16, 14, 15}, {3, 3, 16, 20},
      {{"strides", ones}, {"padding", "SAME"}, {"data_format", "NCHW"}});
  add("Conv2D", {3, 29, 28, 3}, {5, 4, 3, 8},
      {{"strides", Ints{1, 2, 3, 1}}, {"padding", "VALID"}});
  add("Conv2D", {2, 12, 12, 8}, {2, 3, 4, 12}, {{"strides", ones}, {"padding", "SAME"}});
  add("Conv2D", {3, 11, 13, 8}, {3, 2, 8, 5},
      {{"strides", ones},
       {"padding", "EXPLICIT"},
       {"dilations", Ints{1, 2, 3, 1}},
       {"explicit_paddings", Ints{0, 0, 4, 0, 1, 2, 0, 0}}});
  add("Conv2D", {4, 7, 7, 256}, {1, 1, 256, 512},
      {{"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}});
  add("Conv2D", {1, 7, 7, 32}, {1, 1, 32, 33}, {{"strides", ones}, {"padding", "VALID"}});
  add("Conv2D", {3, 9, 10, 32}, {1, 1, 32, 48}, {{"strides", ones}, {"padding", "SAME"}});
  add("Conv2D", {1, 31, 20, 16}, {5, 3, 16, 33},
      {{"strides", Ints{1, 2, 1, 1}}, {"padding", "SAME"}});
  add("Conv2D", {1, 16, 20, 16}, {3, 3, 16, 32},
      {{"strides", ones}, {"padding", "SAME"}, {"data_format", "NHWC"}});
  add(depthwise, {3, 20, 19, 16}, {3, 3, 16, 1}, {{"strides", ones}, {"padding", "SAME"}});
  add(depthwise, {3, 20, 19, 6}, {3, 3, 6, 2},
      {{"strides", Ints{1, 2, 2, 1}}, {"padding", "VALID"}});
  add(depthwise, {3, 6, 20, 19}, {3, 3, 6, 2},
      {{"strides", ones}, {"padding", "VALID"}, {"data_format", "NCHW"}});
  add("Conv3D", {3, 6, 8, 7, 5}, {3, 2, 3, 5, 8},
      {{"strides", Ints{1, 2, 1, 1, 1}}, {"padding", "SAME"}});
  add("Conv3D", {2, 5, 6, 8, 7}, {3, 2, 3, 5, 8},
      {{"strides", Ints{1, 1, 1, 1, 1}}, {"padding", "SAME"}, {"data_format", "NCDHW"}});
  return all;
}

Tensor shape_tensor(const Shape& shape) {
  std::vector<int32_t> sizes;
  for (auto size : shape.sizes()) sizes.push_back(static_cast<int32_t>(size));
  return Tensor::of<int32_t>({shape.rank()}, std::span<const int32_t>(sizes));
}

/// Output, gradient of the input, gradient of the filter.
template <class T>
Tensors all_passes(const LargeConvolution& c) {
  auto x = varied<T>(c.input), w = varied<T>(c.filter);
  auto y = run_op(c.forward, {x, w}, c.attrs);
  BOOST_REQUIRE_MESSAGE(y.ok(), y.status().to_string());
  auto dy = varied<T>((*y)[0].shape());
  auto dx = run_op(c.to_input, {shape_tensor(c.input), w, dy}, c.attrs);
  auto dw = run_op(c.to_filter, {x, shape_tensor(c.filter), dy}, c.attrs);
  BOOST_REQUIRE_MESSAGE(dx.ok(), dx.status().to_string());
  BOOST_REQUIRE_MESSAGE(dw.ok(), dw.status().to_string());
  return {(*y)[0], (*dx)[0], (*dw)[0]};
}

double greatest_difference(const Tensor& floats, const Tensor& doubles) {
  BOOST_REQUIRE((floats.shape() == doubles.shape()));
  double greatest = 0;
  for (int64_t i = 0; i < floats.elements(); ++i)
    greatest =
        std::max(greatest, std::abs(double(floats.data<float>()[i]) - doubles.data<double>()[i]));
  return greatest;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(convolution)

BOOST_AUTO_TEST_CASE(large_convolutions_of_floats_are_those_of_doubles) {
  for (const auto& c : large_convolutions()) {
    auto floats = all_passes<float>(c), doubles = all_passes<double>(c);
    for (size_t i = 0; i < floats.size(); ++i)
      BOOST_TEST(
          greatest_difference(floats[i], doubles[i]) < 1e-3,
          c.forward << " of " << c.input.to_string() << ", pass " << i);
  }
}

BOOST_AUTO_TEST_CASE(a_filter_is_read_anew_after_it_was_written) {
  auto x = varied<float>({2, 16, 16, 32}), w = varied<float>({3, 3, 32, 48});
  Attrs attrs{{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}};
  auto compute = [&] { return (*run_op("Conv2D", {x, w}, attrs))[0]; };
  auto first = compute();
  for (int i = 0; i < 3; ++i) BOOST_TEST(equal(compute(), first));
  auto* elements = w.mutable_data<float>();
  std::transform(elements, elements + w.elements(), elements, [](float f) { return 2 * f; });
  auto twice = compute();
  for (int64_t i = 0; i < first.elements(); ++i)
    BOOST_REQUIRE_EQUAL(twice.data<float>()[i], 2 * first.data<float>()[i]);
}

BOOST_AUTO_TEST_CASE(what_is_kept_of_a_filter_lies_in_the_memory_that_the_filter_lies_in) {
  CountingAllocator filters;
  {
    KernelFixture kernels;
    auto x = varied<float>({2, 16, 16, 32}), values = varied<float>({3, 3, 32, 48});
    auto w = *Tensor::allocate(DType::float32, values.shape(), filters);
    std::copy_n(values.data<float>(), w.elements(), w.mutable_data<float>());
    auto of_filter = filters.bytes.load();
    Attrs attrs{{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}};
    for (int i = 0; i < 3; ++i)
      BOOST_TEST(kernels.launch("Conv2D", {}, {x, w}, DType::float32, attrs) == "Ok");
    BOOST_TEST(filters.bytes.load() >= 2 * of_filter);
    kernels.device.reset();
    BOOST_TEST(filters.bytes.load() >= 2 * of_filter);
  }
  BOOST_TEST(filters.bytes.load() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
