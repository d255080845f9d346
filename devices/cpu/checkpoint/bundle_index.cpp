#include "troupe/devices/cpu/checkpoint/bundle_index.hpp"

#include <algorithm>

#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

constexpr int32_t bundle_version = 1;
constexpr int32_t max_data_files = 99'999;  // numbers in names of files have five digits
const std::string header_key;

}  // namespace

Result<BundleHeader> read_bundle_header(
    const SortedTable& table, const std::filesystem::path& path) {
  auto damaged = [&](const char* why) {
    return Status(Code::data_loss, quote(path.string()) + " is damaged: " + why);
  };
  auto bytes = table.find(header_key);
  if (!bytes) return bytes.status();
  if (!*bytes) return damaged("it has no header");
  auto header = parse_bundle_header(**bytes);
  if (!header || header->data_files < 0 || header->data_files > max_data_files)
    return damaged("its header is none");
  if (header->is_big_endian)
    return unimplemented(quote(path.string()) + " was written by a machine of other byte order");
  if (header->min_consumer > bundle_version ||
      std::ranges::find(header->bad_consumers, bundle_version) != header->bad_consumers.end())
    return invalid_argument(
        "Checkpoint min consumer version " + std::to_string(header->min_consumer) +
        " above current version " + std::to_string(bundle_version) + ": " + quote(path.string()));
  return *std::move(header);
}

Result<BundleEntry> parse_index_entry(
    const std::filesystem::path& path, const std::string& key, const std::string& bytes) {
  auto entry = parse_bundle_entry(bytes);
  if (entry) return entry;
  return Status(
      entry.status().code(),
      "tensor " + quote(key) + " of " + quote(path.string()) + ": " + entry.status().message());
}

Result<BundleIndex> BundleIndex::read(const std::filesystem::path& path) {
  auto table = SortedTable::open(path);
  if (!table) return table.status();
  auto header = read_bundle_header(**table, path);
  if (!header) return header.status();
  BundleIndex index{.header = *std::move(header), .entries = {}};
  auto status = (*table)->for_each([&](const std::string& key, const std::string& value) -> Status {
    if (key == header_key) return {};
    auto entry = parse_index_entry(path, key, value);
    if (!entry) return entry.status();
    index.entries.emplace(key, *std::move(entry));
    return {};
  });
  if (!status.ok()) return status;
  return index;
}

Status BundleIndex::write(FileWriter& file) const {
  std::map<std::string, std::string> table = {{header_key, serialize_bundle_header(header)}};
  for (const auto& [key, entry] : entries) table.emplace(key, serialize_bundle_entry(entry));
  return write_sorted_table(table, file);
}

}  // namespace troupe::cpu
