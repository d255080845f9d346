#include "troupe/apps/node/logging.hpp"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
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

/// Writes lines to standard error, and says how many the log has lost. Used by the thread of the
/// pool alone, which therefore exists. Without the lock of the C library's stream: who ends the
/// process may want to flush that, while the pipe is full.
class LossySink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit LossySink(spdlog::details::thread_pool& pool)
      : pool_(pool), told_(pool.overrun_counter()), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

 private:
  using Line = spdlog::details::log_msg;

  void sink_it_(const Line& line) override {
    auto lost = pool_.overrun_counter();
    if (auto more = lost - std::exchange(told_, lost); more > 0) {
      auto text = std::to_string(more) + " lines of the log are lost: nobody read it for a while";
      print({line.logger_name, spdlog::level::warn, text});
    }
    print(line);
  }
  void flush_() override {}

  void print(const Line& line) {
    spdlog::memory_buf_t text;
    formatter_->format(line, text);
    if (!is_terminal_ || line.color_range_end <= line.color_range_start)
      return write({text.data(), text.size()});
    std::string_view all(text.data(), text.size());
    auto begin = line.color_range_start, end = line.color_range_end;
    std::string colored(all.substr(0, begin));
    colored += line.level >= spdlog::level::err    ? "\033[31m\033[1m"
               : line.level == spdlog::level::warn ? "\033[33m\033[1m"
                                                   : "\033[32m";
    colored += all.substr(begin, end - begin);
    colored += "\033[m";
    colored += all.substr(end);
    write(colored);
  }

  static void write(std::string_view text) {
    while (!text.empty()) {
      auto written = ::write(STDERR_FILENO, text.data(), text.size());
      if (written < 0 && errno != EINTR) return;  // nobody can be told
      text.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
    }
  }

  spdlog::details::thread_pool& pool_;
  size_t told_;
  bool is_terminal_;
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
