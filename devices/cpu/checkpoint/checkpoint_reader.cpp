#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"

#include <algorithm>
#include <utility>

#include "troupe/devices/cpu/checkpoint/bundle_index.hpp"
#include "troupe/devices/cpu/checkpoint/bundle_value.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

bool is_whole_tensor(const CheckpointReader::Source& source) {
  return source.pieces.size() == 1 && source.pieces[0].entry.shape == source.shape;
}

/// Slices that overlap say of some elements two things.
Status check_disjoint(const CheckpointReader::Source& source) {
  for (size_t i = 0; i < source.pieces.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (count_common_elements(source.shape, source.pieces[i].extents, source.pieces[j].extents) >
          0)
        return Status(
            Code::data_loss, "tensor " + quote(source.name) + " has overlapping slices " +
                                 to_string(source.pieces[j].extents) + " and " +
                                 to_string(source.pieces[i].extents));
  return {};
}

/// Reads what the slice has in common with each piece.
Result<Tensor> assemble(
    const CheckpointReader::Source& source, const SliceExtents& wanted, Allocator& allocator) {
  auto slice = Tensor::allocate(source.dtype, slice_shape(source.shape, wanted), allocator);
  if (!slice) return slice.status();
  int64_t copied = 0;
  for (const auto& piece : source.pieces) {
    if (count_common_elements(source.shape, piece.extents, wanted) == 0) continue;
    auto value = read_bundle_value(*piece.file, source.name, piece.entry, allocator);
    if (!value) return value.status();
    copied += copy_common_elements(source.shape, piece.extents, *value, wanted, *slice);
  }
  if (copied == slice->elements()) return slice;
  return invalid_argument(
      "Does not have sufficient slices for partitioned tensor " + source.name +
      " to restore in slice_spec: " + to_string(wanted));
}

}  // namespace

Result<CheckpointReader> CheckpointReader::open(const std::string& prefix) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  CheckpointReader reader(prefix);
  auto status = reader.add_part(prefix);
  if (status.code() != Code::not_found) return status.ok() ? Result(std::move(reader)) : status;
  for (const auto& part : parts_of(prefix))
    if (auto added = reader.add_part(part); !added.ok()) return added;
  if (!reader.parts_.empty()) return reader;
  return not_found(
      "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " +
      prefix);
}

Status CheckpointReader::add_part(const std::string& prefix) {
  auto path = index_file(prefix);
  auto table = SortedTable::open(path);
  if (!table) return table.status();
  auto header = read_bundle_header(**table, path);
  if (!header) return header.status();
  parts_.push_back({prefix, header->data_files, *std::move(table)});
  return {};
}

Result<const FileReader*> CheckpointReader::data_file(const Part& part, const BundleEntry& entry) {
  if (entry.data_file < 0 || entry.data_file >= part.data_files)
    return Status(
        Code::data_loss, quote(index_file(part.prefix).string()) + " is damaged: it names file " +
                             std::to_string(entry.data_file) + " of " +
                             std::to_string(part.data_files));
  auto path = cpu::data_file(part.prefix, entry.data_file, part.data_files);
  auto found = files_.find(path.string());
  if (found == files_.end()) {
    auto opened = FileReader::open(path);
    if (!opened) return opened.status();
    found = files_.emplace(path.string(), *std::move(opened)).first;
  }
  return &found->second;
}

Status CheckpointReader::add_slices(Source& source, const Part& part, const BundleEntry& entry) {
  auto path = index_file(part.prefix);
  for (const auto& extents : entry.slices) {
    auto bytes = part.index->find(slice_key(source.name, extents));
    if (!bytes) return bytes.status();
    auto slice = *bytes ? parse_index_entry(path, source.name, **bytes)
                        : Result<BundleEntry>(Status(Code::data_loss, "it is not there"));
    auto shape = slice_shape(source.shape, extents);
    if (!slice || slice->dtype != source.dtype || slice->shape != shape || !slice->slices.empty())
      return Status(
          Code::data_loss, quote(path.string()) + " is damaged: slice " + to_string(extents) +
                               " of tensor " + quote(source.name) + " is not as the tensor says");
    auto file = data_file(part, *slice);
    if (!file) return file.status();
    source.pieces.push_back({extents, *std::move(slice), *file});
  }
  return {};
}

