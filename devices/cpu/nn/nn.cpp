#include "troupe/devices/cpu/nn/nn.hpp"

#include <numeric>
#include <vector>

#include <Eigen/Core>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

template <class T>
Status compute_l2_loss(Launch& launch) {
  using A = Promoted<T>;
  const auto& in = launch.input(0);
  auto out = launch.allocate(dtype_of<T>(), {});
  if (!out) return out.status();
  // Of parts, whose number depends on the size alone, so that the sum does too.
  constexpr int64_t part = 64 * 1024;
  const auto* elements = in.data<T>();
  std::vector<A> sums(static_cast<size_t>((in.elements() + part - 1) / part));
  parallel_ranges(static_cast<int64_t>(sums.size()), part, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      const auto count = std::min(part, in.elements() - i * part);
      Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> array(elements + i * part, count);
      sums[static_cast<size_t>(i)] = array.template cast<A>().square().sum();
    }
  });
  *out->template mutable_data<T>() =
      static_cast<T>(std::accumulate(sums.begin(), sums.end(), A(0)) / A(2));
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_l2_loss(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = compute_l2_loss<decltype(zero)>};
  });
}

}  // namespace

void add_nn_kernels(KernelCatalog& catalog) {
  // NaN is not less than 0 and passes.
  auto relu = [](auto x) { return x < decltype(x)(0) ? decltype(x)(0) : x; };
  auto relu_gradient = [](auto dy, auto x) { return x > decltype(x)(0) ? dy : decltype(dy)(0); };
  catalog.add("Relu", vector_unary<vector::Function::relu, Real>(relu));
  catalog.add("ReluGrad", pairwise<Real>(relu_gradient));
  catalog.add("L2Loss", make_l2_loss);
  add_bias_kernels(catalog);
  add_softmax_kernels(catalog);
  add_lstm_kernels(catalog);
  add_gru_kernels(catalog);
}

}  // namespace troupe::cpu
