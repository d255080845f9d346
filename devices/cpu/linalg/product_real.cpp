#include "troupe/devices/cpu/linalg/product_by_eigen.hpp"

namespace troupe::cpu {

template void multiply_by_eigen(const Product<float>&);
template void multiply_by_eigen(const Product<double>&);

}  // namespace troupe::cpu
