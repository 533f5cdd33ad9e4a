"""Write docs/studio.jpg, the picture of n6post studio on the pages.

    .venv/bin/python scripts/dev/recording/record_studio.py

It opens the page with the sample network in the installed Chromium or Chrome, and moves a slider.
"""

import io
import sys
import tempfile
from pathlib import Path

import recorder
from n6post_pc import paths
from PIL import Image

SIZE = (1180, 860)  # of the window, in pixels


def record() -> None:
    paths.use_stand_ins()
    sys.path.insert(0, str(recorder.ROOT / "host_tests"))
    import browser
    from n6post_pc.studio.server import Server
    from n6post_pc.studio.workbench import Workbench

    with tempfile.TemporaryDirectory() as folder, browser.opened() as chromium:
        bench = Workbench(Path(folder))
        bench.add_siblings(bench.add_model(paths.SAMPLE_MODEL))
        for path in sorted(paths.SAMPLE_PICTURES.glob("*.jpg")):
            bench.add_source(path)
        server = Server(bench)
        page = browser.page_of(chromium, SIZE, [])
        page.goto(server.address)
        page.wait_for_selector("body[aria-busy=false]")
        page.locator("#threshold0").fill("0.34")
        page.locator(".rows tr").nth(5).wait_for()
        page.locator("h1").click()  # takes the focus from the slider
        shot = Image.open(io.BytesIO(page.screenshot()))
        server.close()
    target = recorder.ROOT / "docs" / "studio.jpg"
    shot.convert("RGB").save(target, quality=85, optimize=True)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    recorder.main(record)
