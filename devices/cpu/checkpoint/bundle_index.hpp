#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "troupe/devices/cpu/checkpoint/sorted_table.hpp"
#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/support/file.hpp"

namespace troupe::cpu {

/// Where the tensors of a checkpoint are, as a whole: to write it, or to merge it with others.
struct BundleIndex {
  BundleHeader header;
  std::map<std::string, BundleEntry> entries;  // by names and keys of slices

  /// NotFound if there is no such file; DataLoss names one that is damaged.
  static Result<BundleIndex> read(const std::filesystem::path& path);
  /// Writes it to a file that was just created, and does not commit it.
  Status write(FileWriter& file) const;
};

/// The first value of an index. DataLoss where there is none, InvalidArgument where it says that
/// readers like this are too old, Unimplemented for elements in the order of other machines.
Result<BundleHeader> read_bundle_header(
    const SortedTable& table, const std::filesystem::path& path);

/// Parses the entry of that key. DataLoss and Unimplemented name file and key.
Result<BundleEntry> parse_index_entry(
    const std::filesystem::path& path, const std::string& key, const std::string& bytes);

}  // namespace troupe::cpu
