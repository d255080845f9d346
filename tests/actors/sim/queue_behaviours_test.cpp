#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

// How each op of each kind of queue behaves, in each state of the queue, and whatever happens while
// it waits.

namespace queue_behaviours {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker = "/job:worker/task:0";
const std::string other_worker = "/job:worker/task:1";

// What a step does at a queue of at most 3 elements, and how many elements the queue has then. Of
// an error there is its code. The elements, and their priorities, are the numbers from 1 on.

/// In each state of the queue: it is empty, has 2 elements or all 3, was closed with 2 or without
/// any, or was closed with cancel_pending_enqueues.
const std::string behaviours = R"(
                 empty    with_2   full     closed        closed_empty  closed_with_cancel
enqueue          ok:1     ok:3     waits:3  Cancelled:2   Cancelled:0   Cancelled:2
enqueue_many     ok:2     waits:3  waits:3  Cancelled:2   Cancelled:0   Cancelled:2
dequeue          waits:0  1:1      1:2      1:1           OutOfRange:0  1:1
dequeue_many     waits:0  waits:0  1,2,3:0  OutOfRange:2  OutOfRange:0  OutOfRange:2
dequeue_up_to    waits:0  waits:0  1,2,3:0  1,2:0         OutOfRange:0  1,2:0
size             0:0      2:2      3:3      2:2           0:0           2:2
is_closed        no:0     no:2     no:3     yes:2         yes:0         yes:2
close            ok:0     ok:2     ok:3     Cancelled:2   Cancelled:0   Cancelled:2
close_and_cancel ok:0     ok:2     ok:3     ok:2          ok:0          ok:2
)";

/// Of an op that waits at a queue in that state, when this happens meanwhile. The close waits
/// behind an enqueue. What is left in a queue that was lost is what the next of its name has. A
/// reset ends a step with Aborted or, where its session is closed first, with Cancelled.
const std::string ends_of_waiting = R"(
                 enqueue       enqueue_many  dequeue       dequeue_many  dequeue_up_to close
                 full          with_2        empty         with_2        with_2        full
close            waits:3       waits:3       OutOfRange:0  OutOfRange:2  1,2:0         waits:3
close_and_cancel Cancelled:3   Cancelled:3   OutOfRange:0  OutOfRange:2  1,2:0         Cancelled:3
cancelled_step   Cancelled:3   Cancelled:3   Cancelled:0   Cancelled:2   Cancelled:2   Cancelled:3
timed_out_step   Deadline:3    Deadline:3    Deadline:0    Deadline:2    Deadline:2    Deadline:3
closed_session   Cancelled:3   Cancelled:3   Cancelled:0   Cancelled:2   Cancelled:2   Cancelled:3
client_gone      Unavailable:3 Unavailable:3 Unavailable:0 Unavailable:2 Unavailable:2 Unavailable:3
container_reset  reset:0       reset:0       reset:0       reset:0       reset:0       reset:0
node_killed      Unavailable:0 Unavailable:0 Unavailable:0 Unavailable:0 Unavailable:0 Unavailable:0
)";

/// The words of a table, by line.
std::vector<std::vector<std::string>> lines_of(const std::string& table) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(table);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word);
    if (!row.empty()) lines.push_back(row);
  }
  return lines;
}

/// A queue that has the elements 1 to `size`.
struct State {
  int64_t size;
  const char* close = nullptr;  // the op that has closed it
};

const std::map<std::string, State> states = {
    {"empty", {0}},
    {"with_2", {2}},
    {"full", {3}},
    {"closed", {2, "close"}},
    {"closed_empty", {0, "close"}},
    {"closed_with_cancel", {2, "close_and_cancel"}}};

/// The handle of a queue, and the components of its elements.
struct QueueForm {
  const char* op;
  bool has_priority = false;
  bool has_order = true;
};

const std::vector<QueueForm> forms = {
    {"FIFOQueue"},
    {"RandomShuffleQueue", false, /*has_order=*/false},
    {"PaddingFIFOQueue"},
    {"PriorityQueue", /*has_priority=*/true}};

std::ostream& operator<<(std::ostream& out, const QueueForm& form) { return out << form.op; }

