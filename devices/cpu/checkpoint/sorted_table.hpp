#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/types/status.hpp"

// Tables of strings by strings in LevelDB's format, which is that of TensorFlow's checkpoints:
// blocks of sorted pairs, each with a checksum, and an index of the blocks.

namespace troupe::cpu {

/// Reads a file of that format, a block where it is needed. Thread-safe.
class SortedTable {
 public:
  /// DataLoss names a file that is none, or is damaged.
  static Result<std::unique_ptr<SortedTable>> open(const std::filesystem::path& path);
  virtual ~SortedTable() = default;

  /// The value of a key; nothing where there is none. DataLoss names the file and the damaged
  /// block's offset.
  virtual Result<std::optional<std::string>> find(const std::string& key) const = 0;

  using Visit = std::function<Status(const std::string& key, const std::string& value)>;
  /// Calls `visit` with each pair in the order of the keys, until it fails.
  virtual Status for_each(const Visit& visit) const = 0;
};

/// Writes the table to a file that was just created, and does not commit it.
Status write_sorted_table(const std::map<std::string, std::string>& table, FileWriter& file);

}  // namespace troupe::cpu
