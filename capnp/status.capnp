@0xc31d290468d37b25;
# The result of a call. Every method of every interface here answers with a Status, which keeps all
# fields of an error; exceptions of Cap'n Proto mean only that the connection or the call is broken.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

struct Status {
  code @0 :UInt16;
  # 0: ok, and all other fields are empty. Otherwise one of the canonical codes, with the numbers of
  # gRPC and tf.errors: 1 Cancelled, 2 Unknown, 3 InvalidArgument, 4 DeadlineExceeded,
  # 5 NotFound, 6 AlreadyExists, 7 PermissionDenied, 8 ResourceExhausted, 9 FailedPrecondition,
  # 10 Aborted, 11 OutOfRange, 12 Unimplemented, 13 Internal, 14 Unavailable, 15 DataLoss,
  # 16 Unauthenticated.

  message @1 :Text;
  # What was wrong and how to fix it, for people: no program should parse it.

  node @2 :Text;
  # The graph node where the error arose; empty if none was involved. So for the fields below.

  op @3 :Text;
  # That node's op, "MatMul".

  device @4 :Text;
  # "/job:ps/task:0/device:CPU:0".

  task @5 :Text;
  # "/job:ps/task:0".

  notes @6 :List(Text);
  # Further errors of the same call, such as those of other tasks: a few lines at most.
}
