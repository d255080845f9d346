#include <complex>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

/// The maker of a kernel from complex numbers of attribute T to as many real ones.
template <class F>
KernelCatalog::Make part_of_complex(F) {
  return [](const Node& node) {
    return dispatch(Complex{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = compute_unary<F, T, typename T::value_type>};
    });
  };
}

struct MakeComplex {
  template <class T>
  std::complex<T> operator()(T real, T imaginary) const {
    return {real, imaginary};
  }
};

Result<Kernel> make_complex(const Node& node) {
  return dispatch(Types<float, double>{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = compute_binary<MakeComplex, T, std::complex<T>>};
  });
}

}  // namespace

void add_complex_numbers_kernels(KernelCatalog& catalog) {
  catalog.add("Real", part_of_complex([](auto x) { return x.real(); }));
  catalog.add("Imag", part_of_complex([](auto x) { return x.imag(); }));
  catalog.add("Angle", part_of_complex([](auto x) { return std::arg(x); }));
  catalog.add("ComplexAbs", part_of_complex([](auto x) { return std::abs(x); }));
  catalog.add("Complex", make_complex);
}

}  // namespace troupe::cpu
