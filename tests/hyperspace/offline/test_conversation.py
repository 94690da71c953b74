from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec
from hyperspace.offline.conversation import draw_seed, output, read

CALL = (ToolCall("call_0", "bash", "{}"),)


def request(*messages: Message, seed: int | None = 5) -> ChatRequest:
    return ChatRequest("offline", messages, (ToolSpec("bash", "runs", {}),), seed=seed)


def test_results_belong_to_the_turns_that_asked_for_them() -> None:
    conversation = read(
        request(
            Message("system", "be brief"),
            Message("user", "Modify any part of the code at `/workspace`."),
            Message("assistant", "first", CALL),
            Message("tool", "one", tool_call_id="call_0"),
            Message("assistant", "second", CALL),
            Message("tool", "two", tool_call_id="call_0"),
            Message("tool", "three", tool_call_id="call_1"),
        )
    )
    assert conversation.results == ("one", "two\nthree")
    assert (conversation.code_path, conversation.tools, conversation.seed) == (
        "/workspace",
        {"bash"},
        5,
    )


def test_an_answer_without_calls_ends_what_went_before() -> None:
    conversation = read(
        request(
            Message("user", "Modify any part of the code at `/a`."),
            Message("assistant", "look", CALL),
            Message("tool", "old"),
            Message("assistant", "done"),
            Message("user", "Now modify the code at `/b`."),
        )
    )
    assert (conversation.code_path, conversation.results) == ("/b", ())


def test_the_folder_of_the_process_sandbox_is_found() -> None:
    assert read(request(Message("user", "Modify any part of the code at `.`."))).code_path == "."


def test_a_question_names_no_code() -> None:
    conversation = read(request(Message("user", "What is 2 + 2?"), seed=None))
    assert (conversation.code_path, conversation.seed) == (None, 0)


def test_an_empty_request_is_no_error() -> None:
    assert read(request()).instruction == ""


def test_the_line_about_the_exit_code_is_no_output() -> None:
    assert output("a\nb\n[exit code 0]") == "a\nb"
    assert output("[exit code 1]") == ""
    assert output("a [exit code 0] b") == "a [exit code 0] b"


def test_a_drawn_seed_depends_on_every_part_and_on_nothing_else() -> None:
    assert draw_seed("a", 1) == draw_seed("a", 1)
    assert len({draw_seed("a", 1), draw_seed("a", 2), draw_seed("a1"), draw_seed("b", 1)}) == 4
