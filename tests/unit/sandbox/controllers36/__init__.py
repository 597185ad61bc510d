"""The played 3.6 controllers and the operator's upgrade."""
