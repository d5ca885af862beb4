"""First fits: processor seconds of compiling, for every learner in a fresh process with an empty cache.

python -m benchmarks.cold [LEARNER ...] [--source SRC]

Each is divided by what two small kernels take in the same run: one of three lines, and one that calls
np.argsort. What is measured is `fit` on 200 rows and 4 features, after all imports; of FactorRanker on 200
users and 40 items.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LEARNERS = (
    *("AATP", "BundleRanker", "GDPApK", "GDRanker", "InfinitePush", "OnePMB", "PatMat", "PerceptronAtK"),
    *("PNormPush", "ROCSVM", "SGDAtK", "SVMPAUC", "SVMPerf", "SoftTop", "TopPush"),
    *("FactorRanker softmax", "FactorRanker softmax@k"),
)

KERNELS = """
import time
import numba, numpy as np
numba.njit(lambda x: x + 1)(1)
x = np.ones(3)

@numba.njit
def add(x):
    total = 0.0
    for value in x:
        total += value
    return total

@numba.njit
def sort(x):
    return np.argsort(x)

start = time.process_time()
add(x)
sort(x)
print(time.process_time() - start)
"""

FIT = """
import sys, time, warnings
import attop, numba, numpy as np, sklearn.linear_model, sklearn.model_selection
warnings.simplefilter("ignore")
numba.njit(lambda x: x + 1)(1)
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
y = X[:, 0] + rng.normal(size=200) > 1
name, *surrogate = sys.argv[1].split()
model = getattr(attop, name)(*surrogate)
if surrogate:
    X = np.argwhere(rng.normal(size=(200, 40)) > 1)
if "top" in model.get_params():
    model.set_params(top=10)
times = []
for _ in range(2):
    start = time.process_time()
    model.fit(X, y)
    times.append(time.process_time() - start)
print(*times)
"""


def run(code, source, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": folder}
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    return [float(number) for number in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learners", nargs="*", default=LEARNERS)
    parser.add_argument("--source", default=Path(__file__).parents[1] / "src", help="folder of the package")
    options = parser.parse_args()
    (unit,) = run(KERNELS, options.source)
    print(f"two small kernels: {unit:.1f} s")
    print("| learner | first fit, s | second, s | first : two kernels |\n| --- | --- | --- | --- |")
    for name in options.learners:
        first, second = run(FIT, options.source, name)
        print(f"| {name} | {first:.1f} | {second:.2f} | {first / unit:.1f} |", flush=True)


if __name__ == "__main__":
    main()
