#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/files/input_stream.hpp"

namespace troupe {

/// How the records of a CSV file are written, and what is read of them.
struct CsvFileFormat {
  char separator = ',';
  bool has_quotes = true;                            // that enclose fields
  std::optional<std::vector<int64_t>> columns = {};  // to read, in order; by default all
  size_t fields_max = SIZE_MAX;                      // a record may have
};

/// Reads the records of a CSV file. They end with "\n", "\r" or "\r\n", which fields in quotes may
/// have inside. Not thread-safe.
class CsvReader {
 public:
  static Result<CsvReader> open(
      const std::string& path, Compression compression, size_t buffer_bytes, CsvFileFormat format);

  /// Sets `fields` to those of the next record, without their quotes; false at the end of the file.
  /// InvalidArgument: this record is not written so, or has too many fields. The next call reads
  /// the one behind it.
  Result<bool> read(std::vector<std::string>& fields);
  /// Passes over a record, such as a header, as read() does, whatever fields it has.
  Result<bool> skip();

 private:
  CsvReader(std::unique_ptr<InputStream> input, size_t buffer_bytes, CsvFileFormat format)
      : input_(std::move(input)), buffer_bytes_(buffer_bytes), format_(std::move(format)) {}

  struct Columns {
    const std::vector<int64_t>* chosen;  // null: all
    size_t most;

    bool is_read(int64_t column, size_t read) const {
      return !chosen || (read < chosen->size() && (*chosen)[read] == column);
    }
  };

  Result<bool> read_record(const Columns& columns, std::vector<std::string>& fields);
  Result<bool> has_more();
  Result<bool> take_field(std::string* field);
  Result<bool> take_plain(std::string* field);
  Result<bool> take_quoted(std::string* field);
  Result<bool> take_line_end(char c);
  Status keep(std::string* field, char c);
  void note(Status error);

  std::unique_ptr<InputStream> input_;
  size_t buffer_bytes_;
  CsvFileFormat format_;
  std::string buffer_;
  size_t at_ = 0;     // in the buffer
  Status malformed_;  // what is wrong with the record that is read
};

}  // namespace troupe
