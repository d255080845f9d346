#include "troupe/devices/files/record_file.hpp"

#include <bit>
#include <cstring>

#include "troupe/devices/files/crc32c.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t length_bytes = sizeof(uint64_t);
constexpr uint64_t crc_bytes = sizeof(uint32_t);

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

template <class T>
std::string_view bytes_of(const T& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

Result<RecordFileReader> RecordFileReader::open(
    const std::filesystem::path& path, Compression compression, size_t buffer_bytes) {
  RecordFileReader reader(path, compression, buffer_bytes);
  if (auto status = reader.reopen(); !status.ok()) return status;
  return reader;
}

RecordFileReader::RecordFileReader(
    std::filesystem::path path, Compression compression, size_t buffer_bytes)
    : path_(std::move(path)), compression_(compression), buffer_bytes_(buffer_bytes) {}

Status RecordFileReader::reopen() {
  auto input = InputStream::open(path_, compression_, buffer_bytes_);
  if (input) input_ = *std::move(input);
  return input.status();
}

Status RecordFileReader::seek(uint64_t offset) {
  if (offset < input_->position())
    if (auto status = reopen(); !status.ok()) return status;
  auto distance = offset - input_->position();
  auto skipped = input_->skip(distance);
  if (!skipped) return skipped.status();
  if (*skipped < distance)
    return {Code::out_of_range, input_->name() + " ends before " + std::to_string(offset)};
  offset_ = offset;
  return {};
}

Status RecordFileReader::damaged(const char* how, uint64_t at) const {
  return {
      Code::data_loss,
      std::string(how) + " record at " + std::to_string(at) + " of " + input_->name()};
}

/// Bytes with the CRC behind them; false where the file ends before the first.
Result<bool> RecordFileReader::read_checked(uint64_t at, uint64_t size, std::string& bytes) {
  bytes.clear();
  // No file has a record of such a length, but a damaged one may say so.
  if (size > UINT64_MAX - crc_bytes) return damaged("truncated", at);
  if (auto status = input_->read(size + crc_bytes, bytes); !status.ok()) return status;
  if (bytes.empty()) return false;
  if (bytes.size() < size + crc_bytes) return damaged("truncated", at);
  auto body = std::string_view(bytes).substr(0, static_cast<size_t>(size));
  if (number_at<uint32_t>(bytes, body.size()) != masked_crc32c(body))
    return damaged("corrupted", at);
  bytes.resize(body.size());
  return true;
}

Result<bool> RecordFileReader::read(std::string& record) {
  if (input_->position() != offset_)
    if (auto status = seek(offset_); !status.ok()) return status;
  auto header = read_checked(offset_, length_bytes, record);
  if (!header || !*header) return header;
  auto length = number_at<uint64_t>(record, 0);
  auto body = read_checked(offset_ + length_bytes + crc_bytes, length, record);
  if (!body) return body;
  if (!*body) return damaged("truncated", offset_);
  offset_ = input_->position();
  return true;
}

Result<RecordFileWriter> RecordFileWriter::create(
    const std::filesystem::path& path, const CompressionOptions& options) {
  auto output = OutputStream::create(path, options);
  if (!output) return output.status();
  return RecordFileWriter(*std::move(output));
}

Status RecordFileWriter::write(std::string_view record) {
  uint64_t length = record.size();
  std::string header(bytes_of(length));
  header += bytes_of(masked_crc32c(bytes_of(length)));
  if (auto status = output_->write(header); !status.ok()) return status;
  if (auto status = output_->write(record); !status.ok()) return status;
  return output_->write(bytes_of(masked_crc32c(record)));
}

}  // namespace troupe
