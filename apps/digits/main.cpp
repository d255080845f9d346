#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "troupe/apps/digits/dataset.hpp"
#include "troupe/apps/digits/evaluation.hpp"
#include "troupe/apps/digits/model.hpp"
#include "troupe/apps/digits/progress_bar.hpp"
#include "troupe/apps/digits/trainer.hpp"
#include "troupe/apps/digits/training.hpp"
#include "troupe/apps/digits/workers.hpp"

namespace troupe::digits {

namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_usage = 2;
constexpr int exit_interrupted = 130;

/// The digits that come with the program, in the build and where it is installed.
std::string default_data() {
  std::error_code ignored;
  auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path().parent_path() / "share/troupe/digits.csv.gz").string();
}

struct Options {
  std::vector<std::string> targets = {"local"};
  std::optional<int> workers;
  TrainingOptions training{.epochs = 30, .batch = 32, .seed = 1, .is_recovered = false};
  RecoveryOptions recovery{
      .checkpoint_folder = "", .save_steps = 100, .give_up_after = std::chrono::minutes(10)};
  std::string optimizer = "adam";
  std::optional<double> learning_rate;
  std::string data = default_data();
  bool json = false;

  bool is_local() const { return targets == std::vector<std::string>{"local"}; }
};

void declare_recovery(CLI::App& app, Options& options) {
  app.add_option(
      "--checkpoint-dir", options.recovery.checkpoint_folder,
      "Save checkpoints in that folder, which this program and the first worker share, and "
      "continue from there after a task died or this program was restarted");
  app.add_option("--save-steps", options.recovery.save_steps, "Steps between two checkpoints")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option_function<int>(
         "--give-up-after",
         [&options](int seconds) {
           options.recovery.give_up_after = std::chrono::seconds(seconds);
         },
         "Seconds to wait for lost tasks, with --checkpoint-dir [default: 600]")
      ->check(CLI::Range(1, 1000000));
}

void declare(CLI::App& app, Options& options) {
  app.add_option(
         "--target", options.targets,
         "Where to train: a node of a cluster (troupe://host:port), the list of its "
         "workers in order, or 'local' for a cluster in this process")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option(
         "--workers", options.workers,
         "Number of workers [default: all of the cluster; 2 if local]")
      ->check(CLI::Range(1, 256));
  app.add_option("--epochs", options.training.epochs, "Passes over the training rows")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--batch", options.training.batch, "Rows of a step")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option(
         "--seed", options.training.seed,
         "Determines the held-out rows, the initial weights and the order of rows")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  app.add_option("--optimizer", options.optimizer, "The optimizer")
      ->check(CLI::IsMember({"adam", "momentum", "sgd"}))
      ->capture_default_str();
  app.add_option(
         "--learning-rate", options.learning_rate,
         "[default: 0.002 for adam, 0.02 for momentum, 0.1 for sgd]")
      ->check(CLI::PositiveNumber);
  declare_recovery(app, options);
  app.add_option("--data", options.data, "The digits: gzipped CSV")->capture_default_str();
  app.add_flag(
      "--json", options.json, "Print one JSON object at the end, and all else on the error output");
}

Optimizer optimizer_of(const Options& options) {
  if (options.optimizer == "momentum")
    return Momentum{.learning_rate = options.learning_rate.value_or(0.02)};
  if (options.optimizer == "sgd")
    return GradientDescent{.learning_rate = options.learning_rate.value_or(0.1)};
  return Adam{.learning_rate = options.learning_rate.value_or(0.002)};
}

// Global, as a signal handler has no other state.
std::atomic<bool> interrupted = false;

/// During its lifetime the first Ctrl-C sets `interrupted`; a second one ends the process.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ = {};
};

