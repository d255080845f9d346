#include "troupe/devices/cpu/checkpoint/safetensors.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr uint64_t length_bytes = 8;
constexpr uint64_t header_bytes_max = 100'000'000;  // as the format's own library
constexpr auto metadata_key = "__metadata__";
constexpr auto checksum_prefix = "crc32:";

constexpr std::array<std::pair<DType, const char*>, 14> names = {{
    {DType::boolean, "BOOL"},
    {DType::uint8, "U8"},
    {DType::int8, "I8"},
    {DType::uint16, "U16"},
    {DType::int16, "I16"},
    {DType::float16, "F16"},
    {DType::bfloat16, "BF16"},
    {DType::uint32, "U32"},
    {DType::int32, "I32"},
    {DType::float32, "F32"},
    {DType::uint64, "U64"},
    {DType::int64, "I64"},
    {DType::float64, "F64"},
    {DType::complex64, "C64"},
}};

const char* name_of(DType dtype) {
  for (auto [value, name] : names)
    if (value == dtype) return name;
  return nullptr;
}

Result<DType> dtype_named(const std::string& text) {
  for (auto [value, name] : names)
    if (name == text) return value;
  return unimplemented("the dtype " + quote(text) + " of safetensors is not known here");
}

uint32_t checksum_of(const void* bytes, size_t size) {
  return static_cast<uint32_t>(crc32_z(0, static_cast<const Bytef*>(bytes), size));
}

Status damaged(const fs::path& path, const std::string& why) {
  return {Code::data_loss, quote(path.string()) + " is damaged: " + why};
}

Status damaged(const fs::path& path, const std::string& tensor, const std::string& why) {
  return damaged(path, "tensor " + quote(tensor) + " " + why);
}

/// The header, padded so that the elements behind it are aligned.
Result<std::string> header_of(const std::vector<NamedTensor>& tensors, const Checksums& checksums) {
  json metadata = {{"format", "troupe"}};
  json header = json::object();
  uint64_t offset = 0;
  for (const auto& [name, value] : tensors) {
    auto sizes = value.shape().sizes();
    auto end = offset + value.bytes();
    header[name] = {
        {"dtype", name_of(value.dtype())},
        {"shape", std::vector<int64_t>(sizes.begin(), sizes.end())},
        {"data_offsets", {offset, end}}};
    metadata[checksum_prefix + name] = to_hex(checksums.at(name));
    offset = end;
  }
  header[metadata_key] = std::move(metadata);
  try {
    auto text = header.dump();
    text.resize((text.size() + length_bytes - 1) / length_bytes * length_bytes, ' ');
    return text;
  } catch (const json::exception&) {
    return invalid_argument("a tensor's name is not UTF-8, and cannot be saved");
  }
}

Status check_savable(const std::vector<NamedTensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, value] = tensors[i];
    if (name.empty() || name == metadata_key)
      return invalid_argument("no tensor can be saved under the name " + quote(name));
    if (!name_of(value.dtype()))
      return unimplemented(
          "tensor " + quote(name) + " cannot be saved: safetensors has no " +
          to_string(value.dtype()));
  }
  auto same_name = [](const auto& a, const auto& b) { return a.name == b.name; };
  auto sorted = tensors;
  std::ranges::sort(sorted, {}, &NamedTensor::name);
  auto twice = std::ranges::adjacent_find(sorted, same_name);
  if (twice == sorted.end()) return {};
  return invalid_argument("tensor " + quote(twice->name) + " would be saved twice");
}

/// Parses what the header says of one tensor, whose offsets count from `data`.
Result<SafetensorsFile::Entry> parse_entry(const json& text, uint64_t data, uint64_t file_size) {
  // Another kind of value than is looked for throws, and is damage too.
  auto dtype = dtype_named(text.at("dtype").get<std::string>());
  if (!dtype) return dtype.status();
  auto sizes = text.at("shape").get<std::vector<int64_t>>();
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto offsets = text.at("data_offsets").get<std::array<uint64_t, 2>>();
  auto known = shape->is_known() && shape->elements() <= Shape::max_elements;
  if (!known || offsets[0] > offsets[1] ||
      offsets[1] - offsets[0] != static_cast<uint64_t>(shape->elements()) * size_of(*dtype))
    return Status(Code::data_loss, "has a size that does not fit its shape");
  if (offsets[1] > file_size - data)
    return Status(
        Code::data_loss, "would end at " + std::to_string(offsets[1]) +
                             " bytes of data, of which the file has " +
                             std::to_string(file_size - data));
  return SafetensorsFile::Entry{*dtype, *shape, data + offsets[0], data + offsets[1], {}};
}

