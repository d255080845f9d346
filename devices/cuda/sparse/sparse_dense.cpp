#include "troupe/devices/cuda/sparse/sparse_dense.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "troupe/devices/cpu/sparse/sparse.hpp"
#include "troupe/devices/cpu/sparse/sparse_dense.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/named_slices.hpp"
#include "troupe/devices/cuda/indexing/scatter.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

/// Of indices of an entry each in a tensor of those sizes.
EntryPlaces places_of(const Tensor& indices, int64_t count, std::span<const int64_t> sizes) {
  EntryPlaces places{
      .indices = indices.raw(),
      .has_long_indices = indices.dtype() == DType::int64,
      .slices = {.count = count, .size = 1, .depth = static_cast<int>(sizes.size()), .sizes = {}}};
  std::ranges::copy(sizes, places.slices.sizes);
  return places;
}

/// Sets all of `to` to an element that lies on the host.
void fill(const Launch& launch, Tensor& to, const Tensor& value) {
  auto size = size_of(to.dtype());
  uint64_t bits = 0;
  CHECK(size <= sizeof bits);
  std::memcpy(&bits, value.raw(), size);
  launch_fill(to.mutable_raw(), bits, static_cast<int>(size), to.elements(), stream_of(launch));
}

/// The dense tensor of entries: those that do not lie in it are passed over. `are_different`: no
/// two lie in one place; else the last one of these stays.
Result<Tensor> make_dense(const Launch& launch, const EntryPlaces& places, bool are_different) {
  const auto& values = launch.input(2);
  auto shape = cpu::DenseShapes::of(launch);
  if (!shape) return shape.status();
  auto dense = launch.allocate(values.dtype(), shape->dense);
  if (!dense || dense->elements() == 0) return dense;
  fill(launch, *dense, launch.input(3));
  ScatterCall call{
      .to = dense->mutable_raw(),
      .updates = values.raw(),
      .is_one_for_all = values.shape().is_scalar(),
      .indices = places.indices,
      .has_long_indices = places.has_long_indices,
      .slices = places.slices,
      .stream = stream_of(launch)};
  Tensor last;
  if (!are_different && !call.is_one_for_all && places.slices.count > 1) {
    auto made = numbers_of_last(launch, places.slices);
    if (!made) return made;
    last = *std::move(made);
    call.last = out<int32_t>(last);
  }
  if (places.slices.count > 0)
    launch_scatter_update(call, static_cast<int>(size_of(values.dtype())));
  return dense;
}

Result<EntryPlaces> read_places(const Launch& launch) {
  auto shapes = cpu::DenseShapes::of(launch);
  if (!shapes) return shapes.status();
  return places_of(launch.input(0), shapes->indices[0], shapes->dense.sizes());
}

Status compute_to_dense(Launch& launch) {
  auto places = read_places(launch);
  if (!places) return places.status();
  auto dense = make_dense(launch, *places, /*are_different=*/false);
  if (!dense) return dense.status();
  return set_launched(launch, 0, *std::move(dense), "a copy of sparse values");
}

/// The error that an answer of launch_check_places() tells, if any.
Status checked(std::span<const int64_t> answer, std::span<const int64_t> sizes) {
  auto indices = [&](size_t i) { return answer.subspan(2 + i * sizes.size(), sizes.size()); };
  if (answer[0] >= 0) return cpu::lies_outside(indices(0), answer[0], sizes);
  return answer[1] < 0 ? Status() : cpu::is_not_behind(indices(1), answer[1], indices(2));
}

/// The tensor is made before it is known whether the indices are valid.
void start_to_dense(Launch& launch, const Kernel::Done& done) {
  auto places = read_places(launch);
  if (!places) return done(places.status());
  auto answer = launch.allocate(DType::int64, {check_answer_size(places->slices.depth)});
  if (!answer) return done(answer.status());
  auto status = to_status(
      cudaMemsetAsync(answer->mutable_raw(), 0xff, answer->bytes(), stream_of(launch)), "a fill");
  if (!status.ok()) return done(status);
  launch_check_places(
      {.answer = out<int64_t>(*answer), .places = *places, .stream = stream_of(launch)});
  auto dense = make_dense(launch, *places, /*are_different=*/true);
  if (!dense) return done(dense.status());
  if (status = launched("a copy of sparse values"); !status.ok()) return done(status);
  when_known(launch, *answer, done, [&launch, dense = *dense](const Tensor& found) {
    auto status = checked(found.values<int64_t>(), dense.shape().sizes());
    if (status.ok()) launch.set(0, dense);
    return status;
  });
}

