"""The table of results in the README of the package."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from commits import COMMITS

BEGIN, END = "<!-- published programs -->", "<!-- end of published programs -->"


def with_table(text: str, programs: Sequence[Any], results: Dict[str, str]) -> str:
    """The text with the table of those results between the two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    tried = [program for program in programs if program.name in results]
    count = sum(results[program.name] == "runs" for program in tried)
    lines = [f"{count} of {len(tried)} programs run to their end:", ""]
    for repository in sorted(COMMITS):
        own = [program for program in tried if program.repository == repository]
        if not own:
            continue
        running = [_shown(each) for each in own if results[each.name] == "runs"]
        address = f"https://github.com/{repository.partition('@')[0]}"
        link = f"[{repository}]({address}/tree/{COMMITS[repository]})"
        lines.append(f"- {link}: {', '.join(running) or 'none'}")
        for each in own:
            if results[each.name] != "runs":
                reason = each.reason or results[each.name]
                lines.append(f"  - {_shown(each)} does not: {reason}")
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def _shown(program: Any) -> str:
    """The path of a program, and what its name says besides."""
    kind = program.name.partition(", ")[2]
    return f"`{program.path}` ({kind})" if kind else f"`{program.path}`"
