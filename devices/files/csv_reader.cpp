#include "troupe/devices/files/csv_reader.hpp"

namespace troupe {
namespace {

constexpr size_t field_bytes_max = size_t{1} << 31;

}  // namespace

Result<CsvReader> CsvReader::open(
    const std::string& path, Compression compression, size_t buffer_bytes, CsvFileFormat format) {
  auto input = InputStream::open(path, compression, buffer_bytes);
  if (!input) return input.status();
  return CsvReader(*std::move(input), buffer_bytes, std::move(format));
}

Result<bool> CsvReader::read(std::vector<std::string>& fields) {
  fields.clear();
  return read_record({format_.columns ? &*format_.columns : nullptr, format_.fields_max}, fields);
}

Result<bool> CsvReader::skip() {
  const std::vector<int64_t> none;
  std::vector<std::string> fields;
  return read_record({&none, 0}, fields);
}

Result<bool> CsvReader::read_record(const Columns& columns, std::vector<std::string>& fields) {
  auto more = has_more();
  if (!more || !*more) return more;
  malformed_ = {};
  for (int64_t column = 0;; ++column) {
    auto is_read = columns.is_read(column, fields.size());
    auto is_too_many = is_read && fields.size() == columns.most;
    if (is_too_many)
      note(invalid_argument(
          "Expect " + std::to_string(columns.most) + " fields but have more in record"));
    std::string field;
    auto goes_on = take_field(is_read && malformed_.ok() ? &field : nullptr);
    if (!goes_on) return goes_on;
    if (is_read && !is_too_many) fields.push_back(std::move(field));
    if (!*goes_on) break;
  }
  if (!malformed_.ok()) return malformed_;
  return true;
}

/// Whether there is a byte at `at_`.
Result<bool> CsvReader::has_more() {
  if (at_ < buffer_.size()) return true;
  buffer_.clear();
  at_ = 0;
  auto status = input_->read(buffer_bytes_, buffer_);
  if (!status.ok()) return status;
  return !buffer_.empty();
}

/// Takes a field, and what is behind it; null: of one that nobody wants. Returns whether another
/// one follows in the record.
Result<bool> CsvReader::take_field(std::string* field) {
  auto more = has_more();
  if (!more || !*more) return more;
  return format_.has_quotes && buffer_[at_] == '"' ? take_quoted(field) : take_plain(field);
}

Result<bool> CsvReader::take_plain(std::string* field) {
  for (;;) {
    auto more = has_more();
    if (!more || !*more) return more;
    auto c = buffer_[at_++];
    if (c == format_.separator) return true;
    if (c == '\n' || c == '\r') return take_line_end(c);
    if (format_.has_quotes && c == '"')
      note(invalid_argument("Unquoted fields cannot have quotes inside"));
    if (auto status = keep(field, c); !status.ok()) return status;
  }
}

Result<bool> CsvReader::take_quoted(std::string* field) {
  ++at_;
  for (;;) {
    auto more = has_more();
    if (!more) return more;
    if (!*more) {
      note(invalid_argument("Reached end of file without closing quoted field in record"));
      return false;
    }
    auto c = buffer_[at_++];
    if (c == '"') {
      more = has_more();
      if (!more || !*more) return more;
      c = buffer_[at_++];
      if (c == format_.separator) return true;
      if (c == '\n' || c == '\r') return take_line_end(c);
      if (c != '"')
        note(invalid_argument("Quote inside a string has to be escaped by another quote"));
    }
    if (auto status = keep(field, c); !status.ok()) return status;
  }
}

/// Takes the second byte of the end of a line, too, and returns that no field follows.
Result<bool> CsvReader::take_line_end(char c) {
  if (c == '\n') return false;
  auto more = has_more();
  if (!more) return more;
  if (*more && buffer_[at_] == '\n') ++at_;
  return false;
}

Status CsvReader::keep(std::string* field, char c) {
  if (!field) return {};
  if (field->size() == field_bytes_max)
    return resource_exhausted(
        "a field of " + input_->name() + " has more than " + std::to_string(field_bytes_max) +
        " bytes");
  *field += c;
  return {};
}

/// The first error is that of the record, which is read to its end.
void CsvReader::note(Status error) {
  if (malformed_.ok()) malformed_ = std::move(error);
}

}  // namespace troupe
