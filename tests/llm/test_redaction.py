"""A key in the environment is found in whatever is written, in whatever spelling."""

from __future__ import annotations

import base64
import io
import json
import logging
import subprocess
import sys
from urllib.parse import quote

import pytest

from holdcourse.llm.redaction import RedactingFilter, install, redact, secret_names

KEY = 'pl"anted/Zq7+wN3x=V9 é'


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "WANDB_API_KEY",
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "CLIENT_SECRET",
        "X_APIKEY",
    ],
)
def test_a_name_gives_a_secret_away(name, monkeypatch):
    monkeypatch.setenv(name, "s3cret-value")
    assert name in secret_names()
    assert redact("say s3cret-value!") == f"say [{name} redacted]!"


@pytest.mark.parametrize("name", ["HOME", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD_LAYOUT"])
def test_other_names_do_not(name, monkeypatch):
    monkeypatch.setenv(name, "ordinary-value")
    assert redact("an ordinary-value") == "an ordinary-value"


def test_a_short_value_is_no_secret(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert redact("none of it") == "none of it"


@pytest.mark.parametrize(
    "spelled",
    [
        KEY,
        json.dumps({"key": KEY}),
        json.dumps({"key": KEY}, ensure_ascii=False),
        repr({"key": KEY}),
        f"https://host/?key={quote(KEY, safe='')}",
        f"Basic {base64.b64encode(KEY.encode()).decode()}",
    ],
)
def test_a_key_is_found_as_it_is_spelled_elsewhere(spelled):
    clean = redact(spelled)
    assert "[GEMINI_API_KEY redacted]" in clean
    assert "anted" not in clean


def test_the_longer_of_two_secrets_goes_first(monkeypatch):
    monkeypatch.setenv("A_TOKEN", "abcdefgh")
    monkeypatch.setenv("B_TOKEN", "abcdefgh-ijkl")
    assert redact("abcdefgh-ijkl abcdefgh") == "[B_TOKEN redacted] [A_TOKEN redacted]"


@pytest.mark.parametrize(
    "text", ["sk-" + "a1B2" * 8, "AIza" + "x" * 35, "Authorization: Bearer abc.def.ghi-jkl"]
)
def test_well_known_shapes_are_found_without_a_name(text):
    assert "[key redacted]" in redact(text)


@pytest.fixture
def logged():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("test_redaction")
    logger.addHandler(handler)
    install([handler])
    install([handler])
    assert sum(isinstance(found, RedactingFilter) for found in handler.filters) == 1
    yield logger, stream
    logger.removeHandler(handler)


def test_log_records_are_clean_with_arguments_and_exceptions(logged):
    logger, stream = logged
    logger.error("key %s of %d", KEY, 1)
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError:
        logger.exception("failed with %(key)s", {"key": KEY})
    logger.error("does not fit %s %s", KEY)
    text = stream.getvalue()
    assert "anted" not in text
    assert "key [GEMINI_API_KEY redacted] of 1" in text
    assert "ValueError: bad key [GEMINI_API_KEY redacted]" in text


@pytest.mark.parametrize("where", ["main", "thread"])
def test_uncaught_exceptions_are_clean(where):
    program = (
        "import os, threading\n"
        "from holdcourse.llm.redaction import install\n"
        "install()\n"
        "def fail(): raise ValueError('bad key ' + os.environ['GEMINI_API_KEY'])\n"
    )
    program += "fail()\n" if where == "main" else "t = threading.Thread(target=fail); t.start(); t.join()\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ValueError: bad key [GEMINI_API_KEY redacted]" in done.stderr
    assert "anted" not in done.stderr + done.stdout
