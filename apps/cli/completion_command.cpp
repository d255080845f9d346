#include <cstdio>

#include "troupe/apps/cli/command.hpp"

namespace troupe::cli {
namespace {

/// The words of the program, from its own declarations, as a function of bash.
std::string bash_completion(const CLI::App& app) {
  auto flags_of = [](const CLI::App& command) {
    std::string flags;
    for (const auto* option : command.get_options())
      for (const auto& name : option->get_lnames()) flags += " --" + name;
    return flags;
  };
  std::string commands, cases;
  for (const auto* command : app.get_subcommands({})) {
    commands += " " + command->get_name();
    cases +=
        "    " + command->get_name() + ") words=\"" + flags_of(*command) + " $all_flags\" ;;\n";
  }
  return "_troupe() {\n"
         "  local word command= words\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case $word in -*) ;; *) case \" $all_commands \" in *\" $word \"*) command=$word;; "
         "esac ;; esac\n"
         "  done\n"
         "  case $command in\n" +
         cases +
         "    *) words=\"$all_commands $all_flags\" ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "all_commands=\"" +
         commands + "\"\nall_flags=\"" + flags_of(app) +
         "\"\n"
         "complete -F _troupe -o default troupe\n";
}

}  // namespace

void add_completion_command(CLI::App& app, Run& run) {
  auto* completion = app.add_subcommand("completion", "Prints the completion of bash");
  completion->footer("Example: source <(troupe completion)");
  completion->callback([&] {
    run = [&] {
      std::fputs(bash_completion(app).c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace troupe::cli
