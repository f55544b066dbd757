from replication.config.tree.files import TREE_FORMATS
from replication.config.tree.properties import TREE_LEVELS
from srm_cli.control.config import FORMATS, LEVELS


def test_the_command_line_knows_the_formats_and_levels_of_properties() -> None:
    assert (FORMATS, LEVELS) == (TREE_FORMATS, TREE_LEVELS)
