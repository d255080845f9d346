#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// Which file of a checkpoint has which tensor. On disk it is beside the files, in the form that
/// huggingface's libraries read, with checksums added:
///
///     {"weight_map": {"w": "model-7.safetensors"}, "checksums": {"w": "8f3a1c22"}, ...}
struct CheckpointIndex {
  struct Entry {
    std::string file;  // its name, in the folder of the index
    std::optional<uint32_t> checksum;
  };

  std::map<std::string, Entry, std::less<>> tensors;

  /// NotFound if there is none; DataLoss names an index that cannot be parsed.
  static Result<CheckpointIndex> read(const std::filesystem::path& path);
  Status write(const std::filesystem::path& path) const;

  /// Adds the tensors of `other`. InvalidArgument names a tensor that both have.
  Status add(CheckpointIndex other);
};

}  // namespace troupe::cpu
