"""Asks one broker after the other until one answers: a frozen or cut-off one must not hold up what others can say."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from replication.ports.loop import Loop

SILENT_S = 3.0  # then the next one is asked, too
AnswerT = TypeVar("AnswerT")


def never(_error: Exception) -> bool:
    """No failure is final."""
    return False


async def first_answer(
    loop: Loop, asks: Iterable[Callable[[], Awaitable[AnswerT]]], is_final: Callable[[Exception], bool] = never
) -> AnswerT:
    """Return the first answer. The next one is asked when the last one has failed or is silent.

    Raises the last failure when all have failed, and a final one at once: the others would say the same.
    """
    heard, answers, failures = loop.signal(), list[AnswerT](), list[Exception]()

    async def run(ask: Callable[[], Awaitable[AnswerT]]) -> None:
        try:
            answers.append(await ask())
        except Exception as error:
            failures.append(error)
        heard.set()

    waiting, asked = iter(asks), 0
    while not answers:
        ask = next(waiting, None)
        if ask is not None:
            asked += 1
            loop.spawn(run(ask))
        elif len(failures) == asked:
            raise failures[-1]
        known = len(failures)
        await heard.wait(SILENT_S)
        if len(failures) > known and not answers and is_final(failures[-1]):
            raise failures[-1]
    return answers[0]