/// A client with the queue on the parameter server.
class QueueUser {
 public:
  QueueUser(sim::Cluster& cluster, const std::string& master, const QueueForm& form)
      : cluster_(cluster), form_(form), session_(cluster.session(master)) {
    const auto& b = session_.graph();
    queue_ = b.on(ps).op(
        std::string(form.op) + "V2", {},
        {{"component_types", DTypes{DType::int64}},
         {"shapes", Shapes{Shape()}},
         {"capacity", int64_t{3}},
         {"shared_name", "examples"}});
  }

  sim::Session& session() { return session_; }

  sim::Call enqueue(const std::vector<int64_t>& numbers) {
    auto b = session_.graph();
    auto is_batch = numbers.size() > 1;
    auto shape = is_batch ? Shape{std::ssize(numbers)} : Shape();
    auto element = b.constant(Tensor::of<int64_t>(shape, std::span(numbers)));
    Values inputs(form_.has_priority ? 3 : 2, element);
    inputs[0] = queue_;
    return run_target(b.op(is_batch ? "QueueEnqueueManyV2" : "QueueEnqueueV2", inputs));
  }

  /// An enqueue of 9, or of 8 and 9; a dequeue of 3 elements where it takes several.
  sim::Call start(const std::string& op, const RunOptions& options = {}) {
    options_ = options;
    auto b = session_.graph();
    auto three = b.constant<int32_t>(3);
    if (op == "enqueue") return enqueue({9});
    if (op == "enqueue_many") return enqueue({8, 9});
    if (op == "dequeue") return dequeue("QueueDequeueV2", {queue_});
    if (op == "dequeue_many") return dequeue("QueueDequeueManyV2", {queue_, three});
    if (op == "dequeue_up_to") return dequeue("QueueDequeueUpToV2", {queue_, three});
    if (op == "size") return fetch(b.op("QueueSizeV2", {queue_}));
    if (op == "is_closed") return fetch(b.op("QueueIsClosedV2", {queue_}));
    if (op == "close") return close(false);
    CHECK(op == "close_and_cancel");
    return close(true);
  }

  /// "ok", the values, "waits", or the code of the error.
  std::string result(const sim::Call& call) {
    cluster_.run_until(call.done(), 3s);
    if (!call.is_done()) return "waits";
    if (call.status().code() == Code::deadline_exceeded) return "Deadline";
    if (!call.status().ok()) return to_string(call.status().code());
    return call.values().empty() ? "ok" : text_of(call.values()[0]);
  }

  void make(const State& state) {
    for (int64_t number = 1; number <= state.size; ++number)
      BOOST_TEST_REQUIRE(result(enqueue({number})) == "ok");
    if (state.close) BOOST_TEST_REQUIRE(result(start(state.close)) == "ok");
  }

 private:
  sim::Call run_target(const Value& target) { return session_.start({}, {}, {target}, options_); }
  sim::Call fetch(const Value& value) { return session_.start({}, {value}, {}, options_); }
  sim::Call dequeue(const char* op, const Values& inputs) {
    DTypes dtypes(form_.has_priority ? 2 : 1, DType::int64);
    auto taken = session_.graph().op(op, inputs, {{"component_types", dtypes}});
    return fetch(taken.output(form_.has_priority ? 1 : 0));
  }
  sim::Call close(bool with_cancel) {
    return run_target(
        session_.graph().op("QueueCloseV2", {queue_}, {{"cancel_pending_enqueues", with_cancel}}));
  }

  std::string text_of(const Tensor& tensor) const {
    if (tensor.dtype() == DType::boolean) return tensor.value<bool>() ? "yes" : "no";
    if (tensor.dtype() == DType::int32) return std::to_string(tensor.value<int32_t>());
    auto span = tensor.values<int64_t>();
    std::vector<int64_t> values(span.begin(), span.end());
    if (!form_.has_order && values.size() == 1 && values[0] <= 3) return "1";  // any of them
    if (!form_.has_order) std::ranges::sort(values);
    std::string text;
    for (auto value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
  }

  sim::Cluster& cluster_;
  const QueueForm& form_;
  sim::Session session_;
  Value queue_;
  RunOptions options_;
};

/// A queue, its user, and another who looks on.
struct Scene {
  Scene(const QueueForm& form, const State& state) : form(form) {
    QueueUser(cluster, ps, form).make(state);
    user.emplace(cluster, worker, form);
  }

  /// Also what a queue has by that name which is made after the first one was lost.
  std::string has() {
    QueueUser other(cluster, other_worker, form);
    return ":" + other.result(other.start("size"));
  }

