"""Groups of commands whose help says of each command its whole first sentence."""

import click

WHOLE = 1000  # letters: more than any sentence has


class Sentences(click.Group):
    """A group that cuts no sentence: a long one goes on in the next line, on a terminal of any width."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the name of each command and the first sentence of its help."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(WHOLE)) for name, command in commands if command is not None]
            )
