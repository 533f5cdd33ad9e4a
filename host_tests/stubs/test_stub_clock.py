"""The clock of a video: what a script measures does not depend on the PC."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import _asyncio_names
import _clock
import _host
import csi
import machine
import numpy as np
import pyb
import pytest
import sensor

_host.install()

pytestmark = pytest.mark.proof("stubs/**/*.py")
clock: Any = time


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    _clock.use(None)
    csi._host_pictures, csi._host_last_frame = [], None


def video(*parts: tuple[int, int]) -> _clock.VideoClock:
    """A camera in front of such videos, (number of frames, frames a second); the level of each frame is its number."""
    made = _clock.VideoClock([(count, Fraction(rate)) for count, rate in parts])
    _clock.use(made)
    total = sum(count for count, _ in parts)
    csi._host_pictures = [np.full((4, 4, 3), level, dtype=np.uint8) for level in range(total)]
    return made


def camera() -> csi.CSI:
    cam = csi.CSI()
    cam.pixformat(csi.GRAYSCALE)
    cam.framesize((4, 4))
    return cam


def seen(cam: csi.CSI) -> tuple[int, int]:
    """(number of the next frame, ticks_ms when the script has it)."""
    img = cam.snapshot()
    return img.bytearray()[0], clock.ticks_ms()


def test_each_frame_takes_its_time_however_long_the_pc_works() -> None:
    video((10, 25))
    cam = camera()
    assert [seen(cam) for _ in range(4)] == [(0, 40), (1, 80), (2, 120), (3, 160)]
    clock.ticks_us()
    assert seen(cam) == (4, 200)


def test_a_rate_that_is_no_whole_number_does_not_drift() -> None:
    _clock.use(made := _clock.VideoClock([(30001, Fraction(30000, 1001))]))
    for _ in range(30000):
        made.next_frame(0)
    assert made._now == 1001 * _clock.SECOND


def test_sleeping_past_frames_loses_them() -> None:
    video((40, 10))
    cam = camera()
    assert seen(cam) == (0, 100)
    clock.sleep_ms(450)
    assert seen(cam) == (4, 550)  # the newest that is there
    assert seen(cam) == (5, 600)  # the next one is waited for
    time.sleep(1)
    assert seen(cam) == (15, 1600)


def test_nothing_is_lost_before_the_first_frame() -> None:
    video((40, 10))
    cam = camera()
    clock.sleep_ms(2000)
    sensor.skip_frames(time=1000)
    cam.snapshot(time=1000)
    cam.snapshot(frames=5)
    assert seen(cam) == (0, 4600)


def test_skipped_frames_are_gone() -> None:
    video((40, 10))
    cam = camera()
    assert seen(cam) == (0, 100)
    cam.snapshot(frames=3)
    assert seen(cam) == (4, 500)
    cam.snapshot(time=1000)
    assert seen(cam) == (14, 1500)


def test_a_video_begins_again_and_its_time_goes_on() -> None:
    made = video((2, 10), (2, 5))
    cam = camera()
    assert not made.ended
    assert [seen(cam) for _ in range(4)] == [(0, 100), (1, 200), (2, 400), (3, 600)]
    assert made.ended
    assert [seen(cam) for _ in range(2)] == [(0, 700), (1, 800)]


def test_snapshot_without_blocking_returns_none_until_a_frame_is_there() -> None:
    video((5, 10))
    cam = camera()
    polled = 0
    for number in range(3):
        while (img := cam.snapshot(blocking=False)) is None:
            clock.sleep_ms(10)
            polled += 1
        assert img.bytearray()[0] == number
    assert 28 <= polled <= 30 and 300 <= clock.ticks_ms() < 302
    while cam.snapshot(blocking=False) is None:  # a loop that does not sleep ends, too
        pass
    assert clock.ticks_ms() == 400


def test_reading_the_clock_takes_ten_microseconds() -> None:
    video((5, 10))
    start = clock.ticks_us()
    while clock.ticks_diff(clock.ticks_us(), start) < 5000:
        pass
    assert clock.ticks_us() == start + 5010


def test_every_clock_of_the_camera_follows_the_video() -> None:
    video((50, 10))
    cam = camera()
    fps = clock.clock()
    epoch, rtc = time.time(), machine.RTC().datetime()
    for _ in range(20):
        fps.tick()
        cam.snapshot()
        rate = fps.fps()
    assert rate == pytest.approx(10, abs=0.01) and fps.avg() == pytest.approx(100, abs=6)
    assert time.time() - epoch == pytest.approx(2, abs=0.01)
    assert pyb.millis() == 2000 and pyb.elapsed_millis(1000) == 1000
    pyb.delay(500)
    machine.lightsleep(500)
    assert clock.ticks_ms() == 3000
    assert time.gmtime() == time.gmtime(time.time())
    assert rtc is not None and machine.RTC().datetime() != rtc


def test_timers_are_due_by_the_video() -> None:
    video((50, 10))
    cam = camera()
    calls: list[int] = []
    timer = machine.Timer(-1, period=250, callback=lambda t: calls.append(clock.ticks_ms()))
    for _ in range(10):
        cam.snapshot()
    timer.deinit()
    assert calls == [250, 500, 750, 1000]
    calls.clear()
    timer.init(period=10, callback=lambda t: calls.append(clock.ticks_ms()))
    time.sleep(0.055)
    clock.sleep_ms(45)
    timer.deinit()
    assert calls == list(range(1010, 1101, 10))


def test_other_threads_live_in_real_time() -> None:
    video((5, 10))
    timer = machine.Timer(-1, period=1, callback=lambda t: None)
    now = _clock.clock.now_ns()
    thread = threading.Thread(target=lambda: (clock.sleep_ms(20), time.sleep(0.01)))
    thread.start()
    thread.join(20)
    timer.deinit()
    assert not thread.is_alive() and _clock.clock.now_ns() - now < 1_000_000


def test_the_pcs_clock_is_back_afterwards() -> None:
    sleep, now = time.sleep, time.time
    video((5, 10))
    assert time.sleep is not sleep and time.time is not now
    _clock.use(None)
    assert time.sleep is sleep and time.time is now
    assert isinstance(_clock.clock, _clock.PcClock) and not isinstance(_clock.clock, _clock.VideoClock)
    assert camera().snapshot(frames=3) is None


# --- asyncio ---


@pytest.fixture
def names() -> Iterator[Any]:
    _asyncio_names.install()
    yield asyncio
    _asyncio_names.remove()
    gc.collect()


def test_tasks_wait_on_the_videos_time(names: Any) -> None:
    video((100, 10))
    cam, log = camera(), []

    async def blink() -> None:
        while True:
            log.append(clock.ticks_ms())
            await names.sleep_ms(250)

    async def main() -> None:
        names.create_task(blink())
        for _ in range(12):
            cam.snapshot()
            await names.sleep_ms(0)

    names.run(main())
    assert log == [100, 400, 700, 1000]


def test_a_wait_without_frames_takes_no_real_time(names: Any) -> None:
    video((5, 10))
    start, real = clock.ticks_ms(), time.monotonic()
    names.run(names.sleep(3600))
    assert 3600_000 <= clock.ticks_ms() - start < 3601_000 and time.monotonic() - real < 60


def test_a_wait_may_time_out(names: Any) -> None:
    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await names.wait_for_ms(names.sleep_ms(1000), 20)
        assert await names.wait_for_ms(names.sleep(0, "done"), 1000) == "done"

    names.run(main())


@pytest.mark.parametrize("of_a_video", [False, True])
def test_a_timer_sets_a_flag_that_a_task_waits_for(names: Any, of_a_video: bool) -> None:
    if of_a_video:
        video((5, 10))
    flag, times = names.ThreadSafeFlag(), []

    async def main() -> None:
        for _ in range(3):
            await flag.wait()
            times.append(clock.ticks_ms())

    timer = machine.Timer(-1, period=20, callback=lambda t: flag.set())
    names.run(main())
    timer.deinit()
    assert len(times) == 3 and clock.ticks_diff(times[2], times[0]) >= 20
    flag.set()
    flag.clear()
    assert not flag._event.is_set()


def test_tasks_may_be_made_before_the_loop_runs(names: Any) -> None:
    log = []

    async def add(what: str, count: int) -> None:
        for _ in range(count):
            log.append(what)
            await names.sleep_ms(1)

    loop = names.get_event_loop()
    names.create_task(add("task", 50))
    loop.run_until_complete(add("main", 2))
    assert log == ["task", "main", "task", "main"] or log == ["task", "main", "task", "main", "task"]
    count = len(log)
    names.run(names.sleep_ms(5))  # the task goes on
    assert len(log) > count
    assert names.new_event_loop() is names.get_event_loop() is not loop
    names.run(names.sleep_ms(5))
    assert len(log) < 50  # without the task of the old loop


def test_a_system_exit_in_a_task_ends_the_loop(names: Any) -> None:
    async def camera_task() -> None:
        raise SystemExit

    async def main() -> None:
        names.create_task(camera_task())
        while True:
            await names.sleep(1)

    with pytest.raises(SystemExit):
        names.run(main())


def test_asyncio_is_cpythons_again_afterwards() -> None:
    before = asyncio.run, asyncio.sleep
    _asyncio_names.install()
    assert hasattr(asyncio, "sleep_ms")
    _asyncio_names.remove()
    assert (asyncio.run, asyncio.sleep) == before and not hasattr(asyncio, "sleep_ms")