void print_heading(std::FILE* out, const Workers& workers, const Split& split) {
  size_t trained_on = 0;
  for (const auto& part : split.parts) trained_on += part.size();
  std::fprintf(
      out, "training on %zu digits, %zu held out; variables on /job:ps/task:0\n", trained_on,
      split.held_out.size());
  for (int i = 0; i < workers.count(); ++i)
    std::fprintf(
        out, "/job:worker/task:%d (%s) trains on %zu\n", i,
        workers.names()[static_cast<size_t>(i)].c_str(),
        split.parts[static_cast<size_t>(i)].size());
}

void print_result(std::FILE* out, const Progress& trained, const Evaluation& evaluation) {
  std::fprintf(
      out, "%ld steps in %.2f s, %.0f a second\n", trained.steps, trained.seconds,
      trained.steps_per_second());
  std::fprintf(
      out, "accuracy %.4f on %d digits that were never trained on (%d right)\n\n%s",
      evaluation.accuracy(), evaluation.count(), evaluation.correct(),
      to_table(evaluation.confusion).c_str());
}

void print_json(const Workers& workers, const Progress& trained, const Evaluation& evaluation) {
  nlohmann::ordered_json result = {
      {"accuracy", evaluation.accuracy()},
      {"held_out", evaluation.count()},
      {"correct", evaluation.correct()},
      {"workers", workers.count()},
      {"steps", trained.steps},
      {"seconds", trained.seconds},
      {"losses", trained.losses},
      {"confusion", evaluation.confusion}};
  std::printf("%s\n", result.dump().c_str());
}

Result<std::unique_ptr<Workers>> find_workers(const Options& options) {
  if (options.is_local()) return Workers::start_local(options.workers.value_or(2));
  return Workers::connect(options.targets, options.workers);
}

Status close(std::vector<Trainer>& trainers) {
  Status first;
  for (auto& trainer : trainers)
    if (auto status = trainer.session->close(); first.ok()) first = status;
  return first;
}

Status run(const Options& options) {
  auto digits = read_digits(options.data);
  if (!digits) return digits.status();
  auto workers = find_workers(options);
  if (!workers) return workers.status();
  auto rows = split(*std::move(digits), (*workers)->count(), options.training.seed);
  auto* out = options.json ? stderr : stdout;
  print_heading(out, **workers, rows);

  StoppableHost host(interrupted);
  auto trainers = make_trainers(
      **workers, std::move(rows.parts),
      {.optimizer = optimizer_of(options),
       .seed = static_cast<int64_t>(options.training.seed),
       .recovery = options.recovery},
      host);
  if (!trainers) return trainers.status();
  auto trained = [&] {
    InterruptGuard guard;
    ProgressBar bar(out, options.training.epochs);
    auto show = [&](const Progress& progress) { bar.show(progress); };
    return train(**workers, *trainers, options.training, host, show);
  }();
  if (!trained) return trained.status();
  auto& chief = trainers->front();
  auto evaluation = evaluate(*chief.session, chief.model, rows.held_out);
  if (!evaluation) return evaluation.status();

  print_result(out, *trained, *evaluation);
  if (options.json) print_json(**workers, *trained, *evaluation);
  if (std::fflush(stdout) != 0)
    return unavailable(std::string("cannot write the result: ") + std::strerror(errno));
  return close(*trainers);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Trains a classifier of handwritten digits on a cluster of Troupe nodes: variables "
      "on its parameter server, asynchronous steps on its workers.",
      "digits");
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_bad_usage;
  }
  options.training.is_recovered = options.recovery.is_on();
  // The node that saves may run in another working directory.
  if (options.recovery.is_on())
    options.recovery.checkpoint_folder =
        std::filesystem::absolute(options.recovery.checkpoint_folder).string();
  auto status = run(options);
  if (status.ok()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "digits: %s\n", status.to_string().c_str());
  return interrupted ? exit_interrupted : exit_failed;
}

}  // namespace troupe::digits

int main(int argc, char** argv) { return troupe::digits::main(argc, argv); }
