#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/train/host.hpp"

namespace troupe::train {

/// A variable that is a part of the tensor of that name in checkpoints.
struct SavedPart {
  std::string name;
  std::string slice;  // "8 3 0,4:0,3": the tensor's shape, then offset and size along each axis
  Variable variable;
  /// Of a variable of references: the reference, which is what TensorFlow runs in graphs of ours.
  Value reference = {};
};

struct SaverOptions {
  /// Variables by their names in checkpoints. Neither these nor parts: all variables of the
  /// builder, by their own names.
  std::map<std::string, Variable> variables;
  std::vector<SavedPart> parts;
  /// If true, each task writes its own variables to its own file system, and reads them from there.
  /// Else one task writes and reads all, and only it needs access to the files.
  bool sharded = false;
  /// The task that writes, or where sharded merges. "": the session's master, or where sharded the
  /// first task that has variables.
  std::string device;
  int max_to_keep = 5;  // 0: all, but only the latest is in the folder's file of them
  /// One checkpoint per such period is kept in spite of max_to_keep.
  double keep_checkpoint_every_n_hours = 10000;
  std::string name = "save";          // the scope of its nodes
  std::string filename = "model";     // of checkpoints whose name a step does not feed
  bool reshape = false;               // values of other shapes are given those of the variables
  bool restore_sequentially = false;  // one variable after another on each task
  bool pad_step_number = false;       // to eight digits
  bool save_relative_paths = false;   // in the folder's file of checkpoints
};

/// Of one checkpoint.
struct SaveOptions {
  std::optional<int64_t> global_step;
  std::string latest_filename = "checkpoint";  // the folder's file of checkpoints
  bool write_state = true;                     // if false, that file and old checkpoints stay
};

/// Saves variables to checkpoints, and restores them. It adds its nodes to the builder, so it must
/// be made after the variables and before the graph is sent to a session.
///
/// A checkpoint is named by a prefix, on the tasks that write it
/// (devices/cpu/checkpoint/checkpoint_files.hpp); the file `checkpoint` of its folder, on the file
/// system of this program, lists them. Variables are read one at a time: concurrent steps may be
/// included in some and not in others.
class Saver {
 public:
  /// An error stays in the builder's status, as for any node. The host must outlive the saver.
  Saver(const Builder& builder, Host& host, SaverOptions options = {});

  /// Writes the checkpoint "prefix", or "prefix-<global_step>", notes it as the latest, and removes
  /// the oldest ones beyond those to keep. Returns its name.
  Result<std::string> save(
      BasicSession& session, const std::string& prefix, std::optional<int64_t> global_step = {});
  Result<std::string> save(
      BasicSession& session, const std::string& prefix, const SaveOptions& options);

  /// Gives the variables the values that they have in a checkpoint; NotFound, InvalidArgument or
  /// DataLoss names the first variable for which this fails. `names`: only those, by their names in
  /// checkpoints.
  Status restore(BasicSession& session, const std::string& path) const;
  Status restore(
      BasicSession& session, const std::string& path, const std::set<std::string>& names) const;

  /// The name in checkpoints of a variable of that name; nothing for one that is not saved.
  std::optional<std::string> saved_name(const std::string& variable) const;

  /// The checkpoints that it has saved and not removed, oldest first.
  std::vector<std::string> last_checkpoints() const;
  /// Takes over the checkpoints of another saver, such as that of an earlier run of the program.
  void recover_last_checkpoints(const std::vector<std::string>& paths);

 private:
  struct Checkpoint {
    std::string path;
    Host::Time saved_at;
  };

  void add_prefix(const Builder& b);
  void add_unsharded(const Builder& b, const std::string& device);
  void add_sharded(const Builder& b, std::string device);
  Value add_save(const Builder& task, const Value& prefix, const std::vector<SavedPart>& saved);
  void add_restores(const Builder& task, const std::vector<SavedPart>& saved);
  /// Removes the checkpoints beyond those to keep from the list, and returns them.
  std::vector<std::string> take_expired_checkpoints();
  Status run(BasicSession& session, const std::string& path, const std::vector<Ref>& targets) const;

  Host& host_;
  const SaverOptions options_;
  std::vector<SavedPart> saved_;  // all variables; a slice of "" is the whole tensor
  Value prefix_;
  Value save_;
  Value remove_;
  std::multimap<std::string, Value> restores_;  // by names in checkpoints
  std::vector<Checkpoint> checkpoints_;
  Host::Time next_to_keep_;
};

}  // namespace troupe::train
