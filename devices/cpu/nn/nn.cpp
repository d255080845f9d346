#include "troupe/devices/cpu/nn/nn.hpp"

#include <Eigen/Core>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {
namespace {

template <class T>
Status compute_l2_loss(Launch& launch) {
  using A = Promoted<T>;
  const auto& in = launch.input(0);
  auto out = launch.allocate(dtype_of<T>(), {});
  if (!out) return out.status();
  Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> elements(in.data<T>(), in.elements());
  *out->template mutable_data<T>() =
      static_cast<T>(elements.template cast<A>().square().sum() / A(2));
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
