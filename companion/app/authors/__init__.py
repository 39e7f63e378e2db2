"""For people who make games: `new-game` writes a package that works, `check-game` plays one and says what is wrong."""
