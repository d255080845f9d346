#include "troupe/graph/train/checkpoint_state.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::train {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr auto latest_key = "model_checkpoint_path";
constexpr auto all_key = "all_model_checkpoint_paths";

fs::path file_in(const std::string& folder) { return fs::path(folder) / "checkpoint"; }

}  // namespace

Result<CheckpointState> CheckpointState::read(const std::string& folder) {
  auto text = read_file(file_in(folder));
  if (!text && text.status().code() == Code::not_found) return CheckpointState();
  if (!text) return text.status();
  CheckpointState state;
  try {
    auto root = json::parse(*text);
    for (const auto& path : root.at(all_key))
      state.paths.push_back((fs::path(folder) / path.get<std::string>()).string());
    return state;
  } catch (const json::exception&) {
    return Status(
        Code::data_loss, quote(file_in(folder).string()) + " is damaged: it lists no checkpoints");
  }
}

Status CheckpointState::write(const std::string& folder) const {
  json names = json::array();
  for (const auto& path : paths) {
    bool is_inside = fs::path(path).parent_path() == fs::path(folder);
    names.push_back(is_inside ? fs::path(path).filename().string() : fs::absolute(path).string());
  }
  json root = {{latest_key, names.empty() ? json() : names.back()}, {all_key, names}};
  return write_file(
      file_in(folder), root.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<std::optional<std::string>> latest_checkpoint(const std::string& folder) {
  auto state = CheckpointState::read(folder);
  if (!state) return state.status();
  if (state->paths.empty()) return std::optional<std::string>();
  return std::optional(state->paths.back());
}

}  // namespace troupe::train
