#include <vector>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/linalg/product_cache.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"

namespace troupe::cuda {
namespace {

/// The products of the batches that a walk leads over; offsets of both operands are in elements.
Status multiply_batches(
    const Launch& launch, ProductShape shape, const ProductMemory& first,
    const StridedWalk<2>& batches) {
  auto size = static_cast<int64_t>(size_of(shape.dtype));
  // One call makes the innermost batches: the library knows one stride of an operand.
  auto inner = batches.rank == 0 ? 1 : batches.sizes[0].divisor();
  shape.count = inner;
  if (inner > 1) {
    shape.a_stride = batches.strides[0].at[0];
    shape.b_stride = batches.strides[0].at[1];
  }
  auto& cache = kept<ProductCache>(launch);
  for (int64_t i = 0; i < batches.elements; i += inner) {
    auto offsets = batches.offsets(i);
    ProductMemory memory{
        static_cast<const char*>(first.a) + offsets.at[0] * size,
        static_cast<const char*>(first.b) + offsets.at[1] * size,
        static_cast<char*>(first.out) + i * shape.rows * shape.columns * size};
    if (auto status = cache.multiply(launch, shape, memory); !status.ok()) return status;
  }
  return {};
}

Status set_products(
    Launch& launch, const ProductShape& shape, const Shape& result_shape,
    const StridedWalk<2>& batches) {
  auto result = launch.allocate(shape.dtype, result_shape);
  if (!result) return result.status();
  Status status;
  if (result->elements() > 0 && shape.inner == 0)
    status = to_status(
        cudaMemsetAsync(result->mutable_raw(), 0, result->bytes(), stream_of(launch)), "a fill");
  else if (result->elements() > 0)
    status = multiply_batches(
        launch, shape, {launch.input(0).raw(), launch.input(1).raw(), result->mutable_raw()},
        batches);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

Status compute_matmul(Launch& launch, ProductShape shape) {
  const auto &a = launch.input(0).shape(), &b = launch.input(1).shape();
  if (a.rank() != 2 || b.rank() != 2)
    return invalid_argument(
        "both operands must be matrices, but are " + a.to_string() + " and " + b.to_string());
  shape.rows = a[shape.transpose_a ? 1 : 0];
  shape.inner = a[shape.transpose_a ? 0 : 1];
  shape.columns = b[shape.transpose_b ? 0 : 1];
  if (shape.inner != b[shape.transpose_b ? 1 : 0])
    return invalid_argument(
        "the inner sizes of " + a.to_string() + (shape.transpose_a ? " (transposed)" : "") +
        " and " + b.to_string() + (shape.transpose_b ? " (transposed)" : "") + " differ");
  const int64_t sizes[] = {shape.rows, shape.columns};
  auto result = Shape::make(sizes);
  if (!result) return result.status();
  return set_products(launch, shape, *result, {});
}

ProductShape shape_of(DType dtype, bool transpose_a, bool transpose_b) {
  return {
      .dtype = dtype,
      .rows = 0,
      .inner = 0,
      .columns = 0,
      .transpose_a = transpose_a,
      .transpose_b = transpose_b};
}

Result<Kernel> make_matmul(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!has_products(dtype)) return no_kernel(dtype);
  auto shape = shape_of(dtype, node.attr<bool>("transpose_a"), node.attr<bool>("transpose_b"));
  return slow_at_first([shape](Launch& launch) { return compute_matmul(launch, shape); });
}

Shape batches_of(const Shape& shape) {
  return Shape(shape.sizes().first(static_cast<size_t>(shape.rank() - 2)));
}

/// Where the matrices of each product begin, for operands whose batches are broadcast together.
StridedWalk<2> walk_batches(const Shape& x, const Shape& y, const Shape& joint) {
  auto x_batches = batches_of(x), y_batches = batches_of(y);
  auto x_size = x[x.rank() - 2] * x[x.rank() - 1], y_size = y[y.rank() - 2] * y[y.rank() - 1];
  const Shape shapes[] = {x_batches, y_batches};
  auto walk = broadcast_walk<2>(joint, shapes);
  for (int axis = 0; axis < walk.rank; ++axis) {
    walk.strides[axis].at[0] *= x_size;
    walk.strides[axis].at[1] *= y_size;
  }
  return walk;
}

Status compute_batch_matmul(Launch& launch, ProductShape shape, bool broadcasts) {
  const auto &x = launch.input(0).shape(), &y = launch.input(1).shape();
  if (x.rank() < 2 || y.rank() < 2)
    return invalid_argument(
        "both operands must have at least rank 2, but are " + x.to_string() + " and " +
        y.to_string());
  auto x_batches = batches_of(x), y_batches = batches_of(y);
  auto joint = broadcasts ? broadcast(x_batches, y_batches) : x_batches.merge(y_batches);
  if (!joint)
    return invalid_argument(
        "the batches of " + x.to_string() + " and " + y.to_string() + " do not agree");
  auto last = x.rank() - 1, y_last = y.rank() - 1;
  shape.rows = x[shape.transpose_a ? last : last - 1];
  shape.inner = x[shape.transpose_a ? last - 1 : last];
  shape.columns = y[shape.transpose_b ? y_last - 1 : y_last];
  if (shape.inner != y[shape.transpose_b ? y_last : y_last - 1])
    return invalid_argument(
        "the inner sizes of " + x.to_string() + (shape.transpose_a ? " (adjoint)" : "") + " and " +
        y.to_string() + (shape.transpose_b ? " (adjoint)" : "") + " differ");
  std::vector<int64_t> sizes(joint->sizes().begin(), joint->sizes().end());
  sizes.insert(sizes.end(), {shape.rows, shape.columns});
  auto result = Shape::make(sizes);
  if (!result) return result.status();
  // One matrix for all rows of all batches: a single product.
  if (y_batches.elements() == 1 && !shape.transpose_a && x_batches == *joint) {
    shape.rows *= joint->elements();
    return set_products(launch, shape, *result, {});
  }
  return set_products(launch, shape, *result, walk_batches(x, y, *joint));
}

KernelCatalog::Make make_batch_matmul(bool broadcasts) {
  return [broadcasts](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    if (!has_products(dtype)) return no_kernel(dtype);
    auto shape = shape_of(dtype, node.attr<bool>("adj_x"), node.attr<bool>("adj_y"));
    return slow_at_first(
        [=](Launch& launch) { return compute_batch_matmul(launch, shape, broadcasts); });
  };
}

}  // namespace

void add_matmul_kernels(KernelCatalog& catalog) {
  catalog.add("MatMul", make_matmul);
  catalog.add("BatchMatMul", make_batch_matmul(/*broadcasts=*/false));
  catalog.add("BatchMatMulV2", make_batch_matmul(/*broadcasts=*/true));
}

}  // namespace troupe::cuda
