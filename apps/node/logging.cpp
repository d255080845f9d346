#include "troupe/apps/node/logging.hpp"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

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

// Lines that wait to be written.
constexpr size_t waiting_lines_max = 1024;

/// Says in the log how many lines it has lost. Used by the thread of the pool, which therefore
/// exists.
class LossySink final : public spdlog::sinks::stderr_color_sink_mt {
 public:
  using Base = spdlog::sinks::stderr_color_sink_mt;

  explicit LossySink(spdlog::details::thread_pool& pool)
      : pool_(pool), told_(pool.overrun_counter()) {}

  void log(const spdlog::details::log_msg& line) override {
    auto lost = pool_.overrun_counter();
    if (auto more = lost - std::exchange(told_, lost); more > 0) {
      auto text = std::to_string(more) + " lines of the log are lost: nobody read it for a while";
      Base::log({line.logger_name, spdlog::level::warn, text});
    }
    Base::log(line);
  }

 private:
  spdlog::details::thread_pool& pool_;
  size_t told_;
};

}  // namespace

void start_logging(const Settings& settings, const std::string& task) {
  if (!spdlog::thread_pool()) spdlog::init_thread_pool(waiting_lines_max, /*threads_n=*/1);
  auto pool = spdlog::thread_pool();
  auto logger = std::make_shared<spdlog::async_logger>(
      task, std::make_shared<LossySink>(*pool), pool,
      spdlog::async_overflow_policy::overrun_oldest);
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

bool end_logging() {
  std::promise<void> ended;
  auto has_ended = ended.get_future();
  std::thread([ended = std::move(ended)]() mutable {
    spdlog::shutdown();
    ended.set_value();
  }).detach();
  return has_ended.wait_for(std::chrono::seconds(1)) == std::future_status::ready;
}

}  // namespace troupe
