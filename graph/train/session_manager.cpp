#include "troupe/graph/train/session_manager.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/support/text.hpp"
#include "troupe/graph/train/checkpoint_state.hpp"

namespace troupe::train {
namespace {

using std::chrono::milliseconds;

std::string list(const std::set<std::string>& names) {
  constexpr size_t shown_max = 5;
  std::string text;
  size_t shown = 0;
  for (auto name = names.begin(); name != names.end() && shown < shown_max; ++name, ++shown)
    text += (text.empty() ? "" : ", ") + quote(*name);
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

/// True for errors after which an older checkpoint is tried.
bool is_damaged_checkpoint(const Status& status) {
  return status.code() == Code::data_loss || status.code() == Code::not_found;
}

}  // namespace

Scaffold::Scaffold(Builder b) : builder(std::move(b)), variables(builder.variables()) {
  for (const auto& variable : variables)
    is_initialized.push_back(variable.handle.builder()
                                 .named("is_initialized")
                                 .op("VarIsInitializedOp", {variable.handle}));
}

SessionManager::SessionManager(OpenSession open, Scaffold scaffold, Host& host, RetryOptions retry)
    : open_(std::move(open)), scaffold_(std::move(scaffold)), host_(host), retry_(retry) {}

Result<std::unique_ptr<BasicSession>> SessionManager::repeat(Attempt attempt) {
  Backoff backoff(host_, retry_);
  backoff.begin();
  for (;;) {
    auto session = (this->*attempt)(backoff.attempt_limit());
    if (session || !backoff.may_wait_after(session.status())) return session;
    if (auto status = backoff.wait(session.status()); !status.ok()) return status;
  }
}

milliseconds SessionManager::left_of(milliseconds limit, Host::Time start) const {
  if (limit.count() == 0) return limit;
  auto left = std::chrono::ceil<milliseconds>(start + limit - host_.now());
  return std::max(left, Backoff::attempt_min);
}

Result<std::unique_ptr<BasicSession>> SessionManager::prepare_session() {
  return repeat(&SessionManager::try_to_prepare_session);
}

Result<std::unique_ptr<BasicSession>> SessionManager::wait_for_session() {
  return repeat(&SessionManager::try_to_find_ready_session);
}

Result<std::unique_ptr<BasicSession>> SessionManager::open() const {
  auto session = open_();
  if (!session) return session;
  auto status = (*session)->extend(scaffold_.builder);
  if (status.ok() && !scaffold_.local_init.empty())
    status = (*session)->run({}, {}, scaffold_.local_init).status();
  if (!status.ok()) return status;
  return session;
}

Result<std::unique_ptr<BasicSession>> SessionManager::try_to_prepare_session(milliseconds limit) {
  auto start = host_.now();
  auto session = open();
  if (!session) return session;
  auto lost = uninitialized(**session, left_of(limit, start));
  if (!lost) return lost.status();
  auto status = is_started_ ? recover(**session, *lost) : begin(**session, *lost);
  if (!status.ok()) return status;
  is_started_ = true;
  return session;
}

Result<std::unique_ptr<BasicSession>> SessionManager::try_to_find_ready_session(
    milliseconds limit) {
  auto start = host_.now();
  auto session = open();
  if (!session) return session;
  auto lost = uninitialized(**session, left_of(limit, start));
  if (!lost) return lost.status();
  if (!lost->empty()) return unavailable("these variables have no value yet: " + list(*lost));
  return session;
}

Result<std::set<std::string>> SessionManager::uninitialized(
    BasicSession& session, milliseconds limit) const {
  std::vector<Ref> fetches(scaffold_.is_initialized.begin(), scaffold_.is_initialized.end());
  auto fetched = session.run({}, fetches, {}, {.timeout = limit});
  if (!fetched) return fetched.status();
  std::set<std::string> names;
  for (size_t i = 0; i < fetched->size(); ++i)
    if (!(*fetched)[i].value<bool>()) names.insert(scaffold_.variables[i].name);
  return names;
}

/// For the chief's first session.
Status SessionManager::begin(BasicSession& session, const std::set<std::string>& lost) {
  if (scaffold_.start == Scaffold::Start::anew) {
    std::set<std::string> all;
    for (const auto& variable : scaffold_.variables) all.insert(variable.name);
    return initialize(session, all);
  }
  if (scaffold_.start == Scaffold::Start::adopt && lost.empty() && !scaffold_.variables.empty())
    host_.log(
        "goes on with the values that all variables have already, of a program before this one; "
        "to begin anew, reset the containers or have the chief start anew");
  return recover(session, lost);
}

Status SessionManager::recover(BasicSession& session, const std::set<std::string>& lost) {
  if (lost.empty()) return {};
  if (auto status = restore(session, lost); !status.ok()) return status;
  auto rest = uninitialized(session);
  if (!rest || rest->empty()) return rest.status();
  return initialize(session, *rest);
}

Status SessionManager::restore(BasicSession& session, const std::set<std::string>& lost) {
  if (!scaffold_.saver || scaffold_.checkpoint_folder.empty()) return {};
  auto state = CheckpointState::read(scaffold_.checkpoint_folder);
  if (!state) return state.status();
  std::set<std::string> names;
  for (const auto& variable : lost)
    if (auto name = scaffold_.saver->saved_name(variable)) names.insert(*name);
  if (names.empty() || state->paths.empty()) return {};
  scaffold_.saver->recover_last_checkpoints(state->paths);
  Status first;
  std::ranges::reverse(state->paths);
  for (const auto& path : state->paths) {
    auto status = scaffold_.saver->restore(session, path, names);
    if (status.ok()) host_.log("restored " + list(names) + " from " + quote(path));
    if (status.ok() || !is_damaged_checkpoint(status)) return status;
    host_.log("checkpoint " + quote(path) + " cannot be used: " + status.to_string());
    if (first.ok()) first = status;
  }
  return first;
}

Status SessionManager::initialize(BasicSession& session, const std::set<std::string>& lost) const {
  std::vector<Ref> targets;
  for (const auto& variable : scaffold_.variables)
    if (lost.contains(variable.name)) targets.emplace_back(variable.initializer);
  auto status = session.run({}, {}, targets).status();
  if (status.ok()) host_.log("initialized " + list(lost));
  return status;
}

}  // namespace troupe::train
