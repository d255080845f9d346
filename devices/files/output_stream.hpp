#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "troupe/devices/files/compression.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Writes a file from its beginning, compressed. Errors are those of FileAppender, and
/// FailedPrecondition once closed. Not thread-safe.
class OutputStream {
 public:
  /// Empties the file, or makes it and the folders that it lacks. InvalidArgument: options that
  /// zlib does not take.
  static Result<std::unique_ptr<OutputStream>> create(
      const std::filesystem::path& path, const CompressionOptions& options = {});
  /// Closes it; what cannot be written then is lost.
  virtual ~OutputStream() = default;

  virtual Status write(std::string_view bytes) = 0;
  /// Writes to the file what is buffered: a reader finds all that was written so far.
  virtual Status flush() = 0;
  /// Writes what is buffered and the end of the compressed bytes. A second call does nothing.
  virtual Status close() = 0;
};

}  // namespace troupe
