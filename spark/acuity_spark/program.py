"""The program `acuity` on whatever machine a task runs."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

# Exit codes of the program.
DONE, BAR_NOT_MET, USAGE, UNREADABLE, INTERNAL, UNWRITABLE = 0, 1, 2, 3, 70, 74


@dataclass(frozen=True)
class Program:
    """Where the program is: a path, the name of a file sent with `--files`, or a name on PATH."""

    name: str = "acuity"
    timeout: int = 6 * 3600

    def path(self):
        if os.path.sep in self.name and os.access(self.name, os.X_OK):
            return self.name
        base = os.path.basename(self.name)
        try:
            from pyspark import SparkFiles

            sent = SparkFiles.get(base)
        except Exception:  # There is no Spark here, or no context.
            sent = ""
        if sent and os.path.isfile(sent):
            if not os.access(sent, os.X_OK):
                os.chmod(sent, 0o755)
            return sent
        # The wheel puts it beside the interpreter, which need not be on PATH.
        found = shutil.which(base) or shutil.which(base, path=os.path.dirname(sys.executable))
        if found is None:
            raise FileNotFoundError(f"{self.name}: install the wheel, name it with --binary, or send it with --files")
        return found

    def run(self, *arguments, folder=None):
        """Runs the program; gives its exit code and what it said on standard error. One that hangs is ended."""
        try:
            done = subprocess.run(
                [self.path(), *map(str, arguments)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=self.timeout,
            )
        except subprocess.TimeoutExpired:
            return INTERNAL, f"ended after {self.timeout} seconds"
        return done.returncode, done.stderr.decode("utf-8", "replace")[-2000:]

    def version(self):
        """The name and version of the program."""
        done = subprocess.run([self.path(), "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        return done.stdout.decode("utf-8", "replace").strip()
