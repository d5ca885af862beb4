"""Methods that do what no method should; and one that does nothing wrong."""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from attop_bench.data import base
from attop_bench.run import record


class Fine(ClassifierMixin, BaseEstimator):
    """The difference of the class means."""

    def fit(self, X, y):
        self.direction_ = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X @ self.direction_


class Patient(Fine):
    """Takes `seconds`, with `megabytes` in use."""

    def __init__(self, seconds=0.0, megabytes=0):
        self.seconds = seconds
        self.megabytes = megabytes

    def fit(self, X, y):
        ballast = np.empty(self.megabytes * 131072)
        ballast.fill(1.0)
        time.sleep(self.seconds)
        return super().fit(X, y)


class Counted(Fine):
    """Adds its parameter to the file ``COUNTED`` with each fit, and waits at fit ``COUNTED_WAITS``."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        path = Path(os.environ["COUNTED"])
        with path.open("a") as file:
            file.write(f"{self.shift}\n")
        if len(path.read_text().splitlines()) == int(os.environ.get("COUNTED_WAITS", "0")):
            time.sleep(600)
        super().fit(X, y)
        self.direction_ = self.direction_ + self.shift
        return self


class ForksAndExits(Fine):
    """Leaves a child by the way that leads back to the job."""

    def fit(self, X, y):
        if not (child := os.fork()):
            sys.exit("the child is done")
        os.waitpid(child, 0)
        return super().fit(X, y)


class Raises(Fine):
    def fit(self, X, y):
        raise RuntimeError("no wish to learn")


class LoopsForEver(Fine):
    def fit(self, X, y):
        while True:
            pass


class IgnoresAlarms(Fine):
    """Does not return to Python, as compiled code may not; nor would a loop that handles every exception."""

    def fit(self, X, y):
        ctypes.PyDLL(None).pause()
        while True:
            with contextlib.suppress(BaseException):
                time.sleep(60)


class EatsMemory(Fine):
    def fit(self, X, y):
        self.eaten = []
        while True:
            self.eaten.append(np.ones(1 << 20))


class ChildrenEatMemory(Fine):
    def fit(self, X, y):
        program = "x = [b'1' * (1 << 27)] * 1; y = bytearray(b'1') * (1 << 30); import time; time.sleep(60)"
        subprocess.run([sys.executable, "-c", program])
        return super().fit(X, y)


class OutOfMemory(Fine):
    def fit(self, X, y):
        np.ones(1 << 50)


class NaNScores(Fine):
    def decision_function(self, X):
        return np.full(len(X), np.nan)


class NaNWeights(Fine):
    def fit(self, X, y):
        self.coef_ = np.full(X.shape[1], np.inf)
        return super().fit(X, y)


class WrongLength(Fine):
    def decision_function(self, X):
        return np.zeros(len(X) - 1)


class PrintsMegabytes(Fine):
    def fit(self, X, y):
        os.write(1, b"first words\n")
        for _ in range(80):
            os.write(1, b"x" * (1 << 20))
        print("last words")
        return super().fit(X, y)


class CallsExit(Fine):
    def fit(self, X, y):
        sys.exit(0)


class ExitsAtOnce(Fine):
    def fit(self, X, y):
        os._exit(0)


class Crashes(Fine):
    def fit(self, X, y):
        ctypes.string_at(0)


class LeavesChildren(Fine):
    """Its children hold on to its output, and the eldest to a session of its own."""

    def fit(self, X, y):
        for new_session in (True, False):
            program = f"import time; time.sleep(600)  # left by {os.getpid()}"
            subprocess.Popen([sys.executable, "-c", program], start_new_session=new_session)
        return super().fit(X, y)


class Undecided(Fine):
    """Draws from the generators of the process."""

    def decision_function(self, X):
        return np.random.random(len(X))  # noqa: NPY002


class ChangesDirectory(Fine):
    def fit(self, X, y):
        os.chdir("/")
        return super().fit(X, y)


class OddAttributes(Fine):
    """Names that attop's estimators have, with values that are no JSON."""

    def fit(self, X, y):
        self.objective_, self.n_iter_, self.status_ = 1j, object(), print
        return super().fit(X, y)


class LoneSurrogate(Fine):
    def fit(self, X, y):
        raise RuntimeError("a name with \ud800 in it")


class SpeechlessError(Exception):
    def __str__(self):
        raise ValueError("no words")


class Speechless(Fine):
    def fit(self, X, y):
        raise SpeechlessError


class WritesEverywhere(Fine):
    """Says that it is done to whoever listens."""

    def fit(self, X, y):
        for number in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(number, b"done")
        raise RuntimeError("after writing")


class LimitsFiles(Fine):
    def fit(self, X, y):
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        return super().fit(X, y)


class KillsItself(Fine):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class WritesNoRecord(Fine):
    def fit(self, X, y):
        record.Record.write = lambda *results: None
        return super().fit(X, y)


class WritesAnotherRecord(Fine):
    def fit(self, X, y):
        record.write_json = lambda path, content: Path(path).write_text('{"status": "glorious"}')
        return super().fit(X, y)


class WritesOtherScores(Fine):
    def fit(self, X, y):
        base.save_arrays = lambda path, *arrays: Path(path).write_text("scores")
        return super().fit(X, y)


class TerminatesItself(Fine):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGTERM)


class KilledOnce(Fine):
    """As if by hand, in the first of all training jobs."""

    def fit(self, X, y):
        with contextlib.suppress(FileExistsError):
            if len(X) > 60:  # no rehearsal
                os.mkdir(os.environ["KILLED_ONCE"])
                os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class KillsItsParent(Fine):
    def fit(self, X, y):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)


class ChangesFeatures(Fine):
    """Scores well, and leaves nothing of what it was given."""

    def fit(self, X, y):
        super().fit(X, y)
        X[:] = 0
        y[:] = 0
        return self

    def decision_function(self, X):
        scores = X @ self.direction_
        X[:] = 0
        return scores
