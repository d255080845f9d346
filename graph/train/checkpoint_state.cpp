#include "troupe/graph/train/checkpoint_state.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view latest_key = "model_checkpoint_path";
constexpr std::string_view all_key = "all_model_checkpoint_paths";
constexpr std::string_view escaped = "\n\r\t\"'\\";
constexpr std::string_view escapes = "nrt\"'\\";
constexpr std::string_view octal_digits = "01234567";
constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view name_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.+-";

/// A field in protobuf's text form: bytes that are no ASCII are octal numbers.
std::string text_field(std::string_view key, const std::string& value) {
  std::string text = std::string(key) + ": \"";
  for (char letter : value) {
    auto byte = static_cast<uint8_t>(letter);
    if (auto at = escaped.find(letter); at != std::string_view::npos) {
      text += '\\';
      text += escapes[at];
    } else if (byte < 0x20 || byte >= 0x7f) {
      std::array<char, 5> octal{};
      std::snprintf(octal.data(), octal.size(), "\\%03o", byte);
      text += octal.data();
    } else {
      text += letter;
    }
  }
  return text + "\"\n";
}

/// Reads fields of texts and numbers in protobuf's text form.
class TextFields {
 public:
  explicit TextFields(std::string_view rest) : rest_(rest) {}

  bool is_at_end() {
    skip_blanks();
    return rest_.empty();
  }

  /// The next field, its name first; nothing where there is none.
  std::optional<std::pair<std::string, std::string>> next() {
    skip_blanks();
    auto name = take_word();
    skip_blanks();
    if (name.empty() || !take(':')) return {};
    skip_blanks();
    if (rest_.empty()) return {};
    bool is_text = rest_.front() == '"' || rest_.front() == '\'';
    auto value = is_text ? take_text() : std::optional(take_word());
    if (!value || (!is_text && value->empty())) return {};
    skip_blanks();
    if (!take(';')) take(',');
    return std::pair(name, *value);
  }

 private:
  void skip_blanks() {
    while (!rest_.empty()) {
      if (rest_.front() == '#') rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      else if (blanks.find(rest_.front()) != std::string_view::npos) rest_.remove_prefix(1);
      else return;
    }
  }

  bool take(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string take_word() {
    auto end = std::min(rest_.find_first_not_of(name_letters), rest_.size());
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return word;
  }

  std::optional<std::string> take_text() {
    auto quote_mark = rest_.front();
    rest_.remove_prefix(1);
    std::string text;
    while (!rest_.empty() && rest_.front() != quote_mark) {
      if (!take('\\')) {
        text += rest_.front();
        rest_.remove_prefix(1);
      } else if (auto letter = take_escape()) {
        text += *letter;
      } else {
        return {};
      }
    }
    if (!take(quote_mark)) return {};
    return text;
  }

  std::optional<char> take_escape() {
    if (rest_.empty()) return {};
    if (auto at = escapes.find(rest_.front()); at != std::string_view::npos) {
      rest_.remove_prefix(1);
      return escaped[at];
    }
    auto digits =
        std::min<size_t>(3, std::min(rest_.find_first_not_of(octal_digits), rest_.size()));
    if (digits == 0) return {};
    int number = 0;
    for (char digit : rest_.substr(0, digits)) number = 8 * number + (digit - '0');
    rest_.remove_prefix(digits);
    return static_cast<char>(number);
  }

  std::string_view rest_;
};

std::string path_in(const std::string& folder, const std::string& path, bool is_relative) {
  if (fs::path(path).is_absolute() && !is_relative) return path;
  auto relative = fs::path(path).lexically_relative(folder);
  return relative.empty() ? path : relative.string();
}

}  // namespace

Result<CheckpointState> CheckpointState::read(
    const std::string& folder, const std::string& filename) {
  auto file = fs::path(folder) / filename;
  auto text = read_file(file);
  if (!text && text.status().code() == Code::not_found) return CheckpointState();
  if (!text) return text.status();
  CheckpointState state;
  std::string latest;
  for (TextFields fields(*text); !fields.is_at_end();) {
    auto field = fields.next();
    if (!field)
      return Status(Code::data_loss, quote(file.string()) + " is damaged: it lists no checkpoints");
    auto path = (fs::path(folder) / field->second).string();
    if (field->first == latest_key) latest = path;
    if (field->first == all_key) state.paths.push_back(path);
  }
  if (latest.empty())
    return Status(Code::data_loss, quote(file.string()) + " is damaged: it lists no checkpoints");
  std::erase(state.paths, latest);
  state.paths.push_back(latest);
  return state;
}

Status CheckpointState::write(const std::string& folder, const Place& place) const {
  if (paths.empty()) return remove_file(fs::path(folder) / place.filename);
  auto text = text_field(latest_key, path_in(folder, paths.back(), place.is_relative));
  for (const auto& path : paths)
    text += text_field(all_key, path_in(folder, path, place.is_relative));
  return write_file(fs::path(folder) / place.filename, text);
}

Result<std::optional<std::string>> latest_checkpoint(const std::string& folder) {
  auto state = CheckpointState::read(folder);
  if (!state) return state.status();
  if (state->paths.empty()) return std::optional<std::string>();
  return std::optional(state->paths.back());
}

}  // namespace troupe::train
