#include "troupe/apps/node/settings.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <map>
#include <vector>

#include "troupe/graph/cluster/slurm.hpp"
#include "troupe/graph/cluster/tf_config.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

constexpr auto about =
    R"(Runs one task of a Troupe cluster: the actors that compute graphs, the variables
they share, and the RPC server for clients and for the other tasks. It serves
until SIGTERM or SIGINT.
)";

constexpr auto examples =
    R"(Which task of which cluster this is comes from the flags, from TF_CONFIG in the
environment as TensorFlow and Kubeflow set it, or with --slurm from the variables
that srun sets. Flags win. The job may be left out where the cluster has one, the
index where the job has one task.

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
  One more worker for a cluster that runs, as its next index:
    troupe-node --join 127.0.0.1:2222 --job worker
  One parameter server and three workers, as four tasks of Slurm:
    srun --ntasks 4 troupe-node --slurm ps=1,worker=3 --bind 0.0.0.0 --insecure

When it serves it prints one line on standard output:
  ready troupe://127.0.0.1:2222
All else goes to standard error.

A task that has joined leaves the cluster when it is stopped, and its state is lost.
One that was killed can join again at its old index by --address.

A first SIGTERM or SIGINT gives running steps up to three seconds to end, then
cancels them and ends the node; a second one ends it at once. A client can stop it,
too.

Exit codes: 0 stopped by a signal or a client, 1 could not serve (a port in use) or
not stop in time, 2 wrong flags or environment.)";

/// A range check whose bounds are not shown in the help text.
template <class T>
CLI::Validator between(T least, T most) {
  return CLI::Range(least, most).description("");
}

/// Replaces a size such as 1.5G by its number of bytes; returns an error text if it is none.
std::string to_bytes(std::string& text) {
  auto bytes = parse_bytes(text);
  if (!bytes) return "'" + text + "' is not a size such as 512MiB, 1.5G or a number of bytes";
  text = std::to_string(*bytes);
  return {};
}

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

/// "CPU:0" or several, with commas.
std::vector<std::string> to_devices(const std::string& list) {
  std::vector<std::string> devices;
  if (list.empty()) return devices;
  for (auto device : split(list, ',')) devices.emplace_back(device);
  return devices;
}

/// "CPU=2,GPU=0".
Result<std::map<std::string, int>> to_counts(const std::string& list) {
  std::map<std::string, int> counts;
  if (list.empty()) return counts;
  for (auto part : split(list, ',')) {
    auto equals = std::min(part.find('='), part.size());
    auto count = parse_number(part.substr(std::min(equals + 1, part.size())));
    if (!count || !counts.emplace(part.substr(0, equals), *count).second)
      return invalid_argument("--device-count " + quote(list) + " is not written as CPU=2");
  }
  return counts;
}

/// "0,2".
Result<std::vector<int>> to_cards(const std::string& list) {
  std::vector<int> cards;
  if (list.empty()) return cards;
  for (auto part : split(list, ',')) {
    auto card = parse_number(part);
    if (!card) return invalid_argument("--gpus " + quote(list) + " is not written as 0,1");
    cards.push_back(*card);
  }
  return cards;
}

/// Whether it is the wildcard address, 0.0.0.0 or ::.
bool is_any(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return v4.s_addr == INADDR_ANY;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_UNSPECIFIED(&v6);
}

/// A cluster of this task alone: the others become known by joining.
Result<TaskConfig> joining_task(const Settings& settings) {
  if (settings.cluster || settings.slurm || settings.task)
    return invalid_argument(
        "with --join, the cluster tells this task its index and the other tasks: leave out "
        "--cluster, --task and --slurm");
  if (settings.job.empty()) return invalid_argument("--join needs --job, such as worker");
  if (!settings.address && is_any(settings.bind))
    return invalid_argument(
        "--bind " + settings.bind + " with --join needs --address, where the others reach it");
  Address chosen{.host = settings.bind, .port = 0};
  auto address = settings.address.value_or(chosen.to_string());
  auto cluster = ClusterSpec::make({{settings.job, {address}}}, "--address");
  if (!cluster) return cluster.status();
  return TaskConfig{.cluster = *std::move(cluster), .job = settings.job, .task = 0};
}

