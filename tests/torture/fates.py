"""What a seed decides before anything has happened: the cluster, its pace, and how much goes wrong."""

import random
from collections.abc import Mapping
from typing import Final

from migrate.commands.windows import WindowFlags
from tests.torture.bases import Story

FORCED: Final = ("force-custom-plugins-configmap=the metering plugin comes back in the Praxis shape",)
STORIES: Final = (
    Story(example="default"),
    Story(example="customised", accept=FORCED),
    Story(example="response-translation"),
    Story(example="default", translation=("true",)),
    Story(example="default", more=6),
    Story(example="customised", accept=FORCED, more=17),
)
JOURNEYS: Final = (Story(example="customised", accept=FORCED, version="3.5"), Story(example="default", version="3.5"))
LARGE: Final = Story(example="default", more=2000)
SIZES: Final[Mapping[float, Story]] = {
    0.0005: LARGE,
    0.003: Story(example="default", more=200),
    0.01: Story(example="customised", accept=FORCED, more=60),
}
"""One story in a hundred has more subscriptions than a page of a list, up to two thousand; the keys add up to that."""

OPEN: Final = WindowFlags(window="now+300m")
WIDE: Final = WindowFlags(window="now+20h")


class Fate:
    """
    What a seed decides, and the chances that it has left.

    Attributes:
        speed: Divides the delays of the played controllers.

        rate: The chance that a place of a run has a fault; eight times that where a write is on its way.

        most: So many faults, and no more.

        is_calm: Whether nothing goes wrong by itself either.
    """

    def __init__(self, seed: int, story: Story | None = None) -> None:
        self.seed = seed
        self.is_calm = False
        self.rng = random.Random(f"torture-{seed}")
        self.story = story or self._story()
        self.speed = self.rng.choice((1.0, 5.0, 10.0, 10.0, 10.0, 10.0, 50.0, 50.0))
        self.rate = self.rng.choice((0.0, 0.002, 0.005, 0.01, 0.03))
        self.most = self.rng.randint(0, 5)

    @classmethod
    def undisturbed(cls, like: "Fate") -> "Fate":
        """Return the fate of a story in which nothing goes wrong, on the cluster of another."""
        made = cls(like.seed, like.story)
        made.speed, made.rate, made.most, made.is_calm = like.speed, 0.0, 0, True
        return made

    def _story(self) -> Story:
        chance = self.rng.random()
        for below, story in SIZES.items():
            if chance < below:
                return story
        return self.rng.choice(JOURNEYS if chance < 0.12 else STORIES)
