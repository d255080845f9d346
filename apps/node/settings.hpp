#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/cluster/task_config.hpp"
#include "troupe/graph/support/environment.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The flags of the command line.
struct Settings {
  std::optional<std::string> cluster;
  std::string job;
  std::optional<int> task;
  std::optional<std::string> join;
  std::optional<std::string> address;
  std::optional<std::string> slurm;
  int port_base = 8888;
  std::string bind = "127.0.0.1";
  bool insecure = false;
  std::string tls;
  bool tcp_only = false;
  std::string cluster_name;
  std::string devices;
  std::string device_counts;
  int threads = 0;
  uint64_t memory_limit = 0;
  std::string gpus;
  double gpu_memory_fraction = 0;
  uint64_t gpu_memory_limit = 0;
  bool gpu_reserve = false;
  std::string gpu_graphs = "on";
  double connect_timeout_s = 10;
  double heartbeat_s = 2;
  size_t sessions_max = 0;
  std::vector<std::string> op_libraries;
  std::vector<std::string> file_folders;
  std::string dump_graphs;
  bool list_ops = false;
  std::string log_level = "info";
  bool log_json = false;
};

/// Declares the flags and the help text. The parser writes into `settings`, which must outlive it.
void declare_flags(CLI::App& app, Settings& settings);

/// The task to run: from the flags, and where those leave it open from Slurm's variables or
/// TF_CONFIG.
Result<TaskConfig> find_task(const Settings& settings, const Environment& environment);

/// InvalidArgument where the settings open the node to a network without --insecure.
Result<ServerOptions> to_options(const Settings& settings);

bool is_loopback(const std::string& host);

}  // namespace troupe
