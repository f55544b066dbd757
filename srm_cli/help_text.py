"""Help of command groups, with the whole first sentence of each command: click cuts it where the line ends."""

import click

_WHOLE = 1_000


class CommandGroup(click.Group):
    """A group whose help wraps long sentences; its own groups do so too."""

    group_class = type

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, each.get_short_help_str(_WHOLE)) for name, each in found if each is not None and not each.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
