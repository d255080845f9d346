#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {
namespace {

// NaN fails every comparison, and passes.
constexpr auto relu6 = [](auto x) {
  using T = decltype(x);
  return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
};
constexpr auto relu6_gradient = [](auto dy, auto x) {
  using T = decltype(x);
  return x > T(0) && x < T(6) ? dy : T(0);
};

constexpr auto elu_gradient = [](auto dy, auto y) { return y < 0 ? (y + 1) * dy : dy; };

constexpr double selu_scale = 1.0507009873554804934193349852946;
constexpr double selu_scale_alpha = 1.7580993408473768599402175208123;
constexpr auto selu_gradient = [](auto dy, auto y) {
  using T = decltype(y);
  return dy * (y < 0 ? y + T(selu_scale_alpha) : T(selu_scale));
};

constexpr auto softplus_gradient = [](auto dy, auto x) { return dy / (std::exp(-x) + 1); };

constexpr auto softsign = [](auto x) { return x / (std::abs(x) + 1); };
constexpr auto softsign_gradient = [](auto dy, auto x) {
  auto root = std::abs(x) + 1;
  return dy / (root * root);
};

/// out[i] is x[i] where sign_of[i] is positive, else alpha times it.
template <class T>
void leak(T* out, const T* x, const T* sign_of, int64_t count, Promoted<T> alpha) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    auto value = promote(x[i]);
    out[i] = static_cast<T>(promote(sign_of[i]) > 0 ? value : alpha * value);
  }
}

/// Of LeakyRelu, or with two inputs (gradients, features) of LeakyReluGrad.
template <class T>
Status compute_leaky_relu(Launch& launch, Promoted<T> alpha) {
  const auto shape = launch.input(0).shape();
  const auto* x = launch.input(0).data<T>();
  const auto& features = launch.input(launch.input_count() - 1);
  if (features.shape() != shape)
    return invalid_argument(
        "both operands must have one shape, but are " + shape.to_string() + " and " +
        features.shape().to_string());
  const auto* sign_of = features.data<T>();
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    leak(result + begin, x + begin, sign_of + begin, end - begin, alpha);
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_leaky_relu(const Node& node) {
  auto alpha = node.attr<float>("alpha");
  return dispatch(Floating{}, node.attr<DType>("T"), [alpha](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [alpha](Launch& launch) {
      return compute_leaky_relu<T>(launch, static_cast<Promoted<T>>(alpha));
    }};
  });
}

}  // namespace

void add_activation_kernels(KernelCatalog& catalog) {
  using vector::Function;
  catalog.add("Relu6", unary<Real>(relu6));
  catalog.add("Relu6Grad", pairwise<Real>(relu6_gradient));
  catalog.add("LeakyRelu", make_leaky_relu);
  catalog.add("LeakyReluGrad", make_leaky_relu);
  catalog.add("Elu", costly_vector_unary<Function::elu, Floating>(as_it_is));
  catalog.add("EluGrad", pairwise<Floating>(elu_gradient));
  catalog.add("Selu", costly_vector_unary<Function::selu, Floating>(as_it_is));
  catalog.add("SeluGrad", pairwise<Floating>(selu_gradient));
  catalog.add("Softplus", costly_vector_unary<Function::softplus, Floating>(as_it_is));
  catalog.add("SoftplusGrad", pairwise<Floating>(softplus_gradient));
  catalog.add("Softsign", unary<Floating>(softsign));
  catalog.add("SoftsignGrad", pairwise<Floating>(softsign_gradient));
}

}  // namespace troupe::cpu
