#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <future>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "troupe/apps/node/list_ops.hpp"
#include "troupe/apps/node/logging.hpp"
#include "troupe/apps/node/settings.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/file_access.hpp"

namespace {

using namespace troupe;

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
/// The process ends at most this long after the signal, even if stopping hangs.
constexpr unsigned stop_limit_s = 5;
/// The deadline of the server's stop; the rest is for the end of the process.
constexpr std::chrono::milliseconds stop_deadline{4000};
/// The signal that this process sends itself when a client has stopped the server.
constexpr int has_stopped = SIGUSR1;

void print_ready(const Settings& settings, const std::string& target, const std::string& task) {
  nlohmann::ordered_json event{
      {"event", "ready"}, {"target", target}, {"task", task}, {"pid", getpid()}};
  std::string line = settings.log_json ? event.dump() : "ready " + target;
  std::puts(line.c_str());
  std::fflush(stdout);
}

int fail(const Status& status, int exit_code) {
  std::fprintf(stderr, "troupe-node: %s\n", status.to_string().c_str());
  return exit_code;
}

Status with_port_hint(const Status& status, const Settings& settings) {
  if (status.code() != Code::unavailable || settings.join) return status;
  return unavailable(
      status.message() + "; where another program has the port, give this task another one");
}

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (auto signal : signals) sigaddset(&set, signal);
  return set;
}
sigset_t awaited_signals() { return set_of({SIGTERM, SIGINT, has_stopped}); }

/// Waits for a signal, which all threads must have blocked. Afterwards the signals are unblocked
/// with their default action, so that a second one ends the process at once.
int wait_for_signal() {
  auto signals = awaited_signals();
  int signal = 0;
  sigwait(&signals, &signal);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  auto stop_signals = set_of({SIGTERM, SIGINT});
  pthread_sigmask(SIG_UNBLOCK, &stop_signals, nullptr);
  return signal;
}

/// Ends the process if stopping hangs, for example in a destructor that waits for a thread.
void limit_stop_time() {
  std::signal(SIGALRM, [](int) {
    constexpr std::string_view text = "troupe-node: DeadlineExceeded: did not stop in time\n";
    // A pipe that nobody reads may be why.
    pollfd errors{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (poll(&errors, 1, /*timeout=*/0) == 1) [[maybe_unused]]
      auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(exit_failure);
  });
  alarm(stop_limit_s);
}

/// Waits until a signal or a client stops the server, and returns the status of the stop.
Status wait_for_end(Server& server) {
  auto joined = std::async(std::launch::async, [&server, main_thread = pthread_self()] {
    auto status = server.join();
    pthread_kill(main_thread, has_stopped);
    return status;
  });
  auto signal = wait_for_signal();
  limit_stop_time();
  if (signal == has_stopped) spdlog::info("stopped by a client");
  else spdlog::info("SIG{}: stopping", sigabbrev_np(signal));
  auto stopped = server.stop(stop_deadline);
  return stopped.ok() ? joined.get() : stopped;
}

int serve(const Settings& settings, const TaskConfig& config, ServerOptions options) {
  start_logging(
      settings, settings.join ? "/job:" + config.job : task_name(config.job, config.task));
  if (!is_loopback(settings.bind))
    spdlog::warn(
        "listening on {}: anybody who reaches the port can run graphs here and read all state",
        settings.bind);
  ServerDef def{.cluster = config.cluster, .job = config.job, .task = config.task, .protocol = {}};
  auto server = Server::create(def, std::move(options));
  if (!server) return fail(server.status(), exit_usage);
  if (auto status = (*server)->start(); !status.ok())
    return fail(with_port_hint(status, settings), exit_failure);
  auto started = (*server)->server_def();
  auto task = task_name(started.job, *started.task);
  if (settings.join) start_logging(settings, task);
  print_ready(settings, (*server)->target(), task);
  spdlog::info("serving at {}, pid {}", (*server)->target(), getpid());
  auto ended = wait_for_end(**server);
  return ended.ok() ? 0 : fail(ended, exit_failure);
}

/// Raises the limit of descriptors: the default is below the number of connections that a node
/// accepts.
void allow_many_connections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &files);
}

Status with_help_hint(const Status& status) {
  return invalid_argument(status.message() + "; see troupe-node --help");
}

}  // namespace

int main(int argc, char** argv) {
  // Writing to a closed pipe or socket is to return an error, not to end the process.
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_connections();
  auto signals = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Settings settings;
  CLI::App app("", "troupe-node");
  declare_flags(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return fail(with_help_hint(invalid_argument(error.what())), exit_usage);
  }
  for (const auto& path : settings.op_libraries)
    if (auto library = load_op_library(path); !library) return fail(library.status(), exit_usage);
  if (settings.list_ops) {
    std::fputs(list_ops().c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : exit_failure;
  }
  auto options = to_options(settings);
  if (!options) return fail(with_help_hint(options.status()), exit_usage);
  auto config = find_task(settings, process_environment());
  if (!config) return fail(with_help_hint(config.status()), exit_usage);
  if (auto status = restrict_files({settings.file_folders.begin(), settings.file_folders.end()});
      !status.ok())
    return fail(with_help_hint(status), exit_usage);
  auto exit_code = serve(settings, *config, *std::move(options));
  if (!end_logging()) _exit(exit_code);
  return exit_code;
}
