"""Asking a server on loopback whether it is ready. No proxy and no redirect is followed."""

from __future__ import annotations

import http.client
import json

TIMEOUT_S = 3.0


def not_ready(host: str, port: int, health_path: str, models_path: str | None, model: str) -> str | None:
    """Why a server is not ready, or None if it is.

    Ready means that `health_path` answers 200 and that `models_path` lists the model, which a stranger on the
    same port, or a server that calls the model otherwise, would not do. None asks for no list.
    """
    status, _ = _get(host, port, health_path)
    if status != 200:
        return f"{health_path} answers {status or 'nothing'}"
    if models_path is None:
        return None
    status, body = _get(host, port, models_path)
    if status != 200:
        return f"{models_path} answers {status or 'nothing'}"
    names = _names(body)
    if model not in names:
        return f"{models_path} lists {', '.join(names) or 'no model'}, not {model}"
    return None


def _get(host: str, port: int, path: str) -> tuple[int | None, bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read(1_000_000)
    except (OSError, http.client.HTTPException):
        return None, b""
    finally:
        connection.close()


def _names(body: bytes) -> list[str]:
    try:
        listed = json.loads(body)
    except ValueError:
        return []
    entries = listed.get("data") if isinstance(listed, dict) else None
    return [str(entry.get("id")) for entry in entries or () if isinstance(entry, dict)]
