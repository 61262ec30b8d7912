"""The catalogue's README against the catalogue."""

import re

from components.catalog.tables import DATA

README = (DATA.parent / "README.md").read_text(encoding="utf-8")
MAP = README.split("## Which file answers what")[1].split("##")[0]


def test_the_map_names_every_data_file() -> None:
    named = set(re.findall(r"`([a-z_]+)`", MAP))

    assert {path.stem for path in DATA.glob("*.csv")} <= named


def test_the_map_names_every_module() -> None:
    named = set(re.findall(r"`([a-z_]+)`", MAP))

    assert {path.stem for path in DATA.parent.glob("*.py")} - {"__init__", "names"} <= named


def test_the_example_runs() -> None:
    code = README.split("```python\n")[1].split("```")[0]

    exec(compile(code, "README", "exec"), {})  # noqa: S102  # the example is ours
