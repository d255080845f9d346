#include "troupe/devices/pieces/traced_piece.hpp"

#include "troupe/devices/launches.hpp"

namespace troupe {

Status run_traced(
    const PlanPiece& piece, Launch& launch, const Plan& plan, StepTrace::Time ready,
    StepTrace& trace) {
  return without_exceptions([&] {
    PieceRun run(piece, launch, launch.inputs());
    for (const auto& member : piece.members) {
      auto begin = trace.elapsed();
      if (auto status = run.run(member); !status.ok()) return status;
      trace.add(plan, member.node, ready, begin, bytes_of(run.outputs_of(member)));
    }
    run.take_outputs(launch.outputs());
    return Status();
  });
}

}  // namespace troupe