Result<json> read_header(const FileReader& file, uint64_t& data) {
  uint64_t length = 0;
  if (auto status = file.read(0, &length, length_bytes); !status.ok()) return status;
  if (length > header_bytes_max || length > file.size() - length_bytes)
    return damaged(file.path(), "its header would have " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  if (auto status = file.read(length_bytes, text.data(), length); !status.ok()) return status;
  auto header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return damaged(file.path(), "its header is no JSON object");
  data = length_bytes + length;
  return header;
}

bool has_only_booleans(const Tensor& tensor) {
  const auto* bytes = static_cast<const uint8_t*>(tensor.raw());
  return std::all_of(bytes, bytes + tensor.bytes(), [](uint8_t byte) { return byte <= 1; });
}

}  // namespace

std::string to_hex(uint32_t checksum) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", checksum);
  return text.data();
}

std::optional<uint32_t> parse_hex(const std::string& text) {
  uint32_t number = 0;
  const auto* text_end = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), text_end, number, 16);
  if (error != std::errc() || end != text_end) return {};
  return number;
}

Result<Checksums> write_safetensors(const fs::path& path, std::vector<NamedTensor> tensors) {
  if (auto status = check_savable(tensors); !status.ok()) return status;
  // The widest elements first, so that all are aligned without gaps, which the format forbids.
  std::ranges::sort(tensors, [](const auto& a, const auto& b) {
    auto wide = size_of(a.value.dtype()), other = size_of(b.value.dtype());
    return wide != other ? wide > other : a.name < b.name;
  });
  Checksums checksums;
  for (const auto& [name, value] : tensors)
    checksums[name] = checksum_of(value.raw(), value.bytes());
  auto header = header_of(tensors, checksums);
  if (!header) return header.status();

  auto file = FileWriter::create(path);
  if (!file) return file.status();
  uint64_t length = header->size();
  auto status = file->append(&length, length_bytes);
  if (status.ok()) status = file->append(*header);
  for (const auto& [name, value] : tensors)
    if (status.ok()) status = file->append(value.raw(), value.bytes());
  if (status.ok()) status = file->commit();
  if (!status.ok()) return status;
  return checksums;
}

Result<SafetensorsFile> SafetensorsFile::open(const fs::path& path) {
  auto reader = FileReader::open(path);
  if (!reader) return reader.status();
  SafetensorsFile file(*std::move(reader));
  uint64_t data = 0;
  auto header = read_header(file.file_, data);
  if (!header) return header.status();
  auto metadata = header->value(metadata_key, json::object());
  for (const auto& [name, text] : header->items()) {
    if (name == metadata_key) continue;
    try {
      auto entry = parse_entry(text, data, file.file_.size());
      if (!entry && entry.status().code() == Code::data_loss)
        return damaged(path, name, entry.status().message());
      if (!entry)
        return Status(
            entry.status().code(), "tensor " + quote(name) + " of " + quote(path.string()) + ": " +
                                       entry.status().message());
      if (auto found = metadata.find(checksum_prefix + name); found != metadata.end()) {
        entry->checksum = parse_hex(found->get<std::string>());
        if (!entry->checksum) return damaged(path, name, "has a checksum that is no number");
      }
      file.entries_.emplace(name, *entry);
    } catch (const json::exception&) {
      return damaged(path, name, "is not described as the format wants");
    }
  }
  return file;
}

Result<Tensor> SafetensorsFile::read(const std::string& name, Allocator& allocator) const {
  const auto& entry = entries_.at(name);
  auto tensor = Tensor::allocate(entry.dtype, entry.shape, allocator);
  if (!tensor) return tensor.status();
  auto status = file_.read(entry.begin, tensor->mutable_raw(), tensor->bytes());
  if (!status.ok()) return status;
  if (entry.checksum && checksum_of(tensor->raw(), tensor->bytes()) != *entry.checksum)
    return damaged(file_.path(), name, "does not have its checksum");
  if (entry.dtype == DType::boolean && !has_only_booleans(*tensor))
    return damaged(file_.path(), name, "has a bool that is neither 0 nor 1");
  return tensor;
}

}  // namespace troupe::cpu
