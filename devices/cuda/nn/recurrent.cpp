#include "troupe/devices/cuda/nn/recurrent.hpp"

#include "troupe/devices/cuda/linalg/product_cache.hpp"

namespace troupe::cuda {

Status RecurrentProducts::multiply(
    const RecurrentMatrix& a, const RecurrentMatrix& b, void* out, ProductResult result) const {
  return multiply(
      {a.rows, a.columns, b.columns, false, false}, a.elements, b.elements, out, result);
}

Status RecurrentProducts::multiply_back(
    const RecurrentMatrix& a, const RecurrentMatrix& b, void* out, ProductResult result) const {
  return multiply({a.rows, a.columns, b.rows, false, true}, a.elements, b.elements, out, result);
}

Status RecurrentProducts::multiply_for_weights(
    const RecurrentMatrix& a, const RecurrentMatrix& b, void* out) const {
  return multiply(
      {a.columns, a.rows, b.columns, true, false}, a.elements, b.elements, out,
      ProductResult::element);
}

Status RecurrentProducts::multiply(
    const Sizes& sizes, const void* a, const void* b, void* out, ProductResult result) const {
  auto is_wide = result == ProductResult::wide;
  if (sizes.rows == 0 || sizes.columns == 0) return {};
  if (sizes.inner == 0) {
    auto each = size_of(is_wide ? wide_dtype(dtype_) : dtype_);
    auto bytes = static_cast<size_t>(sizes.rows * sizes.columns) * each;
    return to_status(cudaMemsetAsync(out, 0, bytes, stream_of(launch_)), "a fill");
  }
  ProductShape shape{
      .dtype = dtype_,
      .rows = sizes.rows,
      .inner = sizes.inner,
      .columns = sizes.columns,
      .transpose_a = sizes.transpose_a,
      .transpose_b = sizes.transpose_b,
      .is_widened = is_wide && wide_dtype(dtype_) != dtype_};
  return kept<ProductCache>(launch_).multiply(launch_, shape, {a, b, out});
}

Result<Tensors> allocate_recurrent(
    const Launch& launch, DType dtype, const ops::CellSizes& sizes,
    const std::vector<ops::CellArgument>& outputs) {
  Tensors all;
  for (const auto& output : outputs) {
    auto shape = sizes.shape_of(output);
    if (!shape) return shape.status();
    auto tensor = launch.allocate(dtype, *shape);
    if (!tensor) return tensor.status();
    all.push_back(*std::move(tensor));
  }
  return all;
}

Status set_recurrent(Launch& launch, Tensors outputs, const char* what) {
  for (size_t i = 0; i < outputs.size(); ++i)
    launch.set(static_cast<int>(i), std::move(outputs[i]));
  return launched(what);
}

void* RecurrentScratch::allocate(DType dtype, std::initializer_list<int64_t> sizes) {
  if (!status_.ok()) return nullptr;
  auto tensor = cpu::allocate_cells(launch_, dtype, sizes);
  if (!tensor) {
    status_ = tensor.status();
    return nullptr;
  }
  tensors_.push_back(*std::move(tensor));
  return tensors_.back().mutable_raw();
}

}  // namespace troupe::cuda
