#include "troupe/actors/sim/training.hpp"

#include <utility>

namespace troupe::sim {
namespace {

class SessionAdapter final : public BasicSession {
 public:
  explicit SessionAdapter(sim::Session session) : session_(std::move(session)) {}
  ~SessionAdapter() override { (void)session_.close(); }

  Status extend(const Graph& graph) override { return session_.extend(graph); }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    return session_.run(feeds, fetches, targets, options);
  }

  Status close() override { return session_.close(); }

 private:
  sim::Session session_;
};

}  // namespace

std::unique_ptr<BasicSession> open_session(Cluster& cluster, const std::string& master) {
  return std::make_unique<SessionAdapter>(cluster.session(master));
}

bool TrainingHost::wait(Time time) {
  cluster_.run_for(time);
  return !cluster_.violation();
}

void TrainingHost::log(const std::string& message) {
  if (log_) log_(message);
}

}  // namespace troupe::sim
