#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/actors/local/local_cluster.hpp"

namespace troupe::bench {

/// How the elements of a row are multiplied. TF32 is float32 with products of fewer bits.
enum class Precision { float32, tf32, bfloat16 };

const char* to_string(Precision precision);
DType dtype_of(Precision precision);

/// A graph on the first GPU, and a session that runs it: as a user's program without nodes has
/// them. Its variables are freed with it.
class GpuProgram {
 public:
  struct Options {
    bool allows_tf32 = false;
    bool fuses_elementwise = true;
  };
  explicit GpuProgram(const Options& options);
  GpuProgram() : GpuProgram(Options()) {}

  /// Adds nodes on the GPU. A node that has no kernel there is an error.
  const Builder& b() const { return b_; }
  /// A variable of normal random numbers.
  Variable random(const std::string& name, const Shape& shape, DType dtype = DType::float32);

  /// Initializes the variables. To be called once, when the graph is complete.
  Status initialize();
  /// The session; only after initialize().
  Session& session() { return *session_; }

  /// The median time of a step that runs `target`, in seconds.
  Result<double> seconds_of(const Ref& target, double seconds);

 private:
  LocalCluster cluster_;
  SessionOptions session_options_;
  Builder b_;
  std::unique_ptr<Session> session_;
};

/// The median time of `step` in seconds: after a warm-up of some steps, of those that end within
/// `seconds`, but of three at least.
Result<double> median_seconds(const std::function<Status()>& step, double seconds);

/// "3.14".
std::string to_text(double value, int digits = 2);

}  // namespace troupe::bench
