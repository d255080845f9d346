#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe {

// Errors name the file and say what the system said: NotFound, PermissionDenied, ResourceExhausted
// for a full disk, InvalidArgument for what is a directory where a file is needed, DataLoss for a
// file that ends too early.

/// Writes a file atomically: the bytes go into a temporary file beside it, which commit() renames.
/// Until then, and if the machine fails before, a file of that name keeps its old content.
class FileWriter {
 public:
  /// Creates missing folders.
  static Result<FileWriter> create(const std::filesystem::path& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  /// Removes the temporary file, unless it was committed.
  ~FileWriter();

  Status append(const void* bytes, size_t size);
  Status append(std::string_view text) { return append(text.data(), text.size()); }
  /// Returns once the file and its name are on the disk.
  Status commit();

 private:
  FileWriter(std::filesystem::path path, std::filesystem::path temporary, int fd);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int fd_;
};

/// Writes a file in place, from its beginning: other than with FileWriter, what was appended is in
/// it at once.
class FileAppender {
 public:
  /// Empties the file, or makes it and the folders that it lacks.
  static Result<FileAppender> create(const std::filesystem::path& path);
  FileAppender(FileAppender&& other) noexcept;
  FileAppender& operator=(FileAppender&&) = delete;
  ~FileAppender();

  Status append(std::string_view bytes);

 private:
  FileAppender(std::filesystem::path path, int fd);

  std::filesystem::path path_;
  int fd_;
};

/// A file open for reads at any offset.
class FileReader {
 public:
  static Result<FileReader> open(const std::filesystem::path& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&&) = delete;
  ~FileReader();

  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }
  Status read(uint64_t offset, void* to, size_t size) const;

 private:
  FileReader(std::filesystem::path path, int fd, uint64_t size);

  std::filesystem::path path_;
  int fd_;
  uint64_t size_;
};

/// FileWriter and FileReader in one go, for small files.
Status write_file(const std::filesystem::path& path, std::string_view text);
Result<std::string> read_file(const std::filesystem::path& path);

/// Deletes the file; succeeds if there is none.
Status remove_file(const std::filesystem::path& path);
/// Renames a file within its file system, replacing a file of the new name.
Status rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace troupe
