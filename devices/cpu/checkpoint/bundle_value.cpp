#include "troupe/devices/cpu/checkpoint/bundle_value.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "troupe/devices/files/crc32c.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr size_t data_buffer_bytes = size_t{1} << 20;

std::string_view raw_bytes(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), tensor.bytes()};
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void append_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

/// The CRC takes a length as the number that it is, not as its bytes in the file.
uint32_t add_length(uint32_t crc, uint64_t length) {
  if (length > std::numeric_limits<uint32_t>::max()) return crc32c(bytes_of(length), crc);
  auto narrow = static_cast<uint32_t>(length);
  return crc32c(bytes_of(narrow), crc);
}

/// Why the bytes of an entry are not those that were written.
struct Damage {
  std::string tensor;
  std::string file;
  int64_t offset;

  Status operator()(const std::string& why) const {
    return {
        Code::data_loss, quote(file) + " is damaged: tensor " + quote(tensor) + " at offset " +
                             std::to_string(offset) + " " + why};
  }
};

std::optional<uint64_t> take_length(std::string_view& text) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !text.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(text.front());
    text.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return {};
}

/// Takes the lengths and their checksum; nothing where they are damaged.
std::optional<std::vector<uint64_t>> take_lengths(
    std::string_view& text, size_t count, uint32_t& crc) {
  std::vector<uint64_t> lengths(count);
  for (auto& length : lengths) {
    auto taken = take_length(text);
    if (!taken) return {};
    length = *taken;
    crc = add_length(crc, length);
  }
  uint32_t stored = 0;
  if (text.size() < sizeof stored) return {};
  std::memcpy(&stored, text.data(), sizeof stored);
  text.remove_prefix(sizeof stored);
  if (stored != masked(crc)) return {};
  crc = crc32c(bytes_of(stored), crc);
  return lengths;
}

Result<Tensor> read_strings(
    const FileReader& file, const BundleEntry& entry, const Damage& damage, Allocator& allocator) {
  // Each string takes a byte at least, so no entry claims more memory than its file has bytes.
  if (entry.shape.elements() > entry.size) return damage("has fewer bytes than strings");
  std::string bytes(static_cast<size_t>(entry.size), '\0');
  auto status = file.read(static_cast<uint64_t>(entry.offset), bytes.data(), bytes.size());
  if (!status.ok()) return status;
  auto tensor = Tensor::allocate(DType::string, entry.shape, allocator);
  if (!tensor || entry.size == 0) return tensor;
  uint32_t crc = 0;
  std::string_view rest = bytes;
  auto lengths = take_lengths(rest, static_cast<size_t>(entry.shape.elements()), crc);
  if (!lengths) return damage("has lengths of strings without their checksum");
  if (masked(crc32c(rest, crc)) != entry.checksum) return damage("does not have its checksum");
  auto* strings = tensor->mutable_data<std::string>();
  for (auto length : *lengths) {
    if (length > rest.size()) return damage("has a string that is longer than all of it");
    *strings++ = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return tensor;
}

bool has_booleans_only(const Tensor& tensor) {
  return std::ranges::all_of(raw_bytes(tensor), [](char byte) { return byte == 0 || byte == 1; });
}

}  // namespace

Result<BundleData> BundleData::create(const std::filesystem::path& path) {
  auto file = FileWriter::create(path);
  if (!file) return file.status();
  return BundleData(*std::move(file));
}

Status BundleData::write(std::string_view bytes) {
  size_ += static_cast<int64_t>(bytes.size());
  unwritten_.reserve(data_buffer_bytes);
  if (unwritten_.size() + bytes.size() <= data_buffer_bytes) {
    unwritten_ += bytes;
    return {};
  }
  if (auto status = finish(); !status.ok()) return status;
  if (bytes.size() > data_buffer_bytes) return file_.append(bytes);
  unwritten_ = bytes;
  return {};
}

Status BundleData::finish() {
  auto status = file_.append(unwritten_);
  unwritten_.clear();
  return status;
}

Result<BundleEntry> BundleData::append(const Tensor& tensor) {
  BundleEntry entry{.dtype = tensor.dtype(), .shape = tensor.shape(), .offset = size_};
  Status status;
  uint32_t crc = 0;
  if (is_plain(tensor.dtype())) {
    crc = crc32c(raw_bytes(tensor));
    status = write(raw_bytes(tensor));
  } else if (tensor.dtype() == DType::string) {
    std::string lengths;
    for (const auto& text : tensor.values<std::string>()) {
      append_varint(lengths, text.size());
      crc = add_length(crc, text.size());
    }
    auto checksum = masked(crc);
    lengths += bytes_of(checksum);
    crc = crc32c(bytes_of(checksum), crc);
    status = write(lengths);
    for (const auto& text : tensor.values<std::string>()) {
      if (status.ok()) status = write(text);
      crc = crc32c(text, crc);
    }
  } else {
    return unimplemented(std::string("checkpoints have no ") + to_string(tensor.dtype()));
  }
  if (!status.ok()) return status;
  entry.size = size_ - entry.offset;
  entry.checksum = masked(crc);
  return entry;
}

Result<Tensor> read_bundle_value(
    const FileReader& file, const std::string& name, const BundleEntry& entry,
    Allocator& allocator) {
  Damage damage{name, file.path().string(), entry.offset};
  auto file_size = static_cast<int64_t>(file.size());
  if (entry.offset < 0 || entry.size < 0 || entry.offset > file_size ||
      entry.size > file_size - entry.offset)
    return damage(
        "would have " + std::to_string(entry.size) + " bytes, but the file has " +
        std::to_string(file_size));
  if (entry.dtype == DType::string) return read_strings(file, entry, damage, allocator);
  if (!is_plain(entry.dtype))
    return unimplemented(
        "tensor " + quote(name) + " is " + to_string(entry.dtype) + ", which cannot be restored");
  auto wanted = entry.shape.elements() * static_cast<int64_t>(size_of(entry.dtype));
  if (entry.size != wanted)
    return damage(
        "has " + std::to_string(entry.size) + " bytes, but its shape takes " +
        std::to_string(wanted));
  auto tensor = Tensor::allocate(entry.dtype, entry.shape, allocator);
  if (!tensor) return tensor.status();
  auto status =
      file.read(static_cast<uint64_t>(entry.offset), tensor->mutable_raw(), tensor->bytes());
  if (!status.ok()) return status;
  if (masked(crc32c(raw_bytes(*tensor))) != entry.checksum)
    return damage("does not have its checksum");
  if (entry.dtype == DType::boolean && !has_booleans_only(*tensor))
    return damage("has a bool that is neither 0 nor 1");
  return tensor;
}

}  // namespace troupe::cpu
