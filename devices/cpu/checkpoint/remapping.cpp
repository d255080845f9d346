#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"
#include "troupe/devices/cpu/checkpoint/file_kernel.hpp"
#include "troupe/devices/cpu/state/table_file.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

/// The lines of a file, in their order, and their numbers, as entries of that table.
Result<HashTableResource::Entries> read_vocabulary(
    const std::string& path, int64_t size, const HashTableResource& table) {
  if (path.empty()) return invalid_argument("the name of a vocabulary's file cannot be empty");
  TableColumns columns{
      .key_index = TableColumns::whole_line,
      .value_index = TableColumns::line_number,
      .vocab_size = size};
  return read_table_file(path, columns, table);
}

struct VocabRemapping {
  int64_t offset, count, old_size;

  explicit VocabRemapping(const Node& node)
      : offset(node.attr<int64_t>("new_vocab_offset")),
        count(node.attr<int64_t>("num_new_vocab")),
        old_size(node.attr<int64_t>("old_vocab_size")) {}

  Status compute(Launch& launch) const {
    auto new_path = string_input(launch, 0), old_path = string_input(launch, 1);
    for (const auto* path : {&new_path, &old_path})
      if (!*path) return path->status();
    auto table = make_hash_table(
        {.key_dtype = DType::string,
         .value_dtype = DType::int64,
         .value_shape = {},
         .is_static = true});
    if (!table) return table.status();
    auto new_words = read_vocabulary(*new_path, -1, **table);
    if (!new_words) return new_words.status();
    auto words = new_words->keys.values<std::string>();
    if (offset > std::ssize(words) || count > std::ssize(words) - offset)
      return invalid_argument(
          *new_path + " has " + std::to_string(words.size()) + " words, but the " +
          std::to_string(count) + " from number " + std::to_string(offset) + " on are to be found");
    auto old_words = read_vocabulary(*old_path, old_size, **table);
    if (!old_words) return old_words.status();
    if (auto status = (*table)->initialize(old_words->keys, old_words->values); !status.ok())
      return status;
    auto wanted = words.subspan(static_cast<size_t>(offset), static_cast<size_t>(count));
    auto places = (*table)->find(
        Tensor::of<std::string>({count}, wanted), Tensor::scalar<int64_t>(-1),
        launch.device().allocator());
    if (!places) return places.status();
    auto found = count - std::ranges::count(places->values<int64_t>(), -1);
    launch.set(0, *std::move(places));
    launch.set(1, Tensor::scalar(static_cast<int32_t>(found)));
    return {};
  }
};

/// Which old rows, or columns, become which new ones.
struct Remapping {
  std::span<const int64_t> old_of;              // by new index; negative where there is none
  std::unordered_map<int64_t, int64_t> new_of;  // by old index
  int64_t first = 0, last = -1;                 // of the old ones that are wanted

  static Result<Remapping> of(const Tensor& tensor, int64_t count, const std::string& name) {
    if (tensor.shape() != Shape{count})
      return invalid_argument(
          name + " must have the shape [" + std::to_string(count) + "], but has the shape " +
          tensor.shape().to_string());
    Remapping remapping{.old_of = tensor.values<int64_t>(), .new_of = {}};
    for (int64_t i = 0; i < count; ++i) {
      auto old = remapping.old_of[static_cast<size_t>(i)];
      if (old < 0) continue;
      auto [known, is_new] = remapping.new_of.emplace(old, i);
      if (!is_new)
        return unimplemented(
            "Old ID " + std::to_string(old) + " is mapped to both new ID " +
            std::to_string(known->second) + " and " + std::to_string(i) +
            ", which is not supported.");
    }
    if (remapping.new_of.empty()) return remapping;
    auto [least, greatest] = std::ranges::minmax(std::views::keys(remapping.new_of));
    remapping.first = least;
    remapping.last = greatest;
    return remapping;
  }
};

/// 0, 1, ...
Tensor indices(int64_t count) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return Tensor::of<int64_t>({count}, std::span<const int64_t>(all));
}

Status check_saved(const CheckpointPart::Listed& saved, int64_t columns, bool may_have_others) {
  auto wrong = [&](const std::string& why) {
    return invalid_argument("Tensor " + saved.name + " has " + why);
  };
  if (saved.dtype != DType::float32)
    return wrong(std::string("invalid type ") + to_string(saved.dtype) + ", not float32");
  if (saved.shape.rank() != 2)
    return wrong("the shape " + saved.shape.to_string() + ", but must be a matrix");
  if (!may_have_others && saved.shape[1] != columns)
    return wrong(
        std::to_string(saved.shape[1]) + " columns, but without col_remapping it must have " +
        std::to_string(columns));
  return {};
}

