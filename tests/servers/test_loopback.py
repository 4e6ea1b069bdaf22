"""The servers of the tests do what their scripts say, over real sockets."""

import http.client
import time

import pytest

from tests.servers.loopback import Answer
from tests.servers.openai_format import completion, error, key_refused
from tests.servers.scripted import Scripted


def post(server, body=b"{}", headers=None, timeout=5.0):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        connection.request("POST", "/v1/chat/completions", body, headers or {})
        response = connection.getresponse()
        return response.status, response.read(), dict(response.getheaders())
    finally:
        connection.close()


def test_acts_are_played_in_order_and_the_last_for_ever():
    with Scripted(error(429, "slow", headers={"Retry-After": "2"}), error(500, "no"), Answer()) as server:
        assert [post(server)[0] for _ in range(4)] == [429, 500, 200, 200]
        assert server.calls == 4


def test_retry_after_is_sent():
    with Scripted(error(429, "slow", headers={"Retry-After": "2"})) as server:
        assert post(server)[2]["Retry-After"] == "2"


def test_a_hang_is_longer_than_the_clients_patience():
    with Scripted(completion(delay_s=5.0)) as server, pytest.raises(TimeoutError):
        post(server, timeout=0.1)


def test_a_drip_arrives_whole_however_short_the_patience_for_one_byte():
    with Scripted(Answer(body=b"0123456789", drip_s=0.05)) as server:
        started = time.monotonic()
        assert post(server, timeout=0.4)[1] == b"0123456789"
        assert time.monotonic() - started >= 0.45


def test_closing_the_server_ends_its_hangs():
    started = time.monotonic()
    with Scripted(completion(delay_s=30.0)) as server, pytest.raises(TimeoutError):
        post(server, timeout=0.1)
    assert time.monotonic() - started < 20


def test_a_cut_connection_is_reset():
    with Scripted(Answer(cut_after=0)) as server, pytest.raises(ConnectionError):
        post(server)


def test_an_answer_cut_half_way_is_incomplete():
    broken = (http.client.IncompleteRead, ConnectionError)
    with Scripted(completion(cut_after=10)) as server, pytest.raises(broken):
        post(server)


def test_a_connection_is_kept_for_the_next_request():
    with Scripted(completion()) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        for _ in range(3):
            connection.request("POST", "/v1/chat/completions", b"{}")
            assert connection.getresponse().read()
        connection.close()
        assert server.calls == 3


def test_a_refused_key_is_quoted():
    with Scripted(key_refused) as server:
        status, body, _ = post(server, headers={"Authorization": "Bearer planted-key"})
        assert (status, b"planted-key" in body) == (401, True)