Result<CheckpointReader::Source> CheckpointReader::find(const std::string& name) {
  Source source{.name = name, .dtype = DType::invalid, .shape = {}, .pieces = {}};
  for (const auto& part : parts_) {
    auto bytes = part.index->find(name);
    if (!bytes) return bytes.status();
    if (!*bytes || name.empty()) continue;
    auto entry = parse_index_entry(index_file(part.prefix), name, **bytes);
    if (!entry) return entry.status();
    bool is_first = source.pieces.empty();
    if (is_first) {
      source.dtype = entry->dtype;
      source.shape = entry->shape;
    }
    if (source.dtype != entry->dtype || source.shape != entry->shape)
      return Status(
          Code::data_loss, "the slices of tensor " + quote(name) + " in the parts of checkpoint " +
                               quote(prefix_) + " are not of one tensor");
    if (entry->slices.empty()) {
      auto file = data_file(part, *entry);
      if (!file) return file.status();
      source.pieces.push_back({whole_slice(entry->shape), *entry, *file});
    } else if (auto status = add_slices(source, part, *entry); !status.ok()) {
      return status;
    }
  }
  if (source.pieces.empty()) return missing(name);
  if (auto status = check_disjoint(source); !status.ok()) return status;
  return source;
}

Result<Tensor> CheckpointReader::read(
    const Source& source, const std::string& shape_and_slice, Allocator& allocator) const {
  auto wanted = whole_slice(source.shape);
  if (!shape_and_slice.empty()) {
    auto parsed = ShapeAndSlice::parse(shape_and_slice);
    if (!parsed) return parsed.status();
    if (parsed->full != source.shape)
      return invalid_argument(
          "tensor_name = " + source.name + "; shape in shape_and_slice spec " +
          parsed->full.to_string() +
          " does not match the shape stored in checkpoint: " + source.shape.to_string());
    wanted = parsed->extents;
  }
  auto shape = slice_shape(source.shape, wanted);
  if (is_whole_tensor(source) && shape == source.shape)
    return read_bundle_value(
        *source.pieces[0].file, source.name, source.pieces[0].entry, allocator);
  for (const auto& piece : source.pieces)
    if (piece.extents == wanted)
      return read_bundle_value(*piece.file, source.name, piece.entry, allocator);
  return assemble(source, wanted, allocator);
}

Result<std::vector<CheckpointReader::Listed>> CheckpointReader::list() const {
  std::map<std::string, Listed> listed;
  for (const auto& part : parts_) {
    auto path = index_file(part.prefix);
    auto status =
        part.index->for_each([&](const std::string& key, const std::string& value) -> Status {
          // The keys of slices begin with a zero, that of the header is empty.
          if (key.empty() || key[0] == '\0') return {};
          auto entry = parse_index_entry(path, key, value);
          if (!entry) return entry.status();
          listed.insert_or_assign(key, Listed{key, entry->dtype, entry->shape});
          return {};
        });
    if (!status.ok()) return status;
  }
  std::vector<Listed> sorted;
  for (auto& [name, each] : listed) sorted.push_back(std::move(each));
  return sorted;
}

Status CheckpointReader::missing(const std::string& tensor) const {
  auto listed = list();
  if (!listed) return listed.status();
  std::vector<std::string> names;
  for (const auto& each : *listed) names.push_back(each.name);
  auto message = "Key " + tensor + " not found in checkpoint " + quote(prefix_);
  if (auto near = nearest_name(tensor, names); !near.empty())
    return not_found(message + "; did you mean " + quote(near) + "?");
  constexpr size_t shown_max = 8;
  message += ", which has";
  for (size_t i = 0; i < std::min(names.size(), shown_max); ++i)
    message += (i ? ", " : " ") + quote(names[i]);
  if (names.size() > shown_max)
    message += " and " + std::to_string(names.size() - shown_max) + " more";
  return not_found(message);
}

}  // namespace troupe::cpu
