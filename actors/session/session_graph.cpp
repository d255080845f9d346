#include "troupe/actors/session/session_graph.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "troupe/actors/post.hpp"
#include "troupe/actors/session/extend_graph.hpp"

namespace troupe {

void SessionGraph::begin(SessionProtocol::pointer self, SessionSettings& settings) {
  self_ = self;
  settings_ = &settings;
  // Is not changed, but replaced by a larger one, while the settings hold it, too.
  graph_ = settings.graph ? std::const_pointer_cast<Graph>(settings.graph)
                          : std::make_shared<Graph>(settings.catalog);
  settings_->use->nodes = graph_->nodes().size();
}

void SessionGraph::update_view(const ClusterChanged& change) {
  next_view_ = std::make_shared<PlacementView>(*settings_->view);
  next_view_->cluster = change.cluster;
}

void SessionGraph::was_extended() {
  if (next_view_) settings_->view = std::exchange(next_view_, nullptr);
  settings_->use->nodes = graph_->nodes().size();
}

void SessionGraph::extend(Extend& call) {
  if (call.expected_size != static_cast<uint64_t>(graph_->size()))
    return call.done(aborted(
        "the session's graph has " + std::to_string(graph_->size()) +
        " nodes, but the caller expected " + std::to_string(call.expected_size)));
  auto is_held = graph_.use_count() > 1;
  auto nodes = call.node_count() + (is_held ? graph_->nodes().size() : 0);
  if (settings_->world->takes_long(nodes)) return extend_in_background(call);
  if (is_held) graph_ = std::make_shared<Graph>(*graph_);
  auto status = extend_graph(*graph_, std::move(call.functions), std::move(call.nodes));
  if (status.ok()) was_extended();
  call.done(status);
}

void SessionGraph::extend_in_background(Extend& call) {
  using Extended = Result<std::shared_ptr<Graph>>;
  extended_ = std::move(call.done);
  auto then = post_to<Extended>(self_, [this, number = ++extensions_](Extended extended) {
    if (is_extending() && number == extensions_) finish(std::move(extended));
  });
  auto added = std::make_shared<Extend>();
  added->nodes = std::move(call.nodes);
  added->functions = std::move(call.functions);
  settings_->world->run_in_background([graph = shared(), added, then] {
    std::shared_ptr<Graph> extended;
    auto status = status_of([&] {
      extended = std::make_shared<Graph>(*graph);
      return extend_graph(*extended, std::move(added->functions), std::move(added->nodes));
    });
    if (status.ok()) then(std::move(extended));
    else then(status);
  });
}

void SessionGraph::finish(Result<std::shared_ptr<Graph>> extended) {
  if (extended) {
    graph_ = *std::move(extended);
    was_extended();
  }
  std::exchange(extended_, nullptr)(extended.status());
  while (!held_.empty() && !is_extending()) {
    auto next = std::move(held_.front());
    held_.pop_front();
    next.proceed({});
  }
}

bool SessionGraph::cancel(CallId call, const Status& why) {
  auto found = std::ranges::find(held_, call, &Held::call);
  if (found == held_.end()) return false;
  auto proceed = std::move(found->proceed);
  held_.erase(found);
  proceed(why);
  return true;
}

void SessionGraph::cancel_all(const Status& why) {
  if (auto done = std::exchange(extended_, nullptr)) done(why);
  for (auto& held : std::exchange(held_, {})) held.proceed(why);
}

}  // namespace troupe
