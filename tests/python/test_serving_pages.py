"""What the pages say about serving."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_says_what_is_a_proxys_work():
    for page in ("README.md", "bindings/serve/README.md"):
        text = " ".join((ROOT / page).read_text().split())
        assert re.search(r"TLS, authentication and gRPC are a proxy's work", text), page


def test_every_option_of_the_server_is_in_the_help_and_every_limit_on_its_page():
    source = (ROOT / "bindings/serve/command_serve.cpp").read_text()
    options = set(re.findall(r'"(--[a-z-]+)"', source))
    help_text = (ROOT / "bindings/serve/main.cpp").read_text()
    assert len(options) > 15
    assert [option for option in sorted(options) if f"{option}" not in help_text] == []
    page = (ROOT / "bindings/serve/README.md").read_text()
    limits = [o for o in options if o not in ("--host", "--port", "--name", "--threads")]
    assert [option for option in sorted(limits) if option not in page] == []
