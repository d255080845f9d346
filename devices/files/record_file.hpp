#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "troupe/devices/files/input_stream.hpp"
#include "troupe/devices/files/output_stream.hpp"

namespace troupe {

// A record file (TFRecord) is a sequence of
//
//     uint64    the record's length, little-endian
//     uint32    masked CRC-32C of these eight bytes
//     bytes     the record
//     uint32    masked CRC-32C of the record
//
// which may be compressed as a whole.

/// Reads the records of a file in order. Not thread-safe.
class RecordFileReader {
 public:
  /// Errors of InputStream::open().
  static Result<RecordFileReader> open(
      const std::filesystem::path& path, Compression compression = Compression::none,
      size_t buffer_bytes = InputStream::default_buffer_bytes);

  /// Sets `record` to the next one; false at the end of the file. DataLoss names the file and the
  /// offset of a record that is damaged or cut; the next call reads that one again.
  Result<bool> read(std::string& record);

  /// Where the next record begins, in decompressed bytes.
  uint64_t offset() const { return offset_; }
  /// Goes to another record. Backwards, it opens the file again.
  Status seek(uint64_t offset);

 private:
  RecordFileReader(std::filesystem::path path, Compression compression, size_t buffer_bytes);
  Status reopen();
  Result<bool> read_checked(uint64_t at, uint64_t size, std::string& bytes);
  Status damaged(const char* how, uint64_t at) const;

  std::filesystem::path path_;
  Compression compression_;
  size_t buffer_bytes_;
  std::unique_ptr<InputStream> input_;
  uint64_t offset_ = 0;
};

/// Writes records to a file, over one that is there. Not thread-safe.
class RecordFileWriter {
 public:
  /// Errors of OutputStream::create().
  static Result<RecordFileWriter> create(
      const std::filesystem::path& path, const CompressionOptions& options = {});

  Status write(std::string_view record);
  /// A reader finds all records so far.
  Status flush() { return output_->flush(); }
  /// Ends the file; what is written later is a FailedPrecondition. A second call does nothing.
  Status close() { return output_->close(); }

 private:
  explicit RecordFileWriter(std::unique_ptr<OutputStream> output) : output_(std::move(output)) {}

  std::unique_ptr<OutputStream> output_;
};

}  // namespace troupe
