# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command-line tests share."""
import os
import subprocess
import tempfile
import unittest


class CliCase(unittest.TestCase):
    tool = None  # the path of the tool

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_tool(self, *words, code=0, env=None):
        """Runs the tool, asserts its exit code, returns (stdout, stderr)."""
        done = subprocess.run([self.tool, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, **(env or {})})
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done.stdout, done.stderr

    def assert_error(self, message, *words, code=1, env=None):
        """The tool fails with exactly one line, which holds `message`."""
        _, stderr = self.run_tool(*words, code=code, env=env)
        self.assertIn(message, stderr)
        name = os.path.basename(self.tool)
        self.assertTrue(stderr.startswith(name + ": error: "), stderr)
        self.assertEqual(stderr.count("\n"), 1, stderr)

    def assert_short_help(self):
        stdout, stderr = self.run_tool("--help")
        self.assertEqual(stderr, "")
        self.assertLessEqual(len(stdout.splitlines()), 60)
        self.assertLessEqual(max(map(len, stdout.splitlines())), 110)
        return stdout
