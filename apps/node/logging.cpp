#include "troupe/apps/node/logging.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace troupe {
namespace {

/// The message as a JSON string, quotes included.
class JsonMessage : public spdlog::custom_flag_formatter {
 public:
  void format(
      const spdlog::details::log_msg& line, const std::tm&, spdlog::memory_buf_t& out) override {
    std::string message(line.payload.data(), line.payload.size());
    auto text =
        nlohmann::json(message).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<JsonMessage>();
  }
};

}  // namespace

void start_logging(const Settings& settings, const std::string& task) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>(task, std::move(sink));
  if (settings.log_json) {
    auto format = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    format->add_flag<JsonMessage>('*').set_pattern(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l","task":"%n","pid":%P,"message":%*})");
    logger->set_formatter(std::move(format));
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %n %v");
  }
  logger->set_level(spdlog::level::from_str(settings.log_level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace troupe
