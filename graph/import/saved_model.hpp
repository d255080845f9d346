#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// A tensor that a signature names.
struct SignatureTensor {
  std::string name;  // "node:0", as feeds and fetches
  DType dtype = DType::invalid;
  Shape shape;
};

/// What a graph computes, by names for users.
struct Signature {
  std::string method_name;
  std::map<std::string, SignatureTensor> inputs;
  std::map<std::string, SignatureTensor> outputs;
};

/// A graph that a program saved with its variables, in a folder: saved_model.pb, variables/ and
/// assets/, as TensorFlow 1 and Troupe write it. The folder must stay until restore() is done, and
/// the tasks with the variables must have it under the same name.
class SavedModel {
 public:
  /// Adds the nodes of the graph that was saved with just those tags to the builder's graph, with
  /// names "prefix/name" if there is a prefix. NotFound names the tags that there are, or the ops
  /// that do not exist; InvalidArgument says what is wrong with the file or the graph.
  static Result<SavedModel> load(
      const Builder& builder, const std::string& folder,
      const std::set<std::string>& tags = {"serve"}, const std::string& prefix = "");

  const std::map<std::string, Signature>& signatures() const { return signatures_; }

  /// Sends the graph to a session, gives the variables the values that were saved, and runs what
  /// initializes the graph.
  Status restore(BasicSession& session) const;

  /// One step of a signature, with a tensor for each of its inputs: all of its outputs. NotFound
  /// names a signature, InvalidArgument an input, that does not exist or is not given.
  Result<std::map<std::string, Tensor>> run(
      BasicSession& session, const std::string& signature,
      const std::map<std::string, Tensor>& inputs) const;

 private:
  explicit SavedModel(Builder builder) : builder_(std::move(builder)) {}

  Builder builder_;
  std::map<std::string, Signature> signatures_;
  std::string variables_;     // the name of the checkpoint
  std::string filename_;      // the tensor that is fed with it
  std::string restore_;       // the node that restores; empty: there are no variables
  std::string initializer_;   // the node that initializes the rest; empty: none
  std::vector<Feed> assets_;  // the names of files that the initializer reads
};

}  // namespace troupe
