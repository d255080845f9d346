#include "troupe/devices/cuda/nn/pool_geometry.hpp"

#include "troupe/devices/cpu/nn/pooling.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

using cuda::PoolGeometry;
using Ints = std::vector<int64_t>;

BOOST_AUTO_TEST_SUITE(cuda_pool_geometry)

struct PoolCase {
  Ints sizes, strides;
  std::string padding, format;

  Attrs attrs() const {
    return {{"ksize", sizes}, {"strides", strides}, {"padding", padding}, {"data_format", format}};
  }
  PoolGeometry geometry(const Shape& input) const {
    auto windows = ops::Windows::make(
        {.data_format = format, .padding = padding, .strides = strides, .sizes = sizes});
    CHECK(windows.ok());
    auto plan = cpu::PoolPlan::make(*windows, input);
    CHECK(plan.ok());
    return PoolGeometry::of(*plan);
  }
};

const PoolCase cases[] = {
    {{1, 2, 2, 1}, {1, 2, 2, 1}, "VALID", "NHWC"}, {{1, 3, 3, 1}, {1, 2, 2, 1}, "SAME", "NHWC"},
    {{1, 3, 2, 1}, {1, 1, 3, 1}, "SAME", "NHWC"},  {{1, 1, 2, 2}, {1, 1, 2, 2}, "VALID", "NCHW"},
    {{1, 1, 3, 3}, {1, 1, 2, 1}, "SAME", "NCHW"},
};

template <class F>
void check_elements(const Result<Tensors>& on_cpu, const F& element) {
  BOOST_REQUIRE_MESSAGE(on_cpu.ok(), on_cpu.status().to_string());
  const auto& expected = (*on_cpu)[0];
  for (int64_t i = 0; i < expected.elements(); ++i)
    BOOST_REQUIRE_SMALL(expected.data<float>()[i] - element(i), 1e-5f);
}

BOOST_AUTO_TEST_CASE(pools_and_their_gradients_are_those_of_a_cpu) {
  Shape shape{2, 7, 6, 5};
  auto x = varied<float>(shape);
  for (const auto& of : cases) {
    auto pool = of.geometry(shape);
    auto y = run_op("MaxPool", {x}, of.attrs());
    check_elements(y, [&](int64_t i) { return cuda::max_pool_at(x.data<float>(), pool, i); });
    check_elements(run_op("AvgPool", {x}, of.attrs()), [&](int64_t i) {
      return cuda::average_pool_at(x.data<float>(), pool, i);
    });
    auto dy = varied<float>((*y)[0].shape());
    check_elements(run_op("MaxPoolGrad", {x, (*y)[0], dy}, of.attrs()), [&](int64_t i) {
      return cuda::max_pool_gradient_at(x.data<float>(), dy.data<float>(), pool, i);
    });
    auto sizes = vec<int32_t>({2, 7, 6, 5});
    check_elements(run_op("AvgPoolGrad", {sizes, dy}, of.attrs()), [&](int64_t i) {
      return cuda::average_pool_gradient_at(dy.data<float>(), pool, i);
    });
  }
}

BOOST_AUTO_TEST_CASE(of_equal_elements_of_a_window_the_first_gets_the_gradient) {
  Shape shape{1, 4, 4, 1};
  auto x = Tensor::of<float>(shape, std::vector<float>(16, 1.0f));
  auto pool = cases[0].geometry(shape);
  auto dy = vec({1, 2, 2, 1}, {1, 2, 3, 4});
  std::vector<float> gradients;
  for (int64_t i = 0; i < 16; ++i)
    gradients.push_back(cuda::max_pool_gradient_at(x.data<float>(), dy.data<float>(), pool, i));
  std::vector<float> expected = {1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0};
  BOOST_TEST(gradients == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
