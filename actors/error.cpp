#include "troupe/actors/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace troupe {

Status to_status(const caf::error& error) {
  if (!error) return {};
  if (error == caf::sec::request_timeout) return deadline_exceeded("no answer within the deadline");
  if (error == caf::sec::request_receiver_down)
    return unavailable("the actor that should answer has ended or is out of reach");
  if (error.category() == caf::atom("system"))
    return unavailable(to_string(static_cast<caf::sec>(error.code())));
  if (auto why = why_link_ended(error); !why.empty())
    return unavailable("the node of the actor that should answer was lost: " + why);
  return unavailable(
      "the actor that should answer has ended: " +
      (error.category() == caf::atom("exit")
           ? to_string(static_cast<caf::exit_reason>(error.code()))
           : "code " + std::to_string(error.code())));
}

caf::error link_ended(const Status& why) {
  return {
      static_cast<uint8_t>(caf::exit_reason::remote_link_unreachable), caf::atom("exit"),
      caf::make_message(why.message())};
}

std::string why_link_ended(const caf::error& error) {
  auto has_reason = error == caf::exit_reason::remote_link_unreachable &&
                    error.context().match_elements<std::string>();
  return has_reason ? error.context().get_as<std::string>(0) : "";
}

}  // namespace troupe
