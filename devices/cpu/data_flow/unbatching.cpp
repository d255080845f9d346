#include <string>

#include "troupe/devices/cpu/data_flow/batch_rows.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/data_flow/unbatcher.hpp"
#include "troupe/devices/step_port.hpp"

namespace troupe::cpu {
namespace {

/// The rows of ids, begins and ends that are input 1.
Result<std::span<const int64_t>> index_input(const Launch& launch) {
  const auto& index = launch.input(1);
  if (index.shape().rank() != 2 || index.shape()[1] != 3)
    return invalid_argument(
        "Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: " +
        index.shape().to_string());
  return index.values<int64_t>();
}

/// The pieces of input 0, by their ids.
Result<UnbatcherResource::Pieces> pieces_input(const Launch& launch) {
  const auto& batch = launch.input(0);
  auto index = index_input(launch);
  if (!index) return index.status();
  if (batch.shape().is_scalar())
    return invalid_argument("a tensor of batches must have at least one axis");
  UnbatcherResource::Pieces pieces;
  int64_t begin = 0;
  for (size_t i = 0; i < index->size(); i += 3) {
    int64_t rows = 0;
    if (__builtin_sub_overflow((*index)[i + 2], (*index)[i + 1], &rows) || rows < 0 ||
        rows > batch.shape()[0] - begin)
      return invalid_argument("Sum of split sizes must not exceed dim0-size of input tensor");
    auto piece = rows_of(batch, begin, rows, launch.device().allocator());
    if (!piece) return piece.status();
    pieces.emplace_back((*index)[i], *std::move(piece));
    begin += rows;
  }
  return pieces;
}

void start_unbatch(Launch& launch, Kernel::Done done) {
  auto found = resource_input<UnbatcherResource>(launch, launch.input_count() - 1);
  if (!found) return done(found.status());
  auto id = scalar_input<int64_t>(launch.input(2), "id");
  if (!id) return done(id.status());
  auto pieces = pieces_input(launch);
  if (!pieces) return done(pieces.status());
  auto unbatcher = (*found)->shared_from_this();
  launch.on_cancel([unbatcher, id = *id] { unbatcher->give_up(id); });
  unbatcher->take(
      *id, *std::move(pieces), launch.port().timer(), [&launch, done](Result<Tensor> piece) {
        if (piece) launch.set(0, *std::move(piece));
        done(piece.status());
      });
}

void start_unbatch_gradient(Launch& launch, Kernel::Done done) {
  auto found = resource_input<RebatcherResource>(launch, launch.input_count() - 1);
  if (!found) return done(found.status());
  auto id = scalar_input<int64_t>(launch.input(3), "id");
  if (!id) return done(id.status());
  auto index = index_input(launch);
  if (!index) return done(index.status());
  const auto& gradient = launch.input(2);
  if (gradient.shape().is_scalar())
    return done(invalid_argument("a gradient of rows must have at least one axis"));
  std::vector<int64_t> ids;
  for (size_t i = 0; i < index->size(); i += 3) ids.push_back((*index)[i]);
  auto has_batch = launch.input(0).elements() > 0;
  if (has_batch && ids.empty())
    return done(invalid_argument("batch_index is empty while the tensor isn't."));
  auto rebatcher = std::static_pointer_cast<RebatcherResource>(
      launch.input(launch.input_count() - 1).value<ResourceHandle>().resource);
  auto& allocator = launch.device().allocator();
  if (!has_batch) {
    auto shape = gradient.shape();
    shape.set(0, 0);
    auto none = Tensor::allocate(gradient.dtype(), shape, allocator);
    auto status = none ? rebatcher->add(*id, gradient) : none.status();
    if (status.ok()) launch.set(0, *std::move(none));
    return done(status);
  }
  // The batch of the launch may be complete with its own piece.
  if (auto status = rebatcher->add(*id, gradient); !status.ok()) return done(status);
  launch.on_cancel([rebatcher, id = *id] { rebatcher->give_up(id); });
  rebatcher->gather(*id, std::move(ids), [&launch, &allocator, done](Result<Tensors> gradients) {
    if (!gradients) return done(gradients.status());
    auto whole = join_rows(*gradients, 0, allocator);
    if (whole) launch.set(0, *std::move(whole));
    done(whole.status());
  });
}

template <void (*start)(Launch&, Kernel::Done)>
Result<Kernel> make_waiting(const Node& node) {
  if (auto dtype = node.attr<DType>("T"); is_opaque(dtype)) return not_copied(dtype);
  Kernel kernel;
  kernel.start = start;
  kernel.awaits = "the step that has its rows of a batch";
  return kernel;
}

}  // namespace

void add_unbatching_kernels(KernelCatalog& catalog) {
  catalog.add("Unbatch", make_waiting<start_unbatch>);
  catalog.add("UnbatchGrad", make_waiting<start_unbatch_gradient>);
}

}  // namespace troupe::cpu
