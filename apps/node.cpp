#include <arpa/inet.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/text.hpp"

namespace {

using namespace troupe;

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
/// A node is gone so long after the signal, also where something hangs.
constexpr unsigned stop_limit_s = 5;
/// What the server gets of it; the rest is for what follows.
constexpr std::chrono::milliseconds stop_deadline{4000};

constexpr auto about =
    R"(Runs one task of a Troupe cluster: the actors that compute graphs, the variables
they share, and the door for clients and for the other tasks. It serves until
SIGTERM or SIGINT.
)";

constexpr auto examples =
    R"(Which task of which cluster this is comes from the flags, or from TF_CONFIG in
the environment as TensorFlow and Kubeflow set it. Flags win. The job may be left
out where the cluster has one, the index where the job has one task.

Examples:
  A node alone:
    troupe-node --cluster local=127.0.0.1:2222
  A parameter server and two workers, each in a terminal of its own:
    C='ps=127.0.0.1:2222;worker=127.0.0.1:2223,127.0.0.1:2224'
    troupe-node --cluster "$C" --job ps
    troupe-node --cluster "$C" --job worker --task 0
    troupe-node --cluster "$C" --job worker --task 1
  The same cluster, written to a file as JSON:
    {"ps": ["127.0.0.1:2222"], "worker": ["127.0.0.1:2223", "127.0.0.1:2224"]}
    troupe-node --cluster @cluster.json --job worker --task 1
  By the environment alone:
    TF_CONFIG='{"cluster": {"ps": ["127.0.0.1:2222"]},
                "task": {"type": "ps", "index": 0}}' troupe-node

When it serves it prints one line on standard output:
  ready troupe://127.0.0.1:2222
All else goes to standard error.

Exit codes: 0 stopped by a signal, 1 could not serve (a port in use), 2 wrong
flags or TF_CONFIG.)";

/// What the command line says.
struct Settings {
  std::optional<std::string> cluster;
  std::string job;
  int task = -1;
  std::string bind = "127.0.0.1";
  bool insecure = false;
  int threads = 0;
  std::string cluster_name;
  uint64_t memory_limit = 0;
  double connect_timeout_s = 10;
  double heartbeat_s = 2;
  std::string log_level = "info";
  bool log_json = false;
};

/// A range that the help text does not repeat behind every flag.
template <class T>
CLI::Validator between(T least, T most) {
  return CLI::Range(least, most).description("");
}

/// Turns a size such as 1.5G into the number of bytes it stands for; else says what is wrong.
std::string to_bytes(std::string& text) {
  auto bytes = parse_bytes(text);
  if (!bytes) return "'" + text + "' is not a size such as 512MiB, 1.5G or a number of bytes";
  text = std::to_string(*bytes);
  return {};
}

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

// Each flag is declared here and nowhere else: name, default, unit and meaning.

void declare_task_flags(CLI::App& app, Settings& settings) {
  app.add_option("--cluster", settings.cluster)
      ->type_name("SPEC")
      ->description(
          "All tasks, as ps=host:port;worker=host:port,host:port\n"
          "or as the JSON object that TF_CONFIG has under \"cluster\"\n"
          "or @file with either; \"host\" alone means port 2222,\n"
          "port 0 lets the system choose one");
  app.add_option("--job,--job_name", settings.job)
      ->type_name("NAME")
      ->description("The job of this task, such as ps or worker");
  app.add_option("--task,--task_index", settings.task)
      ->type_name("INDEX")
      ->check(between(0, 1'000'000))
      ->description("The index of this task in its job, from 0");
  app.add_option("--cluster-name", settings.cluster_name)
      ->type_name("NAME")
      ->description("Tasks talk only to those that were given the same name");
  app.add_option("--bind", settings.bind)
      ->type_name("HOST")
      ->capture_default_str()
      ->description("The address to listen on; --insecure is needed\nfor one that is not loopback");
  app.add_flag("--insecure", settings.insecure)
      ->description(
          "Allow other machines to connect. Nobody is asked who\n"
          "he is: anybody who reaches the port can run graphs\n"
          "here and read all state");
}

