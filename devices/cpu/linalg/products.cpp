
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/linalg/batch_product.hpp"
#include "troupe/devices/cpu/linalg/einsum.hpp"

namespace troupe::cpu {
namespace {

struct BatchMatMulForm {
  bool adj_x, adj_y;
  bool broadcasts;
};

Shape batches_of(const Shape& shape) { return Shape(shape.sizes().first(shape.rank() - 2)); }

/// Where the matrices of each product begin, for operands whose batches are broadcast together.
LoopNest<2> walk_batches(
    const Shape& x, const Shape& y, const Shape& joint, int64_t x_size, int64_t y_size) {
  LoopNest<2> walk;
  int64_t x_stride = x_size, y_stride = y_size;
  for (int back = 1; back <= joint.rank(); ++back) {
    auto x_count = back <= x.rank() ? x[x.rank() - back] : 1;
    auto y_count = back <= y.rank() ? y[y.rank() - back] : 1;
    walk.add_axis(
        joint[joint.rank() - back], {x_count == 1 ? 0 : x_stride, y_count == 1 ? 0 : y_stride});
    x_stride *= x_count;
    y_stride *= y_count;
  }
  return walk;
}

struct PlannedProduct {
  BatchProduct product;
  Shape shape;
};

Result<PlannedProduct> plan_product(const Shape& x, const Shape& y, const BatchMatMulForm& form) {
  if (x.rank() < 2 || y.rank() < 2)
    return invalid_argument(
        "both operands must have at least rank 2, but are " + x.to_string() + " and " +
        y.to_string());
  auto x_batches = batches_of(x), y_batches = batches_of(y);
  auto joint = form.broadcasts ? broadcast(x_batches, y_batches) : x_batches.merge(y_batches);
  if (!joint)
    return invalid_argument(
        "the batches of " + x.to_string() + " and " + y.to_string() + " do not agree");
  auto x_rows = x[x.rank() - 2], x_columns = x[x.rank() - 1];
  auto y_rows = y[y.rank() - 2], y_columns = y[y.rank() - 1];
  PlannedProduct plan{
      .product = {
          .rows = form.adj_x ? x_columns : x_rows,
          .inner = form.adj_x ? x_rows : x_columns,
          .columns = form.adj_y ? y_rows : y_columns,
          .transpose_a = form.adj_x,
          .transpose_b = form.adj_y}};
  auto& product = plan.product;
  if (product.inner != (form.adj_y ? y_columns : y_rows))
    return invalid_argument(
        "the inner sizes of " + x.to_string() + (form.adj_x ? " (adjoint)" : "") + " and " +
        y.to_string() + (form.adj_y ? " (adjoint)" : "") + " differ");
  std::vector<int64_t> sizes(joint->sizes().begin(), joint->sizes().end());
  sizes.insert(sizes.end(), {product.rows, product.columns});
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  plan.shape = *shape;
  auto x_size = x_rows * x_columns, y_size = y_rows * y_columns;
  // One matrix for all rows of all batches: a single product.
  if (y_batches.elements() == 1 && !form.adj_x && x_batches == *joint)
    product.rows *= joint->elements();
  else product.batches = walk_batches(x_batches, y_batches, *joint, x_size, y_size);
  return plan;
}

/// The complex conjugate of an operand that is to be adjoint; itself where it is real.
Result<Tensor> conjugate(const Launch& launch, const Tensor& x) {
  Result<Tensor> result = x;
  for_dtype(Complex{}, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    result = launch.allocate(x.dtype(), x.shape());
    if (!result) return;
    const auto* from = x.data<T>();
    auto* to = result->template mutable_data<T>();
    for (int64_t i = 0; i < x.elements(); ++i) to[i] = std::conj(from[i]);
  });
  return result;
}

Status compute_batch_matmul(Launch& launch, MultiplyBatches multiply, const BatchMatMulForm& form) {
  const auto &x = launch.input(0), &y = launch.input(1);
  auto plan = plan_product(x.shape(), y.shape(), form);
  if (!plan) return plan.status();
  auto a = form.adj_x ? conjugate(launch, x) : x;
  auto b = form.adj_y ? conjugate(launch, y) : y;
  auto out = launch.allocate(x.dtype(), plan->shape);
  for (const auto* tensor : {&a, &b, &out})
    if (!*tensor) return tensor->status();
  auto status = multiply(launch, plan->product, *a, *b, *out);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

int64_t batch_matmul_cost_ns(const Launch& launch, const BatchMatMulForm& form) {
  auto plan = plan_product(launch.input(0).shape(), launch.input(1).shape(), form);
  if (!plan) return 0;
  const auto& product = plan->product;
  return product_cost_ns(product.flops_each() * double(product.batches.elements()));
}

KernelCatalog::Make make_batch_matmul(bool broadcasts) {
  return [broadcasts](const Node& node) -> Result<Kernel> {
    BatchMatMulForm form{node.attr<bool>("adj_x"), node.attr<bool>("adj_y"), broadcasts};
    auto dtype = node.attr<DType>("T");
    auto multiply = multiply_batches(dtype);
    if (!multiply) return no_kernel(dtype);
    return Kernel{
        .compute = [=](Launch& launch) { return compute_batch_matmul(launch, multiply, form); },
        .cost_ns = [form](const Launch& launch) { return batch_matmul_cost_ns(launch, form); }};
  };
}

}  // namespace

void add_products_kernels(KernelCatalog& catalog) {
  catalog.add("BatchMatMul", make_batch_matmul(/*broadcasts=*/false));
  catalog.add("BatchMatMulV2", make_batch_matmul(/*broadcasts=*/true));
  add_einsum_kernel(catalog);
}

}  // namespace troupe::cpu
