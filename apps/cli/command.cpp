#include "troupe/apps/cli/command.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::cli {
namespace {

ConnectOptions connect_options(const Options& options) { return {.timeout = options.timeout()}; }

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::bold: return "1";
    case Colour::green: return "32";
    case Colour::yellow: return "33";
    case Colour::red: return "31";
    case Colour::dim: return "2";
  }
  return "0";
}

}  // namespace

int fail(const Status& status) {
  std::fprintf(stderr, "troupe: %s\n", status.to_string().c_str());
  return status.code() == Code::invalid_argument ? exit_usage : exit_failure;
}

void print(const Json& json) { std::puts(json.dump().c_str()); }

Json to_json(const Status& status) {
  return {{"code", to_string(status.code())}, {"message", status.message()}};
}

Result<std::unique_ptr<Client>> connect(const Options& options) {
  auto client = Client::connect(options.target, connect_options(options));
  if (client || client.status().code() != Code::unavailable) return client;
  return unavailable(
      client.status().message() +
      "; name a node with --target HOST:PORT or the variable TROUPE_TARGET");
}

std::vector<TaskClient> connect_to_all(const ClusterSpec& cluster, const Options& options) {
  struct Pending {
    std::string task, address;
    std::future<Result<std::unique_ptr<Client>>> client;
  };
  std::vector<Pending> pending;
  for (const auto& [job, tasks] : cluster.jobs())
    for (const auto& [index, address] : tasks)
      pending.push_back(
          {task_name(job, index), address.to_string(),
           std::async(std::launch::async, [target = address.to_string(), &options] {
             return Client::connect(target, connect_options(options));
           })});
  std::vector<TaskClient> clients;
  for (auto& each : pending) clients.push_back({each.task, each.address, each.client.get()});
  return clients;
}

std::string bytes_text(uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

std::string age_text(std::chrono::milliseconds age) {
  auto seconds = age.count() / 1000;
  if (seconds < 1) return std::to_string(age.count()) + " ms";
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  return std::to_string(seconds / 3600) + " h";
}

std::string time_text(std::chrono::system_clock::time_point time) {
  auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string container_text(const std::string& container) {
  return container.empty() ? "(default)" : container;
}

std::string paint(Colour colour, const std::string& text) {
  static const bool is_coloured = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  if (!is_coloured) return text;
  return std::string("\033[") + code_of(colour) + "m" + text + "\033[0m";
}

}  // namespace troupe::cli
