#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace troupe::testing {

/// Checks a trace against the rules of the Trace Event format, as far as we write it: complete
/// slices (X) that lie beside or inside each other on their track, names (M), and arrows (s, f) of
/// two ends, each inside a slice and not back in time.
class TraceRules {
 public:
  static std::vector<std::string> faults_of(const nlohmann::json& trace) {
    TraceRules rules;
    if (!trace.is_object() || !trace.value("traceEvents", nlohmann::json()).is_array())
      return {"there is no list of traceEvents"};
    for (const auto& event : trace["traceEvents"]) rules.take(event);
    rules.check_tracks();
    rules.check_arrows();
    return rules.faults_;
  }

 private:
  using Track = std::pair<int, int>;
  struct Slice {
    int64_t begin_ns;
    int64_t end_ns;
    std::string name;
  };
  struct ArrowEnd {
    Track track;
    int64_t at_ns;
    std::string name;
  };

  void require(bool condition, const std::string& what) {
    if (!condition) faults_.push_back(what);
  }
  static int64_t to_ns(const nlohmann::json& us) { return std::llround(us.get<double>() * 1000); }

  void take(const nlohmann::json& event) {
    bool is_event = event.is_object() && event.value("ph", nlohmann::json()).is_string() &&
                    event.value("name", nlohmann::json()).is_string() &&
                    event.value("ts", nlohmann::json()).is_number() &&
                    event.value("pid", nlohmann::json()).is_number_integer() &&
                    event.value("tid", nlohmann::json()).is_number_integer();
    if (!is_event) return faults_.push_back("not an event: " + event.dump());
    Track track{event["pid"], event["tid"]};
    auto phase = event["ph"].get<std::string>();
    auto at_ns = to_ns(event["ts"]);
    if (phase == "X") {
      bool has_duration = event.value("dur", nlohmann::json()).is_number() && event["dur"] >= 0;
      require(has_duration, "a slice without a duration: " + event.dump());
      if (has_duration)
        tracks_[track].push_back({at_ns, at_ns + to_ns(event["dur"]), event["name"]});
    } else if (phase == "s" || phase == "f") {
      require(
          event.contains("id") && event.contains("cat"), "an arrow without id: " + event.dump());
      auto& ends = phase == "s" ? begins_ : ends_;
      auto is_new = ends.try_emplace(event.value("id", -1), ArrowEnd{track, at_ns, event["name"]});
      require(is_new.second, "an id that is used twice: " + event.dump());
    } else {
      require(
          phase == "M" && event.value("args", nlohmann::json()).size() == 1,
          "an event of no known phase: " + event.dump());
    }
  }

  void check_tracks() {
    for (auto& [track, slices] : tracks_) {
      std::ranges::sort(
          slices, {}, [](const Slice& slice) { return std::pair(slice.begin_ns, -slice.end_ns); });
      std::vector<int64_t> open_ns;  // the ends of the slices around the next
      for (const auto& slice : slices) {
        while (!open_ns.empty() && open_ns.back() <= slice.begin_ns) open_ns.pop_back();
        require(open_ns.empty() || slice.end_ns <= open_ns.back(), slice.name + " cuts another");
        open_ns.push_back(slice.end_ns);
      }
    }
  }

  void check_arrows() {
    for (const auto& [id, begin] : begins_) {
      auto end = ends_.find(id);
      require(end != ends_.end(), "an arrow without an end: " + begin.name);
      if (end == ends_.end()) continue;
      require(end->second.name == begin.name, "an arrow of two names: " + begin.name);
      require(begin.at_ns <= end->second.at_ns, "an arrow back in time: " + begin.name);
      for (const auto& tip : {begin, end->second})
        require(is_in_slice(tip), "an arrow that ends nowhere: " + begin.name);
    }
    for (const auto& [id, end] : ends_)
      require(begins_.contains(id), "an arrow without a beginning: " + end.name);
  }

  bool is_in_slice(const ArrowEnd& tip) {
    return std::ranges::any_of(tracks_[tip.track], [&](const Slice& slice) {
      return slice.begin_ns <= tip.at_ns && tip.at_ns < std::max(slice.end_ns, slice.begin_ns + 1);
    });
  }

  std::map<Track, std::vector<Slice>> tracks_;
  std::map<int, ArrowEnd> begins_;
  std::map<int, ArrowEnd> ends_;
  std::vector<std::string> faults_;
};

}  // namespace troupe::testing
