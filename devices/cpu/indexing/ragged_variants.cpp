#include <memory>
#include <string>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/ragged.hpp"
#include "troupe/devices/cpu/indexing/ragged_rows.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/types/variant.hpp"

namespace troupe::cpu {
namespace {

/// A ragged tensor in a variant; without splits its values are a row.
struct RaggedVariant final : VariantValue {
  RaggedInput ragged;
  DType splits_dtype;

  RaggedVariant(RaggedInput value, DType dtype) : ragged(std::move(value)), splits_dtype(dtype) {}
  const char* type_name() const override { return "ragged tensor"; }
};

Result<Variant> row_of(
    const Launch& launch, const RaggedInput& ragged, int64_t row, DType splits_dtype) {
  RaggedSelection rows{std::vector<std::vector<int64_t>>(ragged.splits.size() - 1, {0})};
  rows.append(ragged, row, 0);
  auto values = rows.values_of(launch, ragged.values);
  if (!values) return values.status();
  return Variant(std::make_shared<RaggedVariant>(
      RaggedInput{std::move(rows.splits), *std::move(values)}, splits_dtype));
}

Status compute_to_variant(Launch& launch, int ragged_rank, bool is_batched) {
  auto ragged = RaggedInput::of(launch, ragged_rank);
  if (!ragged) return ragged.status();
  auto dtype = launch.input(0).dtype();
  if (!is_batched) {
    if (auto status = ragged->check_whole(); !status.ok()) return status;
    Variant whole = std::make_shared<RaggedVariant>(*std::move(ragged), dtype);
    launch.set(0, Tensor::scalar<Variant>(std::move(whole)));
    return {};
  }
  auto rows = std::ssize(ragged->splits[0]) - 1;
  auto out = launch.allocate(DType::variant, {rows});
  if (!out) return out.status();
  for (int64_t row = 0; row < rows; ++row) {
    auto variant = row_of(launch, *ragged, row, dtype);
    if (!variant) return variant.status();
    out->mutable_data<Variant>()[row] = *std::move(variant);
  }
  launch.set(0, *std::move(out));
  return {};
}

struct VariantForm {
  int64_t inner_rank;
  int64_t rank;
  DType values;
  DType splits;
};

/// What an element holds, which must have that form. An empty row may lack splits.
Result<const RaggedInput*> ragged_at(
    const Tensor& encoded, int64_t index, const VariantForm& form, int64_t rank) {
  const auto* value = dynamic_cast<const RaggedVariant*>(encoded.data<Variant>()[index].get());
  if (!value) return invalid_argument("the variant must hold a ragged tensor");
  const auto& ragged = value->ragged;
  auto count = std::ssize(ragged.splits);
  if (count != rank && (count != 0 || ragged.values.shape()[0] != 0))
    return invalid_argument(
        "each variant must hold a ragged tensor with " + std::to_string(rank) +
        " splits, but one has " + std::to_string(count));
  if (ragged.values.dtype() != form.values)
    return invalid_argument(
        std::string("the values must be ") + to_string(form.values) + ", but are " +
        to_string(ragged.values.dtype()));
  if (value->splits_dtype != form.splits)
    return invalid_argument(
        std::string("the splits must be ") + to_string(form.splits) + ", but are " +
        to_string(value->splits_dtype));
  return &ragged;
}

/// The splits of rows of one size: of `count` rows.
std::vector<int64_t> even_splits(int64_t count, int64_t size) {
  std::vector<int64_t> splits;
  for (int64_t i = 0; i <= count; ++i) splits.push_back(i * size);
  return splits;
}

/// Ragged tensors one behind the other, each a row.
struct JoinedRows {
  std::vector<std::vector<int64_t>> splits;  // those of these rows first
  std::vector<const Tensor*> values;

  explicit JoinedRows(int64_t rank) : splits(static_cast<size_t>(rank) + 1, {0}) {}

  void append(const RaggedInput& row) {
    auto is_flat = row.splits.empty();
    auto count = is_flat ? row.values.shape()[0] : std::ssize(row.splits[0]) - 1;
    splits[0].push_back(splits[0].back() + count);
    for (size_t level = 0; level < row.splits.size(); ++level) {
      auto& to = splits[level + 1];
      auto shift = to.back();
      for (size_t i = 1; i < row.splits[level].size(); ++i)
        to.push_back(row.splits[level][i] + shift);
    }
    values.push_back(&row.values);
  }

  Result<Tensor> joined_values(const Launch& launch, DType dtype) const {
    auto shape = values.empty() ? Shape{0} : values[0]->shape();
    shape.set(0, 0);
    for (const auto* part : values) {
      auto inner = part->shape();
      inner.set(0, shape[0]);
      if (!(inner == shape))
        return invalid_argument(
            "the values of all variants must have one shape behind their first axis, but are " +
            values[0]->shape().to_string() + " and " + part->shape().to_string());
      shape.set(0, shape[0] + part->shape()[0]);
    }
    auto out = launch.allocate(dtype, shape);
    if (!out) return out;
    int64_t at = 0;
    for (const auto* part : values) {
      copy_elements(*out, at, *part, 0, part->elements());
      at += part->elements();
    }
    return out;
  }
};

Status compute_from_variant(Launch& launch, const VariantForm& form) {
  const auto& encoded = launch.input(0);
  const auto& shape = encoded.shape();
  auto rank = form.inner_rank < 0 ? form.rank - shape.rank() : form.inner_rank;
  if (rank < 0 || rank + shape.rank() != form.rank)
    return invalid_argument(
        "'output_ragged_rank' must be 'input_ragged_rank' plus the rank of 'encoded_ragged', " +
        std::to_string(shape.rank()) + ", but is " + std::to_string(form.rank));
  JoinedRows rows(rank);
  for (int64_t i = 0; i < encoded.elements(); ++i) {
    auto ragged = ragged_at(encoded, i, form, rank);
    if (!ragged) return ragged.status();
    rows.append(**ragged);
  }
  // A scalar is no row of others.
  if (shape.is_scalar()) rows.splits.erase(rows.splits.begin());
  int output = 0;
  int64_t count = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    count *= shape[axis];
    auto splits = even_splits(count, shape[axis + 1]);
    if (auto status = set_ints(launch, output++, form.splits, splits); !status.ok()) return status;
  }
  for (const auto& splits : rows.splits)
    if (auto status = set_ints(launch, output++, form.splits, splits); !status.ok()) return status;
  auto values = rows.joined_values(launch, form.values);
  if (!values) return values.status();
  launch.set(output, *std::move(values));
  return {};
}

}  // namespace

void add_ragged_variant_kernels(KernelCatalog& catalog) {
  catalog.add("RaggedTensorToVariant", [](const Node& node) {
    auto rank = static_cast<int>(node.attr<int64_t>("RAGGED_RANK"));
    auto is_batched = node.attr<bool>("batched_input");
    return copying_kernel(node.attr<DType>("Tvalues"), [=](Launch& launch) {
      return compute_to_variant(launch, rank, is_batched);
    });
  });
  catalog.add("RaggedTensorFromVariant", [](const Node& node) {
    VariantForm form{
        node.attr<int64_t>("input_ragged_rank"), node.attr<int64_t>("output_ragged_rank"),
        node.attr<DType>("Tvalues"), node.attr<DType>("Tsplits")};
    return copying_kernel(
        form.values, [=](Launch& launch) { return compute_from_variant(launch, form); });
  });
}

}  // namespace troupe::cpu
