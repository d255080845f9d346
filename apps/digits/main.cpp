#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "troupe/apps/digits/dataset.hpp"
#include "troupe/apps/digits/evaluation.hpp"
#include "troupe/apps/digits/model.hpp"
#include "troupe/apps/digits/progress_bar.hpp"
#include "troupe/apps/digits/training.hpp"
#include "troupe/apps/digits/workers.hpp"

namespace troupe::digits {

namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_usage = 2;
constexpr int exit_interrupted = 130;

struct Options {
  std::vector<std::string> targets = {"local"};
  std::optional<int> workers;
  TrainingOptions training{.epochs = 30, .batch = 32, .seed = 1};
  std::string optimizer = "adam";
  std::optional<double> learning_rate;
  std::string data = TROUPE_DIGITS_DATA;
  bool json = false;

  bool is_local() const { return targets == std::vector<std::string>{"local"}; }
};

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
         "Decides the held-out rows, the first weights and the order of rows")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  app.add_option("--optimizer", options.optimizer, "How the weights follow their gradients")
      ->check(CLI::IsMember({"adam", "momentum", "sgd"}))
      ->capture_default_str();
  app.add_option(
         "--learning-rate", options.learning_rate,
         "[default: 0.002 for adam, 0.02 for momentum, 0.1 for sgd]")
      ->check(CLI::PositiveNumber);
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

// Global, because a signal handler can reach nothing else.
std::atomic<bool> interrupted = false;

/// While it lives, the first Ctrl-C sets `interrupted`; a second one ends the process.
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

/// A model for each worker, known to its session, with first values for the variables.
Result<std::vector<Model>> prepare(Workers& workers, const Options& options) {
  std::vector<Model> models;
  auto seed = static_cast<int64_t>(options.training.seed);
  for (int i = 0; i < workers.count(); ++i) {
    models.push_back(make_model(i, optimizer_of(options), seed));
    if (auto status = workers.session(i).extend(models.back().builder); !status.ok()) return status;
  }
  auto initialized = workers.session(0).run({}, {}, {models[0].initialize});
  if (!initialized) return initialized.status();
  return models;
}

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

Status run(const Options& options) {
  auto digits = read_digits(options.data);
  if (!digits) return digits.status();
  auto workers = options.is_local() ? Workers::start_local(options.workers.value_or(2))
                                    : Workers::connect(options.targets, options.workers);
  if (!workers) return workers.status();
  auto rows = split(*std::move(digits), workers->count(), options.training.seed);
  auto* out = options.json ? stderr : stdout;
  print_heading(out, *workers, rows);

  auto models = prepare(*workers, options);
  if (!models) return models.status();
  auto trained = [&] {
    InterruptGuard guard;
    ProgressBar bar(out, options.training.epochs);
    auto show = [&](const Progress& progress) { bar.show(progress); };
    return train(*workers, *models, rows.parts, options.training, show, interrupted);
  }();
  if (!trained) return trained.status();
  auto evaluation = evaluate(workers->session(0), models->front(), rows.held_out);
  if (!evaluation) return evaluation.status();

  print_result(out, *trained, *evaluation);
  if (options.json) print_json(*workers, *trained, *evaluation);
  if (std::fflush(stdout) != 0)
    return unavailable(std::string("cannot write the result: ") + std::strerror(errno));
  return workers->close();
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
  auto status = run(options);
  if (status.ok()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "digits: %s\n", status.to_string().c_str());
  return interrupted ? exit_interrupted : exit_failed;
}

}  // namespace troupe::digits

int main(int argc, char** argv) { return troupe::digits::main(argc, argv); }