/// What Slurm's variables or TF_CONFIG say.
Result<ServerDef> def_from_environment(const Settings& settings, const Environment& environment) {
  if (settings.slurm && settings.cluster)
    return invalid_argument("--slurm and --cluster both give the cluster: leave out one");
  if (settings.slurm) {
    auto jobs = parse_job_counts(*settings.slurm);
    if (!jobs) return invalid_argument("--slurm: " + jobs.status().message());
    return slurm_server_def(environment, *jobs, settings.port_base);
  }
  auto config = TfConfig::read(environment);
  if (!config) return config.status();
  return config->server;
}

// Declarations of all flags: name, default, unit and meaning.

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
  app.add_option("--join", settings.join)
      ->type_name("HOST:PORT")
      ->description(
          "Join the running cluster that this task belongs to, as\n"
          "the next task of --job");
  app.add_option("--address", settings.address)
      ->type_name("HOST:PORT")
      ->description(
          "With --join: where the others reach this task; unless\n"
          "given, at the host of --bind and a port that the system\n"
          "chooses");
  app.add_option("--slurm", settings.slurm)
      ->type_name("JOBS")
      ->description(
          "The jobs of the cluster that srun started, as\n"
          "ps=1,worker=3; its tasks become theirs, in this order");
  app.add_option("--port-base", settings.port_base)
      ->type_name("PORT")
      ->check(between(1, 65535))
      ->capture_default_str()
      ->description("The port of the first task on each of Slurm's nodes; the\nothers count up");
  app.add_option("--cluster-name", settings.cluster_name)
      ->type_name("NAME")
      ->description("Tasks talk only to those that were given the same name");
  app.add_option("--bind", settings.bind)
      ->type_name("HOST")
      ->capture_default_str()
      ->description(
          "The address to listen on; --tls or --insecure is needed\n"
          "for one that is not loopback");
  app.add_option("--tls", settings.tls)
      ->type_name("FOLDER")
      ->envname("TROUPE_TLS")
      ->description(
          "Encrypt connections with other machines and users, and\n"
          "refuse those without a certificate like the one there\n"
          "(ca.pem, cert.pem, key.pem; see 'troupe certificate')");
  app.add_flag("--insecure", settings.insecure)
      ->description(
          "Allow other machines to connect without TLS: anybody who\n"
          "reaches the port can run graphs here and read all state");
  app.add_flag("--tcp-only", settings.tcp_only)
      ->description(
          "Do not use Unix sockets and shared memory with other\n"
          "nodes of this machine, as if each were on its own");
}

void declare_device_flags(CLI::App& app, Settings& settings) {
  app.add_option("--devices", settings.devices)
      ->type_name("LIST")
      ->description(
          "Which of the machine's devices this task sees, as CPU:0;\n"
          "all, unless given");
  app.add_option("--device-count", settings.device_counts)
      ->type_name("TYPE=N")
      ->description(
          "As how many devices it shows those of a type: CPU=2 are\n"
          "CPU:0 and CPU:1, which share threads and memory");
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
}

void declare_gpu_flags(CLI::App& app, Settings& settings) {
  app.add_option("--gpus", settings.gpus)
      ->type_name("LIST")
      ->description(
          "Which of the machine's cards are GPU:0 and on, as 0,2;\n"
          "all, unless given. --device-count GPU=0 uses none");
  app.add_option("--gpu-memory-fraction", settings.gpu_memory_fraction)
      ->type_name("PART")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->description(
          "The part of each card's memory that this task may have,\n"
          "as 0.4 where two tasks share a card; 0: almost all");
  app.add_option("--gpu-memory-limit", settings.gpu_memory_limit)
      ->type_name("BYTES")
      ->transform(CLI::Validator(to_bytes, /*desc=*/"", /*name=*/""))
      ->capture_default_str()
      ->description("And at most so many bytes of it; 0: no other limit");
  app.add_flag("--gpu-reserve", settings.gpu_reserve)
      ->description(
          "Take that memory at the start, so that no other process\n"
          "can, and not when it is needed");
  app.add_option("--gpu-graphs", settings.gpu_graphs)
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->capture_default_str()
      ->description(
          "Capture what a step puts on a card between what it\n"
          "receives and sends, and replay it; --log-level debug\n"
          "says where that is not done, and why");
}

