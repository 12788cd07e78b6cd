"""Runs clang-tidy on the sources of a build and remembers what was clean.

Usage: tidy.py BUILD_FOLDER. A source is checked again only when it, a header of ours that it
includes, its compile flags, the checks or clang-tidy itself have changed. What was clean is
remembered across checkouts, beside ccache's folder. Most of the time goes into headers, so sources
with the same flags are read several at a time, included in one file; where that does not compile
(because they give one name two meanings) they are read in two halves.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
GCC_ONLY = re.compile(r" -fno-(ipa-cp|thread-jumps|tree-pre)\b")
OUTPUT_AND_INPUT = re.compile(r" -o \S+ -c \S+")
# The name that a line at the margin declares: the last one before its body, value or parameters.
DECLARED = re.compile(r"^(?!#|//|using namespace|namespace|TEST)\w[^(={;]*?([\w:]+)(?=\s*[(={;\[])", re.MULTILINE)
FOLDERS = ["core", "codegen", "tracer", "serialize", "jit", "bindings", "tests"]
GROUP_LINES = 2000


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "rondo" / "tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Includes:
    """The text of sources together with all headers of ours that they include."""

    def __init__(self):
        self.direct = {}

    def of(self, path):
        if path not in self.direct:
            roots = (ROOT, path.parent, ROOT / "bindings" / "c" / "include")
            names = INCLUDE.findall(path.read_text())
            found = (root / name for name in names for root in roots)
            self.direct[path] = [file.resolve() for file in found if file.is_file()]
        return self.direct[path]

    def closure(self, path):
        seen = {path}
        queue = [path]
        while queue:
            for header in self.of(queue.pop()):
                if header not in seen:
                    seen.add(header)
                    queue.append(header)
        return sorted(seen)


def sources(build):
    """Each of our sources once, with its compile command less its own names and GCC's flags."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"]).resolve()
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
            command = GCC_ONLY.sub("", OUTPUT_AND_INPUT.sub("", entry["command"]))
            commands.setdefault(path, command)
    return commands


def key(path, command, includes, common):
    digest = hashlib.sha256(common)
    digest.update(command.replace(str(ROOT), "").encode())
    for file in includes.closure(path):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class Group:
    """Sources of one scope with the same flags of which no two seem to declare the same name."""

    def __init__(self, command, scope, paths=()):
        self.command = command
        self.scope = scope
        self.paths = list(paths)
        self.names = set()
        self.lines = 0

    def takes(self, path, text, names):
        if self.names & names or (self.paths and self.lines + text.count("\n") > GROUP_LINES):
            return False
        self.paths.append(path)
        self.names |= names
        self.lines += text.count("\n")
        return True


def scope(path):
    """Folders whose sources share the meaning of short names."""
    parts = path.relative_to(ROOT).parent.parts
    return parts[:2] if parts[0] in ("codegen", "tests") else parts[:1]


def groups(commands):
    """The sources in groups, neighbours together, the groups with most to read first."""
    found = []
    for path in sorted(commands):
        text = path.read_text()
        names = {name for name in DECLARED.findall(text) if "::" not in name}
        kind = (commands[path], scope(path))
        fitting = (group for group in found if (group.command, group.scope) == kind)
        if not any(group.takes(path, text, names) for group in fitting):
            found.append(Group(*kind))
            found[-1].takes(path, text, names)
    return sorted(found, key=lambda group: -group.lines)


def run_tidy(file, group, *arguments):
    """The findings, or an empty text."""
    _, *flags = shlex.split(group.command)
    command = [TIDY, "--quiet", "--extra-arg=-Wno-error", *arguments, str(file), "--", *flags]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return run.stdout + run.stderr if run.returncode else ""


def check(group, folder):
    """The findings for each source; those of a group are printed with the first and held against all."""
    paths = group.paths
    if len(paths) == 1:
        return {paths[0]: run_tidy(paths[0], group)}
    file = folder / (str(paths[0].relative_to(ROOT)).replace("/", "+") + f"+{len(paths)}" + paths[0].suffix)
    file.write_text("".join(f'#include "{path}"\n' for path in paths))
    found = run_tidy(file, group, "--checks=-bugprone-suspicious-include")
    if "[clang-diagnostic-error]" not in found:
        return {path: found if path == paths[0] else found and " " for path in paths}
    middle = len(paths) // 2
    halves = [Group(group.command, group.scope, part) for part in (paths[:middle], paths[middle:])]
    return check(halves[0], folder) | check(halves[1], folder)


def common_part():
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    configs = [ROOT / ".clang-tidy", *sorted(c for name in FOLDERS for c in (ROOT / name).glob("**/.clang-tidy"))]
    return version + b"".join(config.read_bytes() for config in configs)


def main():
    build = Path(sys.argv[1]).resolve()
    cache = cache_folder()
    includes = Includes()
    common = common_part()
    commands = sources(build)
    stamps = {path: cache / key(path, command, includes, common) for path, command in commands.items()}
    stale = {path: command for path, command in commands.items() if not stamps[path].exists()}
    found = groups(stale)
    print(f"{len(commands)} sources, {len(stale)} of them new or changed, in {len(found)} groups", flush=True)
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for task in concurrent.futures.as_completed([pool.submit(check, group, folder) for group in found]):
            for path, findings in task.result().items():
                if findings:
                    failed += 1
                    print(findings, end="", flush=True)
                else:
                    stamps[path].touch()
    print(f"{failed} sources with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
