#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

/// A kernel that has been made once, and goes on with its stream each time it is launched.
class StreamKernel {
 public:
  StreamKernel(const char* op, const Tensors& inputs, const Attrs& attrs) {
    Builder b;
    Values values;
    for (const auto& input : inputs) values.push_back(b.placeholder(input.dtype()));
    auto node = b.op(op, values, attrs);
    BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
    const auto& of = b.graph().node(node.output().node);
    outputs_ = of.output_dtypes.size();
    auto kernel = device_->kernels().make(of);
    BOOST_REQUIRE_MESSAGE(kernel.ok(), kernel.status().to_string());
    kernel_ = *kernel;
  }

  Tensors launch(Tensors inputs) {
    Tensors outputs(outputs_);
    Launch launch(*device_, {}, inputs, outputs);
    auto status = kernel_.compute(launch);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return outputs;
  }

 private:
  std::unique_ptr<Device> device_ = make_cpu_device();
  Kernel kernel_;
  size_t outputs_ = 0;
};

/// An element of a real tensor.
inline double number_at(const Tensor& tensor, int64_t index) {
  return visit(tensor.dtype(), [&](auto zero) -> double {
    using T = decltype(zero);
    if constexpr (std::is_convertible_v<T, double>)
      return static_cast<double>(tensor.data<T>()[index]);
    else return nan;
  });
}

inline std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> all;
  for (int64_t i = 0; i < tensor.elements(); ++i) all.push_back(number_at(tensor, i));
  return all;
}

/// Fails the test where the numbers differ by more than rounding does.
inline void check_near(
    const std::string& what, const std::vector<double>& got, const std::vector<double>& expected,
    double tolerance = 2e-6) {
  BOOST_TEST(got.size() == expected.size(), what);
  for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
    BOOST_TEST(
        std::abs(got[i] - expected[i]) <= tolerance * std::max(1.0, std::abs(expected[i])),
        what << ", number " << i << " is " << got[i] << " instead of " << expected[i]);
}

}  // namespace troupe::testing