Result<Kernel> make_to_dense(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!is_plain(dtype) || size_of(dtype) > 8) return no_kernel(dtype);
  if (!node.attr<bool>("validate_indices")) return Kernel{.compute = compute_to_dense};
  return Kernel{
      .start = start_to_dense, .awaits = "whether sparse indices on the card are in order"};
}

/// Adds up the products of entries by the rows to which they add. The entries are sorted first, as
/// threads that added to one element would do so in any order. The kernels of the sort end at once
/// where the card finds the entries in order, as they mostly are: the host does not wait to know.
Status multiply(
    const Launch& launch, LaunchSparseProduct function, const cpu::SparseAdjoints& adjoint,
    SparseProductCall call) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (call.rows >= most)
    return unimplemented("a card multiplies sparse matrices of less than 2,147,483,647 rows");
  auto keys = launch.allocate(DType::int32, {call.places.slices.count});
  if (!keys) return keys.status();
  auto unsorted = launch.allocate(DType::int32, {});
  if (!unsorted) return unsorted.status();
  if (auto status = set_zeros(launch, *unsorted); !status.ok()) return status;
  if (keys->elements() > 0)
    launch_product_keys(
        {.keys = out<int32_t>(*keys),
         .unsorted = out<int32_t>(*unsorted),
         .places = call.places,
         .rows = call.rows,
         .is_adjoint = adjoint.a,
         .stream = call.stream});
  auto sorted = sort_numbers(launch, *keys, out<int32_t>(*unsorted));
  if (!sorted) return sorted.status();
  auto begins = launch.allocate(DType::int32, {call.rows + 1});
  if (!begins) return begins.status();
  call.keys = static_cast<const int32_t*>(sorted->numbers.raw());
  call.order = static_cast<const int32_t*>(sorted->places.raw());
  call.begins = out<int32_t>(*begins);
  function(call);
  return launched("a product of a sparse matrix");
}

Status compute_product(
    Launch& launch, LaunchSparseProduct function, const cpu::SparseAdjoints& adjoint) {
  const auto &indices = launch.input(0), &values = launch.input(1), &b = launch.input(3);
  auto a = cpu::SparsePlaces::sizes_of(indices.shape(), values.shape(), launch.input(2));
  if (!a) return a.status();
  auto sizes = cpu::SparseProduct::of(*a, b.shape(), adjoint);
  if (!sizes) return sizes.status();
  auto shape = Shape::make(std::array{sizes->rows, sizes->columns});
  if (!shape) return shape.status();
  auto result = launch.allocate(b.dtype(), *shape);
  if (!result) return result.status();
  SparseProductCall call{
      .out = result->mutable_raw(),
      .places = places_of(indices, values.elements(), *a),
      .values = values.raw(),
      .b = b.raw(),
      .rows = sizes->rows,
      .inner = sizes->inner,
      .columns = sizes->columns,
      .is_a_adjoint = adjoint.a,
      .is_b_adjoint = adjoint.b,
      .keys = nullptr,
      .order = nullptr,
      .begins = nullptr,
      .stream = stream_of(launch)};
  if (result->elements() > 0)
    if (auto status = multiply(launch, function, adjoint, call); !status.ok()) return status;
  launch.set(0, *std::move(result));
  return {};
}

Result<Kernel> make_product(const Node& node) {
  auto function = find_sparse_product(element_of(node.attr<DType>("T")));
  if (!function) return no_kernel(node.attr<DType>("T"));
  cpu::SparseAdjoints adjoint = {node.attr<bool>("adjoint_a"), node.attr<bool>("adjoint_b")};
  return Kernel{.compute = [function, adjoint](Launch& launch) {
    return compute_product(launch, function, adjoint);
  }};
}

}  // namespace

void add_sparse_dense_kernels(KernelCatalog& catalog) {
  catalog.add("SparseToDense", make_to_dense);
  catalog.add("SparseTensorDenseMatMul", make_product);
}

}  // namespace troupe::cuda
