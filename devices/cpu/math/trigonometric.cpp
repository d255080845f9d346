#include <cmath>
#include <complex>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {

void add_trigonometric_kernels(KernelCatalog& catalog) {
  catalog.add("Tan", scalar_function<Differentiable>([](auto x) { return std::tan(x); }));
  using vector::Function;
  catalog.add("Sin", costly_vector_unary<Function::sin, Differentiable>([](auto x) {
                return std::sin(x);
              }));
  catalog.add("Cos", costly_vector_unary<Function::cos, Differentiable>([](auto x) {
                return std::cos(x);
              }));
  catalog.add("Asin", costly_vector_unary<Function::asin, Differentiable>([](auto x) {
                return std::asin(x);
              }));
  catalog.add("Acos", costly_vector_unary<Function::acos, Differentiable>([](auto x) {
                return std::acos(x);
              }));
  catalog.add("Atan", costly_vector_unary<Function::atan, Differentiable>([](auto x) {
                return std::atan(x);
              }));
  catalog.add("Atanh", costly_vector_unary<Function::atanh, Differentiable>([](auto x) {
                return std::atanh(x);
              }));
  catalog.add("Sinh", scalar_function<Differentiable>([](auto x) { return std::sinh(x); }));
  catalog.add("Cosh", scalar_function<Differentiable>([](auto x) { return std::cosh(x); }));
  catalog.add("Asinh", scalar_function<Differentiable>([](auto x) { return std::asinh(x); }));
  catalog.add("Acosh", scalar_function<Differentiable>([](auto x) { return std::acosh(x); }));
  catalog.add("Atan2", vector_binary<vector::Arithmetic::atan2, Floating>([](auto y, auto x) {
                return std::atan2(y, x);
              }));
}

}  // namespace troupe::cpu
