"""Results of levels too long for one sitting: stretches of seeds or shares, kept side by side and added up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Span:
    """
    What one stretch of a level came to.

    Attributes:
        first: Its first seed or share; *last* is part of it too.

        count: So many cases.

        met: In so many of them anything went wrong; 0 where that is all of them.

        tally: How often each kind of them came: the states that stories ended in, the disks under what was killed.
    """

    first: int
    last: int
    count: int
    violations: int
    commit: str
    date: str
    met: int = 0
    tally: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Span":
        """Return a span as it was written."""
        return cls(**document)

    def written(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def folded(spans: Sequence[Span], new: Span) -> list[Span]:
    """
    Return *spans* with *new*, in order.

    It takes the place of those that lie within it. Where it cuts into a longer one it is not kept, so that no result
    is lost to a shorter one; but a violation always is, and what it cuts into is no result any more.
    """
    apart = [span for span in spans if span.last < new.first or new.last < span.first]
    within = [span for span in spans if new.first <= span.first and span.last <= new.last]
    if len(apart) + len(within) < len(spans) and not new.violations:
        return list(spans)
    return sorted([*apart, new], key=lambda span: span.first)


def stretches(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return the first and the last of each stretch without a gap."""
    found: list[tuple[int, int]] = []
    for span in spans:
        if found and found[-1][1] + 1 == span.first:
            found[-1] = (found[-1][0], span.last)
        else:
            found.append((span.first, span.last))
    return found


def total(spans: Sequence[Span]) -> dict[str, Any]:
    """Return what all of them came to together, in the words of a result."""
    tally: Counter[str] = Counter()
    for span in spans:
        tally.update(span.tally)
    by_commit: Counter[str] = Counter()
    for span in spans:
        by_commit[span.commit] += span.count
    return {
        "date": max(span.date for span in spans),
        "commit": ", ".join(f"{commit} ({count})" for commit, count in by_commit.items()),
        "most": by_commit.most_common(1)[0][1],
        "first": spans[0].first,
        "span": sum(last - first + 1 for first, last in stretches(spans)),
        "where": " and ".join(f"{first} to {last}" for first, last in stretches(spans)),
        "count": sum(span.count for span in spans),
        "violations": sum(span.violations for span in spans),
        "met": sum(span.met for span in spans),
        "tally": ", ".join(f"{number} {name}" for name, number in tally.most_common()),
    }
