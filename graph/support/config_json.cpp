#include "troupe/graph/support/config_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "troupe/graph/support/text.hpp"

namespace troupe {

using nlohmann::json;

Result<json> parse_config_json(std::string_view text, const std::string& name) {
  // The library silently keeps the last of two equal keys.
  std::vector<std::set<std::string>> open_objects;
  std::string duplicate;
  auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key && !open_objects.back().insert(parsed).second)
      duplicate = parsed;
    return true;
  };
  try {
    auto value = json::parse(text, watch);
    if (duplicate.empty()) return value;
    return invalid_argument(name + ": the key " + quote(duplicate) + " is given twice");
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at ...": the number means nothing to a reader.
    std::string_view reason = error.what();
    if (auto end = reason.find("] "); end != std::string_view::npos) reason.remove_prefix(end + 2);
    return invalid_argument(name + " is not JSON: " + std::string(reason));
  }
}

Status wrong_value(const std::string& key, const json& value, std::string_view expectation) {
  constexpr size_t length_max = 120;
  auto text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > length_max) text = text.substr(0, length_max) + "...";
  return invalid_argument(key + " is " + text + ", expected " + std::string(expectation));
}

}  // namespace troupe
