"""What a browser may do with an answer: the same headers on each of them, refusals too."""

from pathlib import Path

from tests.support.dashboards import dashboard

PLACES = ("/", "/api/runs", "/static/page.css", "/static/keys.js", "/runs/abc", "/nothing")


def test_every_answer_has_the_headers(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        answers = [client.get(path) for path in PLACES]
        answers += [client.get(path, {"Cookie": ""}) for path in PLACES]
        answers += [client.get("/", {"Host": "evil.example"}), client.send("PUT", "/")]
        answers += [client.get("/", {"X": "a" * 20_000})]
    assert {answer.status for answer in answers} == {200, 403, 404, 405, 421, 431}
    for answer in answers:
        assert answer.headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
            "require-trusted-types-for 'script'"
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers


def test_pages_have_no_script_and_no_style_within(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        for answer in (client.get("/"), client.get("/nothing"), client.get("/", {"Cookie": ""})):
            assert "<style" not in answer.text and "style=" not in answer.text
            assert "<script>" not in answer.text and "javascript:" not in answer.text