void declare_time_flags(CLI::App& app, Settings& settings) {
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

void declare_session_flags(CLI::App& app, Settings& settings) {
  app.add_option("--max-sessions", settings.sessions_max)
      ->type_name("N")
      ->capture_default_str()
      ->description("Sessions that clients may have open here; 0: any number");
}

}  // namespace

void declare_flags(CLI::App& app, Settings& settings) {
  app.description(about);
  declare_task_flags(app, settings);
  declare_device_flags(app, settings);
  declare_gpu_flags(app, settings);
  declare_time_flags(app, settings);
  declare_session_flags(app, settings);
  app.add_option("--log-level", settings.log_level)
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}).description(""))
      ->capture_default_str()
      ->description("trace, debug, info, warning, error or off");
  app.add_flag("--log-json", settings.log_json)
      ->description("Log lines and the ready line as JSON, an object a line");
  app.add_option("--ops", settings.op_libraries)
      ->type_name("FILE")
      ->description(
          "A shared library with ops of your own, which this node\n"
          "loads and runs; may be given several times");
  app.add_option("--dump-graphs", settings.dump_graphs)
      ->type_name("DIR")
      ->description(
          "Write the graph of each step that this node compiles\n"
          "into files below this folder, after each pass: as text\n"
          "and for Graphviz");
  app.add_option("--files,--allow-files", settings.file_folders)
      ->type_name("FOLDER")
      ->description(
          "Graphs read and write files below this folder only; may\n"
          "be given several times. Unless given: all files that\n"
          "this process may use");
  app.add_flag("--list-ops", settings.list_ops)
      ->description(
          "Print what ops there are, a line each, and exit: how an\n"
          "op is called, the dtypes of its attributes, whether it\n"
          "has a gradient, the types of device that compute it,\n"
          "and its family, with tabs between them");
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

Result<TaskConfig> find_task(const Settings& settings, const Environment& environment) {
  if (settings.join) return joining_task(settings);
  if (settings.address)
    return invalid_argument("--address is for --join; else --cluster has all addresses");
  ServerDef flags{.cluster = {}, .job = settings.job, .task = settings.task, .protocol = {}};
  if (settings.cluster) {
    auto cluster = ClusterSpec::parse(*settings.cluster);
    if (!cluster) return cluster.status();
    flags.cluster = *std::move(cluster);
  }
  auto given = def_from_environment(settings, environment);
  if (!given) return given.status();
  return flags.or_else(*given).resolve();
}

Result<ServerOptions> to_options(const Settings& settings) {
  if (!settings.insecure && settings.tls.empty() && !is_loopback(settings.bind))
    return invalid_argument(
        "--bind '" + settings.bind +
        "' is not a loopback address, so anybody who reaches the port could run graphs here and "
        "read all state; add --tls FOLDER ('troupe certificate FOLDER' makes one), or --insecure "
        "if you trust everybody on that network");
  auto counts = to_counts(settings.device_counts);
  if (!counts) return counts.status();
  auto cards = to_cards(settings.gpus);
  if (!cards) return cards.status();
  return ServerOptions{
      .join = settings.join.value_or(""),
      .bind_host = settings.bind,
      .tls = settings.tls,
      .devices =
          {.visible = to_devices(settings.devices),
           .count = *std::move(counts),
           .cpu = {.threads = settings.threads, .memory_limit = settings.memory_limit},
           .gpu =
               {.cards = *std::move(cards),
                .memory_fraction = settings.gpu_memory_fraction,
                .memory_limit = settings.gpu_memory_limit,
                .reserves_memory = settings.gpu_reserve,
                .captures_graphs = settings.gpu_graphs == "on"}},
      .cluster_name = settings.cluster_name,
      .tcp_only = settings.tcp_only,
      .connect_timeout = to_milliseconds(settings.connect_timeout_s),
      .heartbeat_limit = to_milliseconds(settings.heartbeat_s),
      .sessions_max = settings.sessions_max,
      .dump_graphs = settings.dump_graphs};
}

}  // namespace troupe
