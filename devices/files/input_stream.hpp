#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "troupe/devices/files/compression.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The bytes of a file from its beginning to its end, decompressed. Reads ahead into a buffer.
/// Errors are those of FileReader, and DataLoss for what is no compressed file. Not thread-safe.
class InputStream {
 public:
  static constexpr size_t default_buffer_bytes = size_t{256} << 10;

  static Result<std::unique_ptr<InputStream>> open(
      const std::filesystem::path& path, Compression compression = Compression::none,
      size_t buffer_bytes = default_buffer_bytes);
  virtual ~InputStream() = default;

  /// The file's name in quotes, for errors.
  const std::string& name() const { return name_; }
  /// How many bytes were read or skipped.
  uint64_t position() const { return position_; }

  /// Adds the next `size` bytes to `text`, or as many as there are. Takes memory as bytes come: a
  /// size that a file claims costs nothing. ResourceExhausted for more than can be in a string.
  Status read(uint64_t size, std::string& text);
  /// Adds what there is up to the end.
  Status read_all(std::string& text);
  /// Sets `text` to the next line without its end, "\n" or "\r\n". False where there is none.
  Result<bool> read_line(std::string& text);
  /// Skips as many bytes, or as many as there are, and returns how many these were.
  Result<uint64_t> skip(uint64_t size);

 protected:
  explicit InputStream(std::string name) : name_(std::move(name)) {}

  /// The next bytes of the file, which stay as they are until the next call; none at its end.
  virtual Result<std::string_view> next() = 0;
  /// Passes over bytes that next() would return, and returns how many: may be none.
  virtual uint64_t skip_unread([[maybe_unused]] uint64_t size) { return 0; }

 private:
  /// Sees to it that there are bytes to take, unless the file is at its end.
  Status fill();
  /// Fails where a string would have more bytes than one may.
  Status check_room(const std::string& text, uint64_t size) const;
  std::string_view take(uint64_t size_max);

  std::string name_;
  std::string_view unread_;
  uint64_t position_ = 0;
};

}  // namespace troupe