void declare_limit_flags(CLI::App& app, Settings& settings) {
  app.add_option("--threads", settings.threads)
      ->type_name("N")
      ->check(between(0, 4096))
      ->capture_default_str()
      ->description("Threads that compute; 0: one a core");
  app.add_option("--memory-limit", settings.memory_limit)
      ->type_name("BYTES")
      ->transform(CLI::Validator(to_bytes, /*desc=*/"", /*name=*/""))
      ->capture_default_str()
      ->description(
          "The most that tensors may take, as 512MiB or 1.5G; a step\n"
          "that needs more fails. 0: the machine's memory");
  app.add_option("--connect-timeout", settings.connect_timeout_s)
      ->type_name("SECONDS")
      ->check(between(0.0, 1e6))
      ->capture_default_str()
      ->description("How long a task that does not answer is tried again\nbefore a step fails");
  app.add_option("--heartbeat", settings.heartbeat_s)
      ->type_name("SECONDS")
      ->check(between(0.0, 1e6))
      ->capture_default_str()
      ->description(
          "How long a task may be silent before the steps that use\n"
          "it fail; 0: for ever");
}

void declare_flags(CLI::App& app, Settings& settings) {
  declare_task_flags(app, settings);
  declare_limit_flags(app, settings);
  app.add_option("--log-level", settings.log_level)
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}).description(""))
      ->capture_default_str()
      ->description("trace, debug, info, warning, error or off");
  app.add_flag("--log-json", settings.log_json)
      ->description("Log lines and the ready line as JSON, an object a line");
  app.set_help_flag("--help,-h", "Print this and exit");
  app.set_version_flag("--version", "troupe-node " TROUPE_VERSION, "Print the version and exit");
  app.get_formatter()->column_width(28);
  app.footer(examples);
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

Status check_bind(const Settings& settings) {
  if (settings.insecure || is_loopback(settings.bind)) return {};
  return invalid_argument(
      "--bind '" + settings.bind +
      "' is not a loopback address, so anybody who reaches the port could run graphs here and read "
      "all state; add --insecure if you trust everybody on that network");
}

Result<TaskConfig> find_task(const Settings& settings) {
  TfConfig flags{.job = settings.job, .task = settings.task};
  if (settings.cluster) {
    auto cluster = ClusterSpec::parse(*settings.cluster);
    if (!cluster) return cluster.status();
    flags.cluster = *std::move(cluster);
  }
  TfConfig environment;
  if (const char* json = std::getenv("TF_CONFIG"); json && *json) {
    auto config = TfConfig::parse(json);
    if (!config) return config.status();
    environment = *std::move(config);
  }
  return resolve_task(flags, environment);
}

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

Status with_advice(const Status& status) {
  if (status.code() != Code::unavailable) return status;
  return unavailable(
      status.message() + "; where another program has the port, give this task another one");
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

/// The other threads must be started with the signals blocked, so that they arrive here. Once one
/// has come they are let through: a second one ends the process at once.
const char* wait_for_stop() {
  auto signals = stop_signals();
  int signal = 0;
  sigwait(&signals, &signal);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return sigabbrev_np(signal);
}

/// Ends the process where stopping hangs, as in a destructor that waits for a thread.
void limit_stop_time() {
  std::signal(SIGALRM, [](int) {
    constexpr std::string_view text = "troupe-node: DeadlineExceeded: did not stop in time\n";
    [[maybe_unused]] auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(exit_failure);
  });
  alarm(stop_limit_s);
}

int serve(const Settings& settings, TaskConfig config) {
  auto task = task_name(config.job, config.task);
  start_logging(settings, task);
  if (!is_loopback(settings.bind))
    spdlog::warn(
        "listening on {}: anybody who reaches the port can run graphs here and read all state",
        settings.bind);
  auto server = Server::start(
      {.config = std::move(config),
       .bind_host = settings.bind,
       .threads = settings.threads,
       .memory_limit = settings.memory_limit,
       .cluster_name = settings.cluster_name,
       .connect_timeout = to_milliseconds(settings.connect_timeout_s),
       .heartbeat_limit = to_milliseconds(settings.heartbeat_s)});
  if (!server) return fail(with_advice(server.status()), exit_failure);
  print_ready(settings, (*server)->target(), task);
  spdlog::info("serving at {}, pid {}", (*server)->target(), getpid());

  spdlog::info("SIG{}: stopping", wait_for_stop());
  limit_stop_time();
  auto stopped = (*server)->stop(stop_deadline);
  return stopped.ok() ? 0 : fail(stopped, exit_failure);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of our output, or a peer, may go away; that is an error code and not the end.
  std::signal(SIGPIPE, SIG_IGN);
  auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Settings settings;
  CLI::App app(about, "troupe-node");
  declare_flags(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return fail(
        invalid_argument(std::string(error.what()) + "; see troupe-node --help"), exit_usage);
  }
  if (auto status = check_bind(settings); !status.ok()) return fail(status, exit_usage);
  auto config = find_task(settings);
  if (!config)
    return fail(
        invalid_argument(config.status().message() + "; see troupe-node --help"), exit_usage);
  return serve(settings, *std::move(config));
}
