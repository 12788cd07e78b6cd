"""Runs clang-tidy on the sources of a build and remembers what was clean.

Usage: tidy.py BUILD_FOLDER. A source is checked again only when it, a header of ours that it
includes, its compile flags, the checks or clang-tidy itself have changed. What was clean is
remembered across checkouts, beside ccache's folder.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
GCC_ONLY = re.compile(r" -fno-(ipa-cp|thread-jumps|tree-pre)\b")
FOLDERS = ["core", "codegen", "tracer", "serialize", "jit", "bindings", "tests"]


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
    """Each of our sources once, with its compile command."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"]).resolve()
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
            commands.setdefault(path, entry["command"])
    return commands


def key(path, command, includes, common):
    digest = hashlib.sha256(common)
    digest.update(command.replace(str(ROOT), "").encode())
    for file in includes.closure(path):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def without_gcc_flags(build):
    """A folder with the build's compile commands less what clang does not know."""
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    text = (build / "compile_commands.json").read_text()
    (folder / "compile_commands.json").write_text(GCC_ONLY.sub("", text))
    return folder


def check(path, folder):
    """The findings in one source, or an empty text."""
    command = [TIDY, "-p", str(folder), "--quiet", "--extra-arg=-Wno-unknown-warning-option", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return run.stdout + run.stderr if run.returncode else ""


def common_part():
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    configs = sorted(ROOT.glob("**/.clang-tidy"))
    return version + b"".join(config.read_bytes() for config in configs)


def main():
    build = Path(sys.argv[1])
    folder = cache_folder()
    includes = Includes()
    common = common_part()
    commands = sources(build)
    stamps = {path: folder / key(path, command, includes, common) for path, command in commands.items()}
    stale = [path for path, stamp in stamps.items() if not stamp.exists()]
    print(f"{len(commands)} sources, {len(stale)} of them new or changed", flush=True)
    failed = 0
    database = without_gcc_flags(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, findings in zip(stale, pool.map(lambda path: check(path, database), stale)):
            if findings:
                failed += 1
                print(findings, flush=True)
            else:
                stamps[path].touch()
    print(f"{failed} sources with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