  /// What has become of a step that waited.
  std::string end_of(const sim::Call& call) {
    auto result = user->result(call);
    // The task of a queue notices by heartbeats that a client's task is gone.
    cluster.run_for(5s);
    if (cluster.process_number(ps) == 0) cluster.restart(ps);
    return result + has();
  }

  static void expect_ok(const Status& status) { BOOST_TEST(status.ok(), status.to_string()); }

  void bring_about(const std::string& event, const sim::Call& call) {
    if (event == "cancelled_step") return user->session().cancel(call);
    if (event == "timed_out_step") return cluster.run_for(2s);
    if (event == "closed_session") return expect_ok(user->session().close());
    if (event == "client_gone") return cluster.crash(worker);
    if (event == "container_reset") return expect_ok(cluster.reset(other_worker, {""}, 1s));
    if (event == "node_killed") return cluster.crash(ps);
    closer.emplace(cluster, other_worker, form);
    cluster.run_until(closer->start(event).done(), 1s);
  }

  const QueueForm& form;
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{5}};
  std::optional<QueueUser> user, closer;
};

/// A dequeue of several from a priority queue takes nothing before it has all.
std::string expected_of(
    const QueueForm& form, const std::string& state, const std::string& op, std::string cell) {
  auto takes_many = op == "dequeue_many" || op == "dequeue_up_to";
  if (form.has_priority && takes_many && cell == "waits:0")
    return "waits:" + std::to_string(states.at(state).size);
  return cell;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(queue_behaviours_table)

BOOST_DATA_TEST_CASE(an_op_does_what_the_state_of_the_queue_allows, forms, form) {
  auto lines = lines_of(behaviours);
  for (size_t row = 1; row < lines.size(); ++row) {
    for (size_t column = 1; column < lines[row].size(); ++column) {
      const auto &op = lines[row][0], &state = lines[0][column - 1];
      BOOST_TEST_CONTEXT(op << " where the queue is " << state) {
        Scene scene(form, states.at(state));
        auto result = scene.user->result(scene.user->start(op));
        result += scene.has();
        BOOST_TEST(result == expected_of(form, state, op, lines[row][column]));
      }
    }
  }
}

BOOST_DATA_TEST_CASE(an_op_that_waits_ends_as_what_happens_demands, forms, form) {
  auto lines = lines_of(ends_of_waiting);
  for (size_t row = 2; row < lines.size(); ++row) {
    for (size_t column = 1; column < lines[row].size(); ++column) {
      const auto &event = lines[row][0], &op = lines[0][column - 1];
      BOOST_TEST_CONTEXT(op << " while this happens: " << event) {
        Scene scene(form, states.at(lines[1][column - 1]));
        QueueUser first(scene.cluster, ps, form);
        if (op == "close") (void)first.start("enqueue");
        scene.cluster.run_for(100ms);
        auto timeout = event == "timed_out_step" ? 1000ms : 0ms;
        auto call = scene.user->start(op, {.timeout = timeout});
        scene.cluster.run_for(500ms);
        BOOST_TEST(!call.is_done());
        scene.bring_about(event, call);
        auto result = scene.end_of(call);
        auto expected = lines[row][column];
        if (expected == "reset:0")
          BOOST_TEST((result == "Aborted:0" || result == "Cancelled:0"), result);
        else BOOST_TEST(result == expected);
      }
    }
  }
}

/// A queue that a reset or a death took away is made anew by who uses it next; a client that goes
/// away leaves the queue as it is.
BOOST_DATA_TEST_CASE(after_a_loss_each_op_finds_what_is_left, forms, form) {
  auto lines = lines_of(behaviours);
  for (const std::string event : {"client_gone", "container_reset", "node_killed"}) {
    for (size_t row = 1; row < lines.size(); ++row) {
      const auto& op = lines[row][0];
      BOOST_TEST_CONTEXT(op << " after this has happened: " << event) {
        Scene scene(form, states.at("with_2"));
        auto waiting = scene.user->start("dequeue_many");
        scene.cluster.run_for(500ms);
        scene.bring_about(event, waiting);
        scene.cluster.run_for(5s);
        if (event == "node_killed") scene.cluster.restart(ps);
        QueueUser next(scene.cluster, other_worker, form);
        size_t column = event == "client_gone" ? 2 : 1;
        auto result = next.result(next.start(op));
        result += scene.has();
        BOOST_TEST(result == expected_of(form, lines[0][column - 1], op, lines[row][column]));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace queue_behaviours
