import httpx
import pytest

from scripts.catalog.refresh.polling import ATTEMPTS, LONGEST_WAIT_S, Api
from scripts.errors import Failed

from .server import Answer


def scripted(*answers: Answer):
    """Gives the answers in turn, the last one for ever."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def test_an_answer_is_a_json_object(serve, api) -> None:
    assert api().get(serve(scripted(Answer({"Items": []})))) == {"Items": []}


def test_it_waits_as_long_as_the_server_asks_and_tries_again(serve, api) -> None:
    waits: list[float] = []
    url = serve(scripted(Answer("", 429, {"retry-after": "7"}), Answer("", 503), Answer({"ok": True})))

    assert api(waits).get(url) == {"ok": True}
    assert waits == [7.0, 2.0]


@pytest.mark.parametrize(("asked", "waited"), [("86400", LONGEST_WAIT_S), ("-5", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 1.0)])
def test_no_server_makes_it_wait_for_ever(serve, api, asked: str, waited: float) -> None:
    waits: list[float] = []
    api(waits).get(serve(scripted(Answer("", 429, {"retry-after": asked}), Answer({}))))

    assert waits == [waited]


def test_it_gives_up_on_a_server_that_stays_busy(serve, api) -> None:
    waits: list[float] = []

    with pytest.raises(Failed, match=f"answered 429 {ATTEMPTS} times.*Nothing was written"):
        api(waits).get(serve(scripted(Answer("", 429))))
    assert len(waits) == ATTEMPTS - 1


def test_it_tries_again_when_nobody_answers(api) -> None:
    waits: list[float] = []

    with pytest.raises(Failed, match="ConnectError"):
        api(waits).get("http://127.0.0.1:1/")
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer({"error": {"message": "key\nexpired"}}, 401), "have expired or are wrong"),
        (
            Answer({"error": {"message": "Cloud Billing API has not\nbeen used"}}, 403),
            r"denies access: Cloud Billing API has not been used\. It needs a right\.",
        ),
        (Answer("<html>", 403), "denies access: Forbidden"),
        (Answer({"error": {"message": "bad filter"}}, 400), "answered 400: bad filter"),
        (Answer("<html>sign in</html>"), "is no JSON"),
        (Answer("[1, 2]"), "no JSON object"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_paragraph(serve, api, answer: Answer, said: str) -> None:
    with pytest.raises(Failed, match=said) as caught:
        api(permission="a right").get(serve(scripted(answer)))
    assert "\n" not in str(caught.value)


def test_a_slow_server_is_a_failure_not_a_hang() -> None:
    def never(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow", request=request)

    waits: list[float] = []
    with httpx.Client(transport=httpx.MockTransport(never)) as client, pytest.raises(Failed, match="ReadTimeout"):
        Api(name="The price list", client=client, sleep=waits.append).get("http://127.0.0.1/")
