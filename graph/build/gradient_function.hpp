#pragma once

#include "troupe/graph/build/gradients.hpp"

namespace troupe {

/// Which gradients of a function are wanted, and from which ones of its results.
struct WantedGradients {
  std::vector<int> arguments;
  std::vector<int> results;

  /// Of a node whose inputs from number `first` on are the function's arguments.
  static WantedGradients of(const Gradient& g, int first = 0);
  bool is_empty() const { return arguments.empty() || results.empty(); }
  /// "/dx0/dx2/dy1"
  std::string to_string() const;
};

/// A function that computes gradients of another one from its arguments and the gradients of its
/// results, while it is made. Nodes of its body that are those of the other function have
/// `functional::forward_node_attr`.
class GradientFunction {
 public:
  static Result<GradientFunction> make(
      const Graph& graph, const FunctionDef& forward, const WantedGradients& wanted);

  /// By position in `wanted.arguments`: whether the results depend on that argument.
  bool has(size_t index) const { return gradients_[index].is_valid(); }
  DType dtype_of(size_t index) const { return gradients_[index].dtype(); }
  /// Gives that gradient, which the function lacks, as zeros of that dtype.
  void add_zeros(size_t index, DType dtype);

  /// Adds the function to the graph, with those that it calls. It has the results "dx0", "dx2",
  /// after the arguments whose gradients exist.
  Result<const Function*> add_to(const Gradient& g, std::string name) const;

 private:
  GradientFunction(Builder body, const WantedGradients& wanted, Values gradients)
      : body_(std::move(body)), wanted_(wanted), gradients_(std::move(gradients)) {}

  Builder body_;
  WantedGradients wanted_;
  Values gradients_;
};

/// Whether the nodes of a function give the same values when they run once more in a step: they
/// draw no random numbers and change no state.
bool can_repeat(const Graph& graph, const FunctionDef& function);

/// Gives the node the gradients that a call's outputs are, by the names of the function's results.
void take_gradients(Gradient& g, const Value& call, const FunctionDef& function, int first = 0);

/// Records an error of a function at the node whose gradient is asked for.
void fail_in_function(Gradient& g, const Status& status);

}  // namespace troupe
