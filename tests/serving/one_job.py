"""A job that uses the server of a plan until it is told to stop: run as a process of its own by the tests."""

import sys
import time
from pathlib import Path

from holdcourse.serving.plan import ServerPlan
from holdcourse.serving.use import served

plan, told, stop = ServerPlan.from_json(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), Path(sys.argv[3])
with served(plan) as url:
    told.write_text(url)
    while not stop.exists():
        time.sleep(0.02)