/// Copies what is wanted of consecutive rows of the saved matrix, of which `first` is the first.
void copy_rows(
    const Tensor& saved, int64_t first, const Remapping& rows, const Remapping& columns,
    Tensor& out) {
  auto saved_columns = saved.shape()[1], out_columns = out.shape()[1];
  const auto* from = saved.data<float>();
  for (int64_t i = 0; i < saved.shape()[0]; ++i, from += saved_columns) {
    auto row = rows.new_of.find(first + i);
    if (row == rows.new_of.end()) continue;
    auto* to = out.mutable_data<float>() + row->second * out_columns;
    for (int64_t j = 0; j < out_columns; ++j)
      if (auto old = columns.old_of[static_cast<size_t>(j)]; old >= 0) to[j] = from[old];
  }
}

/// Gives the elements that no old row and column has their values.
Status fill_missing(
    std::span<const float> values, const Remapping& rows, const Remapping& columns, Tensor& out) {
  auto found = std::ssize(rows.new_of) * std::ssize(columns.new_of);
  if (auto missing = out.elements() - found; missing != std::ssize(values))
    return invalid_argument(
        "initializing_values contained " + std::to_string(values.size()) + " elements, but " +
        std::to_string(missing) + " values are missing");
  auto* to = out.mutable_data<float>();
  auto value = values.begin();
  for (auto row : rows.old_of)
    for (auto column : columns.old_of) {
      if (row < 0 || column < 0) *to = *value++;
      ++to;
    }
  return {};
}

struct LoadedMatrix {
  int64_t rows, columns, rows_in_memory;

  explicit LoadedMatrix(const Node& node)
      : rows(node.attr<int64_t>("num_rows")),
        columns(node.attr<int64_t>("num_cols")),
        rows_in_memory(node.attr<int64_t>("max_rows_in_memory")) {}

  Status compute(Launch& launch) const {
    auto row_remapping = Remapping::of(launch.input(2), rows, "row_remapping");
    if (!row_remapping) return row_remapping.status();
    // An empty one leaves the columns as they are.
    auto has_others = launch.input(3).elements() > 0;
    auto old_columns = has_others ? launch.input(3) : indices(columns);
    auto column_remapping = Remapping::of(old_columns, columns, "col_remapping");
    if (!column_remapping) return column_remapping.status();
    auto out = launch.allocate(DType::float32, {rows, columns});
    if (!out) return out.status();
    auto status =
        fill_missing(launch.input(4).values<float>(), *row_remapping, *column_remapping, *out);
    if (status.ok()) status = load(launch, *row_remapping, *column_remapping, has_others, *out);
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }

 private:
  Status load(
      const Launch& launch, const Remapping& row_remapping, const Remapping& column_remapping,
      bool has_others, Tensor& out) const {
    const auto& path = launch.input(0);
    if (path.elements() != 1)
      return invalid_argument(
          "ckpt_path must be one string, not of shape " + path.shape().to_string());
    auto name = string_input(launch, 1);
    if (!name) return name.status();
    auto reader = CheckpointReader::open(*path.data<std::string>());
    if (!reader) return reader.status();
    auto source = reader->find(*name);
    if (!source) return source.status();
    const auto& saved = source->tensor;
    if (auto status = check_saved(saved, columns, has_others); !status.ok()) return status;
    if (row_remapping.last >= saved.shape[0] || column_remapping.last >= saved.shape[1])
      return invalid_argument(
          "Tensor " + saved.name + " has the shape " + saved.shape.to_string() + ", but row " +
          std::to_string(row_remapping.last) + " and column " +
          std::to_string(column_remapping.last) + " of it are asked for");
    auto wanted = row_remapping.last - row_remapping.first + 1;
    auto at_once = rows_in_memory > 0 ? std::min(rows_in_memory, wanted) : wanted;
    for (auto row = row_remapping.first; row <= row_remapping.last; row += at_once) {
      auto count = std::min(at_once, row_remapping.last - row + 1);
      auto sizes = std::to_string(saved.shape[0]) + " " + std::to_string(saved.shape[1]);
      auto slice = sizes + " " + std::to_string(row) + "," + std::to_string(count) + ":-";
      auto part = reader->read(*source, slice, launch.device().allocator());
      if (!part) return part.status();
      copy_rows(*part, row, row_remapping, column_remapping, out);
    }
    return {};
  }
};

template <class Op>
Result<Kernel> make_file_kernel(const Node& node) {
  return file_kernel([op = Op(node)](Launch& launch) { return op.compute(launch); });
}

}  // namespace

void add_remapping_kernels(KernelCatalog& catalog) {
  catalog.add("GenerateVocabRemapping", make_file_kernel<VocabRemapping>);
  catalog.add("LoadAndRemapMatrix", make_file_kernel<LoadedMatrix>);
}

}  // namespace troupe::cpu
