#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Parses a configuration. InvalidArgument begins with `name`, and says where the text stops being
/// JSON or which key it has twice.
Result<nlohmann::json> parse_config_json(std::string_view text, const std::string& name);

/// "cluster.ps is 5, expected a list": for a value of the wrong kind. Long values are cut.
Status wrong_value(
    const std::string& key, const nlohmann::json& value, std::string_view expectation);

}  // namespace troupe
