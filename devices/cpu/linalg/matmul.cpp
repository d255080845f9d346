#include "troupe/devices/cpu/linalg/batch_product.hpp"
#include "troupe/devices/cpu/math/math.hpp"

namespace troupe::cpu {
namespace {

struct Transposes {
  bool a, b;
};

Status compute_matmul(Launch& launch, MultiplyBatches multiply, Transposes transposes) {
  const auto &a = launch.input(0).shape(), &b = launch.input(1).shape();
  if (a.rank() != 2 || b.rank() != 2)
    return invalid_argument(
        "both operands must be matrices, but are " + a.to_string() + " and " + b.to_string());
  BatchProduct product{
      .rows = a[transposes.a ? 1 : 0],
      .inner = a[transposes.a ? 0 : 1],
      .columns = b[transposes.b ? 0 : 1],
      .transpose_a = transposes.a,
      .transpose_b = transposes.b};
  if (product.inner != b[transposes.b ? 1 : 0])
    return invalid_argument(
        "the inner sizes of " + a.to_string() + (transposes.a ? " (transposed)" : "") + " and " +
        b.to_string() + (transposes.b ? " (transposed)" : "") + " differ");
  // Of empty operands the product may be too large for any tensor.
  const int64_t sizes[] = {product.rows, product.columns};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(launch.input(0).dtype(), *shape);
  if (!out) return out.status();
  auto status = multiply(launch, product, launch.input(0), launch.input(1), *out);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

int64_t matmul_cost_ns(const Launch& launch, Transposes transposes) {
  const auto &a = launch.input(0), &b = launch.input(1);
  if (a.shape().rank() != 2 || b.shape().rank() != 2) return 0;
  return product_cost_ns(2.0 * double(a.elements()) * double(b.shape()[transposes.b ? 0 : 1]));
}

Result<Kernel> make_matmul(const Node& node) {
  Transposes transposes{node.attr<bool>("transpose_a"), node.attr<bool>("transpose_b")};
  auto dtype = node.attr<DType>("T");
  auto multiply = multiply_batches(dtype);
  if (!multiply) return no_kernel(dtype);
  return Kernel{
      .compute = [=](Launch& launch) { return compute_matmul(launch, multiply, transposes); },
      .cost_ns = [transposes](const Launch& launch) { return matmul_cost_ns(launch, transposes); }};
}

}  // namespace

void add_matmul_kernels(KernelCatalog& catalog) { catalog.add("MatMul", make_matmul); }

}  // namespace troupe::cpu
