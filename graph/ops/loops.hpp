#pragma once

#include <string_view>

#include "troupe/graph/op.hpp"

/// The ops of loops. A loop runs in a frame of its own, of which there is one for each iteration of
/// the loop around it: values come in by Enter, go round by Merge and NextIteration, and leave by
/// Exit. (Yu et al., Dynamic Control Flow in Large-Scale Machine Learning, EuroSys 2018.)
namespace troupe::loops {

inline constexpr const char* enter = "Enter";
inline constexpr const char* ref_enter = "RefEnter";
inline constexpr const char* exit = "Exit";
inline constexpr const char* ref_exit = "RefExit";
inline constexpr const char* next_iteration = "NextIteration";
inline constexpr const char* ref_next_iteration = "RefNextIteration";
inline constexpr const char* merge = "Merge";
inline constexpr const char* ref_merge = "RefMerge";
inline constexpr const char* loop_cond = "LoopCond";

inline bool is_enter(std::string_view op) { return op == enter || op == ref_enter; }
inline bool is_exit(std::string_view op) { return op == exit || op == ref_exit; }
inline bool is_next_iteration(std::string_view op) {
  return op == next_iteration || op == ref_next_iteration;
}
inline bool is_merge(std::string_view op) { return op == merge || op == ref_merge; }

/// Whether all outputs of the op are its first input.
inline bool passes_on(std::string_view op) {
  return is_enter(op) || is_exit(op) || is_next_iteration(op) || op == "Switch" ||
         op == "RefSwitch" || op == "Identity";
}

/// Attribute of a Merge that names a NextIteration which comes after it: the shape that the value
/// has in all iterations. Without it nothing is known of the shape.
inline constexpr const char* shape_attr = "_loop_shape";

/// What is known of a value that has the one shape or the other.
Shape common_shape(const Shape& a, const Shape& b);

/// The shape function of a Merge.
Status infer_merge(ShapeInference& s);

}  // namespace troupe::loops
