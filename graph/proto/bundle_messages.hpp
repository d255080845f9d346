#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"

// The messages of a checkpoint's index (tensor_bundle.proto) as bytes and as values.

namespace troupe {

/// A part of one dimension.
struct SliceExtent {
  static constexpr int64_t all = -1;

  int64_t start = 0;
  int64_t length = all;  // all: of the dimension, from 0 on

  bool is_all() const { return length == all; }
  bool operator==(const SliceExtent&) const = default;
};

/// A part of a tensor, by dimension.
using SliceExtents = std::vector<SliceExtent>;

/// The first value of an index.
struct BundleHeader {
  int32_t data_files = 1;
  bool is_big_endian = false;
  // As in a graph: versions of the format, of the writer and of the readers that it allows.
  int32_t producer = 1;
  int32_t min_consumer = 0;
  std::vector<int32_t> bad_consumers;

  bool operator==(const BundleHeader&) const = default;
};

/// A tensor, or a slice of one. One that is saved in slices has no bytes of its own.
struct BundleEntry {
  DType dtype = DType::invalid;
  Shape shape;
  int32_t data_file = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t checksum = 0;  // masked
  std::vector<SliceExtents> slices;
};

std::string serialize_bundle_header(const BundleHeader& header);
/// Nothing where the bytes are no such message.
std::optional<BundleHeader> parse_bundle_header(const std::string& bytes);

std::string serialize_bundle_entry(const BundleEntry& entry);
/// DataLoss where the bytes are no such message, or describe no tensor; Unimplemented for dtypes
/// that no tensor of ours has.
Result<BundleEntry> parse_bundle_entry(const std::string& bytes);

}  // namespace troupe
