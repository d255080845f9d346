#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/devices/files/matching_paths.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

/// Slices that overlap say of some elements two things.
Status check_disjoint(const CheckpointReader::Source& source) {
  for (size_t i = 0; i < source.pieces.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (count_common_elements(
              source.tensor.shape, source.pieces[i].extents, source.pieces[j].extents) > 0)
        return Status(
            Code::data_loss, "tensor " + quote(source.tensor.name) + " has overlapping slices " +
                                 to_string(source.pieces[j].extents) + " and " +
                                 to_string(source.pieces[i].extents));
  return {};
}

/// Reads what the slice has in common with each piece.
Result<Tensor> assemble(
    const CheckpointReader::Source& source, const SliceExtents& wanted, Allocator& allocator) {
  const auto& [name, dtype, full] = source.tensor;
  auto slice = Tensor::allocate(dtype, slice_shape(full, wanted), allocator);
  if (!slice) return slice.status();
  int64_t copied = 0;
  for (const auto& piece : source.pieces) {
    if (count_common_elements(full, piece.extents, wanted) == 0) continue;
    auto value = piece.read(allocator);
    if (!value) return value.status();
    copied += copy_common_elements(full, piece.extents, *value, wanted, *slice);
  }
  if (copied == slice->elements()) return slice;
  return invalid_argument(
      "Does not have sufficient slices for partitioned tensor " + name +
      " to restore in slice_spec: " + to_string(wanted));
}

}  // namespace

Result<CheckpointReader> CheckpointReader::open(const std::string& prefix) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  CheckpointReader reader(prefix);
  auto status = reader.add(open_bundle(prefix));
  if (status.code() != Code::not_found) return status.ok() ? Result(std::move(reader)) : status;
  for (const auto& part : parts_of(prefix))
    if (auto added = reader.add(open_bundle(part)); !added.ok()) return added;
  if (!reader.parts_.empty()) return reader;
  if (auto is_file = check_file(prefix); !is_file.ok()) return is_file;
  auto files = matching_paths(prefix);
  if (!files) return files.status();
  std::ranges::sort(*files);
  for (const auto& file : *files)
    if (auto added = reader.add(open_slices(file)); !added.ok()) return added;
  if (!reader.parts_.empty()) return reader;
  return not_found(
      "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " +
      prefix);
}

Status CheckpointReader::add(Result<std::unique_ptr<CheckpointPart>> part) {
  if (part) parts_.push_back(*std::move(part));
  return part.status();
}

Result<CheckpointReader::Source> CheckpointReader::find(const std::string& name) {
  std::optional<Source> source;
  for (const auto& part : parts_) {
    auto found = part->find(name);
    if (!found) return found.status();
    if (!*found) continue;
    if (!source) {
      source = **std::move(found);
      continue;
    }
    const auto& [_, dtype, shape] = (*found)->tensor;
    if (source->tensor.dtype != dtype || source->tensor.shape != shape)
      return Status(
          Code::data_loss, "the slices of tensor " + quote(name) + " in the parts of checkpoint " +
                               quote(prefix_) + " are not of one tensor");
    std::ranges::move((*found)->pieces, std::back_inserter(source->pieces));
  }
  if (!source) return missing(name);
  if (auto status = check_disjoint(*source); !status.ok()) return status;
  return *std::move(source);
}

Result<Tensor> CheckpointReader::read(
    const Source& source, const std::string& shape_and_slice, Allocator& allocator) const {
  const auto& full = source.tensor.shape;
  auto wanted = whole_slice(full);
  if (!shape_and_slice.empty()) {
    auto parsed = ShapeAndSlice::parse(shape_and_slice);
    if (!parsed) return parsed.status();
    if (parsed->full != full)
      return invalid_argument(
          "tensor_name = " + source.tensor.name + "; shape in shape_and_slice spec " +
          parsed->full.to_string() +
          " does not match the shape stored in checkpoint: " + full.to_string());
    wanted = parsed->extents;
  }
  auto shape = slice_shape(full, wanted);
  for (const auto& piece : source.pieces) {
    // Extents of a whole dimension may be given by their length, too.
    bool is_all = shape == full && slice_shape(full, piece.extents) == full;
    if (is_all || piece.extents == wanted) return piece.read(allocator);
  }
  return assemble(source, wanted, allocator);
}

Result<std::vector<CheckpointReader::Listed>> CheckpointReader::list() const {
  std::map<std::string, Listed> named;
  for (const auto& part : parts_) {
    auto listed = part->list();
    if (!listed) return listed.status();
    for (auto& each : *listed) {
      auto name = each.name;
      named.insert_or_assign(std::move(name), std::move(each));
    }
  }
  std::vector<Listed> sorted;
  for (auto& [name, each] : named) sorted.push_back(std::move(each));
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
