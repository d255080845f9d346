#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "troupe/capnp/client/client.hpp"

namespace troupe::cli {

inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;

using Json = nlohmann::ordered_json;

/// The options that commands share.
struct Options {
  std::string target = "127.0.0.1:2222";
  double timeout_s = 5;
  bool json = false;

  std::chrono::milliseconds timeout() const {
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(timeout_s));
  }
};

/// What a command returns: the exit code.
using Run = std::function<int()>;

/// Prints "troupe: <error>" to the error output, and returns the exit code for it.
int fail(const Status& status);
/// A line of JSON.
void print(const Json& json);
Json to_json(const Status& status);

/// Connects to the node that --target names.
Result<std::unique_ptr<Client>> connect(const Options& options);
/// A connection to each task of a cluster, or why there is none.
struct TaskClient {
  std::string task;     // "/job:ps/task:0"
  std::string address;  // "host:port"
  Result<std::unique_ptr<Client>> client;
};
/// All at once, so that silent tasks together take one timeout.
std::vector<TaskClient> connect_to_all(const ClusterSpec& cluster, const Options& options);

/// "3.2 MiB"; "0 B".
std::string bytes_text(uint64_t bytes);
/// "4 s", "3 min", "2 h".
std::string age_text(std::chrono::milliseconds age);
/// "2026-11-26T09:50:47Z".
std::string time_text(std::chrono::system_clock::time_point time);
/// "running for 4 s, 12 steps, 1 failed; the last: Unavailable: ..."
std::string runner_text(const ListedRunner& runner);
/// "(default)" for the container without a name.
std::string container_text(const std::string& container);

enum class Colour { bold, green, yellow, red, dim };
/// The text in that colour where standard output is a terminal and NO_COLOR is not set.
std::string paint(Colour colour, const std::string& text);

// One function for each group of commands: adds them to the program, and sets `run` when one is
// chosen.

void add_listing_commands(CLI::App& app, const Options& options, Run& run);
void add_waiting_commands(CLI::App& app, const Options& options, Run& run);
void add_step_commands(CLI::App& app, const Options& options, Run& run);
void add_control_commands(CLI::App& app, const Options& options, Run& run);
void add_runner_commands(CLI::App& app, const Options& options, Run& run);
void add_doctor_command(CLI::App& app, const Options& options, Run& run);
/// `program`: the words after --, which run instead of nodes.
void add_launch_command(
    CLI::App& app, const Options& options, const std::vector<std::string>& program, Run& run);
void add_ops_command(CLI::App& app, const Options& options, Run& run);
/// `certificate`, by which nodes and clients of a cluster prove that they belong to it.
void add_certificate_command(CLI::App& app, Run& run);
void add_completion_command(CLI::App& app, Run& run);

}  // namespace troupe::cli
