"""The cache of compiled kernels is emptied when a source changed, and only then."""

import os
import shutil

from attop._core.compiled import discard_stale, kernel_sources


def test_cache_follows_the_sources(tmp_path):
    source = tmp_path / "kernel.py"
    source.write_text("x = 1\n")
    cache = tmp_path / "__pycache__"
    cache.mkdir()

    def fill():
        for name in ("kernel.f-1.py311.nbi", "kernel.f-1.py311.1.nbc", "kernel.cpython-311.pyc"):
            (cache / name).write_text("compiled")

    def kept():
        return {path.name for path in cache.iterdir()} - {"kernels.stamp"}

    fill()
    discard_stale(tmp_path, [source])  # nothing is known of what is there
    assert kept() == {"kernel.cpython-311.pyc"}
    fill()
    discard_stale(tmp_path, [source])
    assert len(kept()) == 3
    os.utime(source, ns=(1, 1))
    discard_stale(tmp_path, [source])
    assert kept() == {"kernel.cpython-311.pyc"}


def test_a_copied_package_keeps_its_cache(tmp_path):
    (tmp_path / "package" / "__pycache__").mkdir(parents=True)
    (tmp_path / "package" / "kernel.py").write_text("x = 1\n")
    discard_stale(tmp_path / "package", [tmp_path / "package" / "kernel.py"])
    (tmp_path / "package" / "__pycache__" / "kernel.f-1.py311.nbi").write_text("compiled")
    copy = shutil.copytree(tmp_path / "package", tmp_path / "copy")
    discard_stale(copy, [copy / "kernel.py"])
    assert (copy / "__pycache__" / "kernel.f-1.py311.nbi").exists()


def test_every_kernel_is_watched():
    names = {f"{path.parent.name}/{path.name}" for path in kernel_sources()}
    assert {"_kernels/k_largest.py", "_kernels/pap_at_k.py", "minibatch/_kernels.py"} <= names
