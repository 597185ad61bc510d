"""The two ways in which a text can fail to be read."""


class GoYamlError(ValueError):
    """
    The controllers' YAML reader refuses the text.

    Attributes:
        problem: What is wrong, without the place.

        line: The line of the text, from 1; 0 where it is not known.

        column: The column, from 1; 0 where it is not known.
    """

    def __init__(self, problem: str, *, line: int = 0, column: int = 0) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + problem)


class TooLargeError(GoYamlError):
    """
    The text is larger than this reader undertakes to read.

    This says nothing about the controllers: no verdict follows from it.
    """


class ExcessiveAliasError(GoYamlError):
    """Aliases expand to more nodes than the controllers' reader allows."""


class IncompatibleVersionError(GoYamlError):
    """A ``%YAML`` directive names another version than 1.1, which other readers accept."""
