"""The command that prices a study: without network, key or answer, and with what it refuses."""

import json
import subprocess
import sys

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.llm.cache import CacheEntry, ReplyCache
from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, Usage
from holdcourse.stages.cost import main

FLASH = "gemini/gemini-2.5-flash"


def test_the_papers_run_is_priced(tmp_path, capsys):
    file = tmp_path / "cost.json"
    main(["study=paper", f"out={file}", f"results={tmp_path}"])
    told = capsys.readouterr().out
    assert "unknown (at least" in told
    assert "no price is known for gemini/gemini-3.1-pro" in told
    mid = json.loads(file.read_text())["cases"]["mid"]
    # 5 seeds: 10 checkpoints of 3 arms and the first of one, 66 tasks, 3 trials.
    agent = next(row for row in mid["rows"] if (row["stage"], row["role"]) == ("evaluate", "agent"))
    assert agent["calls"] == pytest.approx(5 * 31 * 66 * 3 * 13.35, abs=1)
    assert mid["total"]["usd"] == "unknown"
    assert 1_000 < mid["total"]["usd_known_part"] < 10_000


def test_a_known_price_makes_a_known_sum(tmp_path, capsys):
    price = "+prices.models={gemini/gemini-3.1-pro: {prompt: 2.0, completion: 12.0}}"
    with pytest.raises(HoldcourseError):
        main(["study=paper", f"results={tmp_path}", price.replace("completion", "complition")])
    main(["study=paper", f"results={tmp_path}", price.removeprefix("+")])
    assert "unknown" not in capsys.readouterr().out


def test_an_offline_study_is_free(tmp_path, capsys):
    main(["study=smoke", f"results={tmp_path}"])
    told = capsys.readouterr().out
    assert "$0.00" in told
    assert "not estimated" in told


def test_what_is_in_the_cache_is_subtracted_and_said(tmp_path, capsys):
    cache = ReplyCache(tmp_path / "cache")
    for trial in range(3):
        request = ChatRequest("agent", FLASH, (ChatMessage("user", "hello"),), trial=trial)
        cache.put(CacheEntry.of(request, ChatReply("hi", (), "stop", Usage(1, 1), 0.0, 1.0)))
    cache.close()
    main(["study=paper", f"results={tmp_path}"])
    assert "subtracted: 3 calls" in capsys.readouterr().out


def test_looking_makes_no_cache(tmp_path):
    main(["study=paper", f"results={tmp_path}"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", ["study=papper", "protocol.batchs=3", "fast"])
def test_a_wrong_word_is_refused(word):
    with pytest.raises(HoldcourseError, match=r"papper|batchs|fast"):
        main([word])


def test_it_helps_and_refuses_like_a_program(tmp_path):
    def run(*words):
        command = [sys.executable, "-m", "holdcourse.stages.cost", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    helped, refused = run("--help"), run("study=none")
    assert helped.returncode == 0
    assert "out=cost.json" in helped.stdout
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: unknown study 'none'")


def test_it_loads_neither_litellm_nor_tau2(tmp_path):
    check = (
        "import sys; from holdcourse.stages.cost import main; "
        f"main(['study=paper', 'results={tmp_path}']); "
        "sys.exit(' '.join(name for name in ('litellm', 'tau2', 'torch') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
