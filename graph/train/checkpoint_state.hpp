#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe::train {

/// Which checkpoints a folder has, as its file `checkpoint` says. That is a CheckpointState of
/// TensorFlow in protobuf's text form, and lies on the file system of the program that trains;
/// names in it that are not absolute count from the folder.
struct CheckpointState {
  std::vector<std::string> paths;  // oldest first; the last is the latest

  struct Place {
    std::string filename = "checkpoint";
    bool is_relative = false;  // absolute paths are written as relative ones, too
  };

  /// Empty if there is no such file; DataLoss if it cannot be parsed.
  static Result<CheckpointState> read(
      const std::string& folder, const std::string& filename = "checkpoint");
  Status write(const std::string& folder) const { return write(folder, Place()); }
  Status write(const std::string& folder, const Place& place) const;
};

/// The prefix of the folder's latest checkpoint; nothing where it has none.
Result<std::optional<std::string>> latest_checkpoint(const std::string& folder);

}  // namespace troupe::train
