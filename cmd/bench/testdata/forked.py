"""Stands in for python3 where a test runs main.py once a case: PyTorch is imported once, for which a processor takes more than a second.

"forked.py SOCKET" imports it, says "ready", and runs what it is asked for at the socket, each in a copy of itself.
"forked.py SOCKET -B PROGRAM ARGUMENT..." asks it to run a program with this process's input and output, and ends as the program does.
"""

import os
import runpy
import signal
import socket
import sys
import traceback


def serve(listener):
    import numpy  # noqa: F401
    import torch  # noqa: F401

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the copies
    listener.listen()
    print("ready", flush=True)
    while True:
        caller, _ = listener.accept()
        asked, files, _, _ = socket.recv_fds(caller, 1 << 16, 3)
        if os.fork() == 0:
            for standard, file in enumerate(files):
                os.dup2(file, standard)
                os.close(file)
            caller.sendall(bytes([run(asked.decode().split("\0"))]))
            os._exit(0)
        for file in files:
            os.close(file)
        caller.close()


def run(arguments):
    """The exit status of a program."""
    sys.argv, sys.path[0] = arguments, os.path.dirname(arguments[0])
    try:
        runpy.run_path(arguments[0], run_name="__main__")
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
    return 0


def ask(server, arguments):
    socket.send_fds(server, ["\0".join(arguments).encode()], [0, 1, 2])
    status = server.recv(1)
    return status[0] if status else 1


with socket.socket(socket.AF_UNIX) as at:
    if len(sys.argv) == 2:
        at.bind(sys.argv[1])
        serve(at)
    at.connect(sys.argv[1])
    sys.exit(ask(at, sys.argv[3:]))
