#include "troupe/devices/cpu/checkpoint/checkpoint_index.hpp"

#include <nlohmann/json.hpp>

#include "troupe/devices/cpu/checkpoint/safetensors.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr auto files_key = "weight_map";
constexpr auto checksums_key = "checksums";

/// Throws json::exception where a part is of another kind than it must be.
bool parse(const json& root, CheckpointIndex& index) {
  for (const auto& [name, file] : root.at(files_key).items()) {
    auto file_name = file.get<std::string>();
    if (fs::path(file_name).filename() != file_name) return false;
    index.tensors[name].file = std::move(file_name);
  }
  if (!root.contains(checksums_key)) return true;
  for (const auto& [name, text] : root.at(checksums_key).items()) {
    auto checksum = parse_hex(text.get<std::string>());
    auto found = index.tensors.find(name);
    if (!checksum || found == index.tensors.end()) return false;
    found->second.checksum = checksum;
  }
  return true;
}

}  // namespace

Result<CheckpointIndex> CheckpointIndex::read(const fs::path& path) {
  auto text = read_file(path);
  if (!text) return text.status();
  CheckpointIndex index;
  try {
    if (parse(json::parse(*text), index)) return index;
  } catch (const json::exception&) {
  }
  return Status(
      Code::data_loss, quote(path.string()) + " is damaged: it is no index of a checkpoint");
}

Status CheckpointIndex::write(const fs::path& path) const {
  json files = json::object(), checksums = json::object();
  for (const auto& [name, entry] : tensors) {
    files[name] = entry.file;
    if (entry.checksum) checksums[name] = to_hex(*entry.checksum);
  }
  json root = {
      {"metadata", {{"format", "troupe"}}}, {files_key, files}, {checksums_key, checksums}};
  return write_file(path, root.dump(1) + "\n");
}

Status CheckpointIndex::add(CheckpointIndex other) {
  for (auto& [name, entry] : other.tensors)
    if (!tensors.emplace(name, std::move(entry)).second)
      return invalid_argument("tensor " + quote(name) + " is in two of the files");
  return {};
}

}  // namespace troupe::cpu
