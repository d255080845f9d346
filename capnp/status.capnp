@0xc31d290468d37b25;
# How a call went. Every method of every interface here answers with a Status, so that an error
# keeps its fields; exceptions of Cap'n Proto are left to a broken connection.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

struct Status {
  code @0 :UInt16;
  # 0: it went well, and all other fields are empty. Else one of the canonical codes, with the
  # numbers of gRPC and tf.errors: 1 Cancelled, 2 Unknown, 3 InvalidArgument, 4 DeadlineExceeded,
  # 5 NotFound, 6 AlreadyExists, 7 PermissionDenied, 8 ResourceExhausted, 9 FailedPrecondition,
  # 10 Aborted, 11 OutOfRange, 12 Unimplemented, 13 Internal, 14 Unavailable, 15 DataLoss,
  # 16 Unauthenticated.

  message @1 :Text;
  # What was wrong and what would mend it, for people: no program should parse it.

  node @2 :Text;
  # The graph node where it arose; empty where none was involved, as are all fields below.

  op @3 :Text;
  # That node's op, "MatMul".

  device @4 :Text;
  # "/job:ps/task:0/device:CPU:0".

  task @5 :Text;
  # "/job:ps/task:0".

  notes @6 :List(Text);
  # What else went wrong at the same time, as on other tasks: a few lines at most.
}
