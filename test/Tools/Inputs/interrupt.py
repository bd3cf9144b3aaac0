# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and sends it Ctrl-C as soon as a file has a line, and
prints its status: interrupt.py FILE COMMAND..."""

import pathlib
import signal
import subprocess
import sys
import time

file, *command = sys.argv[1:]
process = subprocess.Popen(command)
while process.poll() is None:
    if pathlib.Path(file).is_file() and pathlib.Path(file).stat().st_size:
        process.send_signal(signal.SIGINT)
        break
    time.sleep(0.001)
print("status", process.wait())
