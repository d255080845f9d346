#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe::train {

/// Which checkpoints a folder has, as its file `checkpoint` says. That is JSON with the fields of
/// TensorFlow's CheckpointState, and lies on the file system of the program that trains; names in
/// it are relative to the folder, which may so be moved.
struct CheckpointState {
  std::vector<std::string> paths;  // oldest first; the last is the latest

  /// Empty if there is no such file; DataLoss if it cannot be parsed.
  static Result<CheckpointState> read(const std::string& folder);
  Status write(const std::string& folder) const;
};

/// The prefix of the folder's latest checkpoint; nothing where it has none.
Result<std::optional<std::string>> latest_checkpoint(const std::string& folder);

}  // namespace troupe::train
