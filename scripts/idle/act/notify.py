"""Telling people: Slack-compatible webhooks whose address an environment variable holds, and e-mail. No address reaches any output."""

from __future__ import annotations

import os
import smtplib
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import httpx

from scripts.errors import Failed

SMTP = "GPUKIT_SMTP_URL"
"""`smtp://USER:PASSWORD@HOST:PORT` (STARTTLS when the server offers it) or `smtps://…`."""
SENDER = "GPUKIT_MAIL_FROM"
SECONDS = 15
LONGEST = 3000
"""Characters of a message: Slack cuts texts off at 4,000 (Slack, "Sending messages using incoming webhooks")."""


def tell(targets: Sequence[str], title: str, text: str, environment: Mapping[str, str] | None = None) -> list[str]:
    """Send to each of a stack file's `idle.notify`; gives what went wrong, one sentence a target."""
    environment = os.environ if environment is None else environment
    problems: list[str] = []
    for target in targets:
        try:
            if target.startswith("env:"):
                _post(target.removeprefix("env:"), title, text, environment)
            else:
                _mail(target, title, text, environment)
        except Failed as error:
            problems.append(str(error))
    return problems


def _post(name: str, title: str, text: str, environment: Mapping[str, str]) -> None:
    url = environment.get(name, "").strip()
    parts = urlsplit(url)
    loopback = parts.hostname in ("127.0.0.1", "localhost")
    if not url:
        raise Failed(f"nobody was told by webhook: the variable {name} is not set")
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
        raise Failed(f"nobody was told by webhook: {name} holds no https address")
    try:
        with httpx.Client(timeout=SECONDS, trust_env=not loopback) as client:
            answer = client.post(url, json={"text": f"*{_escaped(title)}*\n{_escaped(text)[:LONGEST]}"})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise Failed(f"nobody was told by the webhook of {name}: {type(error).__name__}") from None  # its text may hold the address
    if answer.status_code >= 300:
        raise Failed(f"nobody was told by the webhook of {name}: HTTP {answer.status_code}")


def _escaped(text: str) -> str:
    """Names come from clusters: they must not become links or mentions (Slack, "Formatting text": & < >)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _mail(address: str, title: str, text: str, environment: Mapping[str, str]) -> None:
    parts = urlsplit(environment.get(SMTP, ""))
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise Failed(f"{address} was not told: {SMTP} names no mail server (smtp://USER:PASSWORD@HOST:PORT)")
    message = EmailMessage()
    message["From"] = environment.get(SENDER) or f"gpukit@{parts.hostname}"
    message["To"] = address
    message["Subject"] = " ".join(title.split())
    message.set_content(text)
    try:
        kind = smtplib.SMTP_SSL if parts.scheme == "smtps" else smtplib.SMTP
        with kind(parts.hostname, parts.port or (465 if parts.scheme == "smtps" else 587), timeout=SECONDS) as server:
            if parts.scheme == "smtp" and server.has_extn("starttls"):
                server.starttls()
            if parts.username:
                server.login(unquote(parts.username), unquote(parts.password or ""))
            server.send_message(message)
    except (smtplib.SMTPException, OSError) as error:
        raise Failed(f"{address} was not told: the mail server of {SMTP} answered {type(error).__name__}") from None
