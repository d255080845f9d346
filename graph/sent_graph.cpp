#include "troupe/graph/sent_graph.hpp"

#include <string>
#include <utility>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

class FailedStep final : public PendingStep {
 public:
  explicit FailedStep(Status status) : status_(std::move(status)) {}

  bool done() override { return true; }
  bool wait_for(std::chrono::milliseconds) override { return true; }
  void when_done(std::function<void()> call) override { call(); }
  Result<Tensors> wait() override { return status_; }
  void cancel() override {}
  RunMetadata metadata() override { return {}; }

 private:
  Status status_;
};

}  // namespace

Status SentGraph::check(const Graph& graph) const {
  if (identity_ != 0 && identity_ != graph.identity())
    return invalid_argument(
        "the session has another graph: a session keeps to the graph, or the builder, of its first "
        "extend()");
  if (graph.size() < size_)
    return invalid_argument(
        "the session has " + std::to_string(size_) + " nodes already, but the graph has " +
        std::to_string(graph.size()) + ": it is not the graph of the earlier calls");
  return {};
}

void SentGraph::set(const Graph& graph) {
  identity_ = graph.identity();
  size_ = graph.size();
  functions_ = graph.library().size();
}

Status SentGraph::check(const Ref& ref) const {
  if (ref.graph == 0) return {};
  auto identity = identity_.load();
  if (identity != 0 && identity != ref.graph)
    return invalid_argument(
        quote(ref.name) + " is of another builder than the graph that the session has");
  if (identity == 0)
    return invalid_argument(
        "the session has no graph yet, so it does not have " + quote(ref.name) +
        ": extend() gives it the builder's");
  if (ref.node >= size_)
    return invalid_argument(
        "the session does not have " + quote(ref.name) +
        " yet: it was added to the builder after the last extend()");
  return {};
}

Status SentGraph::check(const Refs& refs) const {
  for (const auto& ref : refs)
    if (auto status = check(ref); !status.ok()) return status;
  return {};
}

Status SentGraph::check(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets) const {
  for (const auto& feed : feeds)
    if (auto status = check(feed.output); !status.ok()) return status;
  if (auto status = check(fetches); !status.ok()) return status;
  return check(targets);
}

std::unique_ptr<PendingStep> make_failed_step(Status status) {
  return std::make_unique<FailedStep>(std::move(status));
}

}  // namespace troupe
