"""scripts/n6post_pc/studio/looks.py: what the page shows of a result. Most of it is tested through the workbench."""

from __future__ import annotations

import subprocess
import sys
import types

from n6post_pc.studio import looks


def test_classes_of_a_map_are_counted_as_such() -> None:
    for ids, text in (([1, 4], "2 classes in the frame"), ([1], "1 class in the frame")):
        assert looks.counted("map", type("Map", (), {"class_ids": lambda self, ids=ids: ids})()) == text
    assert looks.counted("classes", ["cat", "dog"]) == "2 best classes" and looks.counted("classes", [0]) == "1 best class"
    found = types.SimpleNamespace(verdict="changed", score=81.26, threshold=70.0)
    assert looks.counted("anomaly", found) == "Changed: score 81.3, threshold 70.0"
    found = types.SimpleNamespace(verdict=None, score=0.0, threshold=None)
    assert looks.counted("anomaly", found) == "No verdict: score 0.0, no threshold yet"
    assert (looks.counted("depth", None), looks.counted("vector", None)) == ("Distances", "A vector")


def test_the_module_needs_nothing_that_a_browser_has_not() -> None:
    """Neither numpy nor a package of the other commands: of those, the site's page has none."""
    code = f"import sys; sys.path[:0] = {sys.path!r}; import n6post_pc.studio.looks; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "n6post_pc.studio.controls" in loaded
    assert not {name for name in loaded if name.partition(".")[0] in ("rich", "PIL", "markdown_it", "starlette", "argparse")}
