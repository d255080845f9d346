#include <complex>

#include "troupe/devices/cpu/linalg/product_by_eigen.hpp"

namespace troupe::cpu {

template void multiply_by_eigen(const Product<std::complex<float>>&);
template void multiply_by_eigen(const Product<std::complex<double>>&);

}  // namespace troupe::cpu
