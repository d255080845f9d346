#include "troupe/actors/world/message_facts.hpp"

#include "troupe/actors/node_messages.hpp"

namespace troupe {
namespace {

// Average sizes of a message without its tensors and nodes, and of a node of a graph.
constexpr uint64_t message_bytes = 64;
constexpr uint64_t node_bytes = 200;

uint64_t bytes_of(const Tensors& tensors) {
  uint64_t bytes = 0;
  for (const auto& tensor : tensors)
    if (tensor.is_set()) bytes += wire_bytes(tensor);
  return bytes;
}

void add(MessageFacts& facts, const StepId& id) {
  facts.session = id.session;
  facts.step = id.number;
}

void add(MessageFacts& facts, const Status& status) { facts.code = status.code(); }
void add(MessageFacts& facts, const Register& message) {
  facts.session = message.session;
  facts.bytes += node_bytes * message.nodes.size();
}
void add(MessageFacts& facts, const StartStep& message) {
  add(facts, message.step);
  facts.bytes += bytes_of(message.feeds);
}
void add(MessageFacts& facts, const CommitStep& message) { add(facts, message.step); }
void add(MessageFacts& facts, const CancelStep& message) {
  add(facts, message.step);
  facts.code = message.why.code();
  facts.may_pass = true;
}
void add(MessageFacts& facts, const Deliver& message) {
  add(facts, message.step);
  facts.edges = static_cast<uint32_t>(message.edges.size());
  facts.may_arrive_in_part = message.may_arrive_in_part;
  facts.may_pass = true;
  facts.bytes += bytes_of(message.tensors);
}
void add(MessageFacts& facts, const DiscardStep& message) { add(facts, message.step); }
void add(MessageFacts& facts, const StepDone& message) {
  add(facts, message.step);
  facts.code = message.status.code();
  facts.bytes += bytes_of(message.fetches);
}
void add(MessageFacts& facts, const DropPlan& message) { facts.session = message.session; }
void add(MessageFacts& facts, const StepTraced& message) { add(facts, message.step); }
void add(MessageFacts& facts, const ListStepWaits& message) { add(facts, message.step); }
void add(MessageFacts& facts, const EndSession& message) { facts.session = message.session; }

void add(MessageFacts& facts, const Ping&) { facts.is_heartbeat = facts.may_pass = true; }
void add(MessageFacts& facts, const Pong&) { facts.is_heartbeat = facts.may_pass = true; }

template <class T>
bool add_if(MessageFacts& facts, const caf::type_erased_tuple& content) {
  if (*facts.type.second != typeid(T)) return false;
  add(facts, content.get_as<T>(0));
  return true;
}

template <class... Ts>
void add_first_of(MessageFacts& facts, const caf::type_erased_tuple& content) {
  (add_if<Ts>(facts, content) || ...);
}

}  // namespace

MessageFacts facts_of(const caf::mailbox_element& message) {
  MessageFacts facts{.type = {}, .is_reply = message.mid.is_response(), .bytes = message_bytes};
  const auto& content = message.content();
  if (content.empty()) return facts;
  facts.type = content.type(0);
  if (facts.type.second)
    add_first_of<
        Deliver, StartStep, StepDone, DiscardStep, Status, Ping, Pong, CommitStep, CancelStep,
        Register, DropPlan, EndSession, ListStepWaits, StepTraced>(facts, content);
  return facts;
}

std::string describe(const MessageFacts& facts, const caf::actor_system& system) {
  std::string text = facts.is_reply ? "reply" : "";
  if (facts.type.first != 0 || facts.type.second) {
    auto name = system.types().portable_name(facts.type);
    text += (text.empty() ? "" : " ") + name.substr(name.starts_with("troupe::") ? 8 : 0);
  }
  if (facts.edges > 0)
    text += " " + std::to_string(facts.edges) + (facts.edges == 1 ? " edge" : " edges");
  if (facts.code != Code::ok) text += std::string(" ") + to_string(facts.code);
  return text;
}

}  // namespace troupe
