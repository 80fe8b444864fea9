"""The report: what the page says of a run, one sentence for every wrong input, and the page in a real browser (chromium)."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner, Result
from deepcrew.cli import cli
from deepcrew.report.charts import SHAPES, Dot, Point, Row, Scale, dot_chart, pages, scatter
from deepcrew.report.page import choose, hard_deal, report_html, write_page
from deepcrew.solver.audit import CardAudit, write_table
from deepcrew.solver.cases import position_from_case
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load
from deepcrew.solver.missions import find_missions
from deepcrew.solver.rates import Rate
from deepcrew.solver.runs import Cell, Run, carry_out, open_run, start_run
from deepcrew.solver.show import percent
from deepcrew.solver.verdicts import solve
from selenium import webdriver

COMMAND = "deepcrew rate planet-nine/1 --out runs/<b>&test"


def load(name: str) -> Load:
    (mission,) = find_missions(name)
    return Load.of(mission)


def cells() -> list[Cell]:
    found = [Cell(load(f"planet-nine/{number}"), 4, draft, deals=40) for number in (1, 2, 3, 5, 10) for draft in ("best", "random")]
    found += [Cell(load("planet-nine/34"), 5, "random", deals=40, distress="any"), Cell(load("deep-sea/3"), 4, deals=40)]
    return found + [Cell(Load(game="deep-sea", difficulty=number, distribution="free"), 3, "random", deals=40) for number in (2, 5, 9)]


def run(*args: str) -> Result:
    result = CliRunner().invoke(cli, ["report", *args], env={"DEEPCREW_DEBUG": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(*args: str) -> str:
    result = run(*args)
    assert result.exit_code == 2
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1
    assert "Traceback" not in result.stderr
    return errors[0]


def audited(card: str, players: int, printed: int, share: float, off: float) -> CardAudit:
    values: dict[str, Any] = dict.fromkeys(CardAudit.__dataclass_fields__)
    values |= {"card": card, "group": "tricks", "players": players, "printed": printed, "deals": 50, "by": "random", "effort": 1.0}
    values |= dict.fromkeys(("random", "random_low", "random_high", "best", "best_low", "best_high", "every", "every_low"), share)
    return CardAudit(**(values | {"every_high": share, "tightness_deals": 0, "redealt": 0, "expected": share - off, "off": off, "like": 2}))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of missions, difficulties and a distress signal."""
    found = start_run(tmp_path_factory.mktemp("runs") / "try", cells(), command=COMMAND)
    carry_out(found, workers=1)
    return open_run(found.path)


@pytest.fixture(scope="module")
def audit_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "audit.parquet"
    names = ("zero_tricks", "win_all_9s", "first_trick", "win_S3", "exactly_two_B")
    rows = [audited(name, players, 1 + at, 0.9 - 0.1 * at, 0.3 - 0.15 * at) for players in (3, 4) for at, name in enumerate(names)]
    write_table(rows, path, "parquet")
    return path


@pytest.fixture(scope="module")
def page(made: Run, audit_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, made by the command."""
    path = tmp_path_factory.mktemp("page") / "out.html"
    result = run(str(made.path), "--html", str(path), "--audit", str(audit_file))
    assert result.exit_code == 0
    assert result.stdout == ""
    return path


class _Page(HTMLParser):
    """The tables of a page by their id, and whatever names an address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self._table, self._cell = "", False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [given[name] or "" for name in ("src", "href", "action", "data", "srcset") if name in given]
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag == "div" and given.get("class") == "table":
            self._table = given.get("id") or ""
            self.tables[self._table] = []
        if tag == "tr" and self._table:
            self.tables[self._table].append([])
        if tag in ("td", "th") and self._table:
            self.tables[self._table][-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False
        if tag == "table":
            self._table = ""

    def handle_data(self, data: str) -> None:
        if self._cell and self._table:
            self.tables[self._table][-1][-1] += data.strip()


def rows(page: str, table: str) -> list[dict[str, str]]:
    head, *body = _Page(page).tables[table]
    return [dict(zip(head, row, strict=True)) for row in body]


# --- what the page says ---


def test_the_page_is_alone_in_the_world(page: Path) -> None:
    text = page.read_text("utf-8")
    found = _Page(text)
    assert all(address.startswith("#") or address == "data:," for address in found.addresses)
    assert {address[1:] for address in found.addresses if address.startswith("#")} <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))
    assert not re.search(r"https?://|url\(|@import", text)
    assert "default-src 'none'" in text


def test_every_cell_is_in_the_table_with_its_rate(page: Path, made: Run) -> None:
    found = rows(page.read_text("utf-8"), "cells")
    rates = made.rates()
    assert len(found) == len(rates) == len(cells())
    for row, rate in zip(found, rates, strict=True):
        assert rate.rate is not None
        assert (row["players"], row["draft"], row["deals"]) == (str(rate.players), rate.draft, "40")
        assert (row["winnable"], row["low"], row["high"]) == (percent(rate.rate), percent(rate.low), percent(rate.high))
        assert (row["won"], row["lost"], row["undecided"]) == (str(rate.winnable), str(rate.unwinnable), "0")


def test_every_rate_has_a_dot_that_says_it(page: Path, made: Run) -> None:
    text = page.read_text("utf-8")
    for rate in made.rates():
        assert f"{rate.players} players, draft {rate.draft}: {percent(rate.rate or 0)} winnable" in text
    assert text.count('role="img"') == len(re.findall(r'<svg class="chart"[^>]*aria-label="[^"]+"', text))
    assert "By mission: The Quest for Planet Nine" in text
    assert "By mission: Mission Deep Sea" in text
    assert "By difficulty of the task cards drawn" in text
    assert "by the distribution free." in text
    assert ">difficulty 9<" in text


def test_the_gain_of_a_signal(page: Path, made: Run) -> None:
    (row,) = rows(page.read_text("utf-8"), "signal")
    rate = next(rate for rate in made.rates() if rate.distress)
    assert (row["gained"], row["lost without"]) == (str(rate.gained), str(rate.gained + rate.unwinnable))
    assert row["without"] == percent((rate.winnable - rate.gained) / 40)


def test_hardest_deals_have_hands_and_a_line(page: Path, made: Run) -> None:
    text = page.read_text("utf-8")
    frame = made.frame().collect()
    hardest = (
        frame.filter(polars.col("verdict") == "winnable")
        .sort(["nodes", "cell", "index"], descending=[True, False, False])
        .row(0, named=True)
    )
    assert f"deal {hardest['index']} of seed 1" in text
    assert text.count("A line that wins") == 5
    lost = frame.filter(polars.col("verdict") == "unwinnable").height
    assert text.count('class="verdict unwinnable"') == min(lost, 5)
    assert lost


def test_the_cases_on_the_page_are_decided_as_it_says(page: Path) -> None:
    deals = re.findall(r'class="verdict (\w+)".*?aria-label="Case">(.*?)</pre>', page.read_text("utf-8"), re.DOTALL)
    assert len(deals) >= 6
    for verdict, case in deals:
        position = position_from_case(json.loads(case.replace("&#34;", '"').replace("&gt;", ">")))
        assert solve(position).verdict == verdict


def test_how_it_was_made(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "deepcrew rate planet-nine/1 --out runs/&lt;b&gt;&amp;test" in text
    assert "seed 1 from deal 0 on" in text
    assert "python-sat" in text
    assert "Where the rules leave a point open" in text


def test_the_audit_names_its_outliers(page: Path) -> None:
    text = page.read_text("utf-8")
    assert rows(text, "outliers-3")[0]["card"] in ("zero_tricks", "exactly_two_B")
    assert len(rows(text, "audit")) == 10
    assert {row["is"] for row in rows(text, "outliers-4")} == {"easier", "harder"}


def test_without_an_audit_the_page_says_how_to_add_it(made: Run) -> None:
    assert "--audit audit.parquet" in report_html(made, "try")


def test_the_same_run_gives_the_same_page(made: Run) -> None:
    assert report_html(made, "try") == report_html(open_run(made.path), "try")


def test_one_cell_has_nothing_to_compare(tmp_path: Path) -> None:
    found = start_run(tmp_path / "one", cells()[:1])
    carry_out(found, workers=1)
    text = report_html(open_run(found.path), "one")
    assert "Only one was run: 4 players" in text
    assert "No deal was lost." in text


def test_an_empty_run_says_so(tmp_path: Path) -> None:
    start_run(tmp_path / "empty", cells()[:1])
    result = run(str(tmp_path / "empty"), "--html", str(tmp_path / "out.html"))
    assert result.exit_code == 0
    assert "No deals yet" in (tmp_path / "out.html").read_text("utf-8")


def test_a_run_without_any_verdict_is_still_a_page(tmp_path: Path) -> None:
    found = start_run(tmp_path / "none", [Cell(load("planet-nine/50"), 4, deals=20, engine="search", limit_nodes=1)])
    carry_out(found, workers=1)
    text = report_html(open_run(found.path), "none")
    assert "20 deals were given up undecided" in text
    assert rows(text, "cells")[0]["undecided"] == "20"
    assert "No deal was decided." in text


def test_loads_that_are_never_lost_are_named_and_not_drawn(made: Run) -> None:
    rate = made.rates()[0]
    missions = [replace(rate, load=load(f"planet-nine/{number}"), rate=1.0, low=0.9, high=1.0) for number in range(1, 16)]
    missions[6] = replace(missions[6], rate=0.5, low=0.4, high=0.6)
    other = Run(made.path, made.manifest)
    other.rates = lambda: missions  # type: ignore[method-assign]
    text = report_html(other, "x")
    assert "(their intervals begin at 90.00%): mission 1 to 6, 8 to 15." in text
    assert ">mission 7<" in text
    assert ">mission 8<" not in text


def test_what_is_missing_or_damaged_is_named(made: Run, tmp_path: Path) -> None:
    shutil.copytree(made.path, tmp_path / "run")
    parts = sorted((tmp_path / "run" / "parts").iterdir())
    parts[0].unlink()
    parts[1].write_bytes(b"PAR1 nonsense PAR1")
    text = report_html(open_run(tmp_path / "run"), "run")
    assert "This run is not finished" in text
    assert f"1 part of it cannot be read and is left out: {parts[1].name}" in text


def test_rates_over_all_loads_compare_like_with_like(made: Run) -> None:
    page = report_html(made, "try")
    assert "No load was run with all of these" in page
    only = Run(made.path, made.manifest)
    only.rates = lambda: [rate for rate in made.rates() if rate.players == 4 and rate.load.game == "planet-nine"]  # type: ignore[method-assign]
    found = rows(report_html(only, "try"), "by-players")
    for row in found:
        own: list[Rate] = [rate for rate in only.rates() if rate.draft == row["draft"]]
        assert row["loads"] == "5"
        assert row["winnable"] == percent(sum(rate.rate or 0 for rate in own) / 5)
        assert row["low"] == percent(sum(rate.low for rate in own) / 5)
    assert len(found) == 2


# --- parts of it ---


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [
        (0.2, 0.9, (0, 1)),
        (0.97, 1.0, (0.95, 1)),
        (0.995, 1.0, (0.99, 1)),
        (0.0, 0.04, (0, 0.05)),
        (0.0, 0.0, (0, 0.01)),
        (0.5, 1, (0.5, 1)),
    ],
)
def test_scales(low: float, high: float, scale: tuple[float, float]) -> None:
    found = Scale.around(low, high)
    assert (found.low, found.high) == scale
    assert found.ticks[0] == found.low
    assert found.ticks[-1] == pytest.approx(found.high)
    assert bool(found.note) == (scale != (0, 1))


def test_long_charts_are_cut_into_pages() -> None:
    dot = Dot(0, 0.5, 0.4, 0.6, "tip", "50%")
    many = [Row(f"mission {number}", (dot,) * 4) for number in range(1, 51)]
    parts = list(pages(many))
    assert [row for part in parts for row in part] == many
    for part in parts:
        height = re.search(r'height="(\d+)"', dot_chart(part, Scale(), "x"))
        assert height is not None
        assert int(height[1]) < 830


def test_charts_escape_what_they_show() -> None:
    dot = Dot(7, 0.5, 0.4, 0.6, "<tip>", "50%")
    for chart in (dot_chart([Row("<b>", (dot,))], Scale(), "<a>"), scatter([Point(1, 0.5, "<tip>", 3)], [(1, 0.5)], "<a>", "<b>")):
        assert "<tip>" not in chart
        assert "<b>" not in chart
        assert "&lt;tip&gt;" in chart
    assert len(set(SHAPES)) == len(SHAPES)


def test_hardest_deals_come_from_as_many_kinds_as_there_are() -> None:
    many = [{"cell": cell, "place": place} for place, cell in enumerate((0, 0, 0, 1, 0, 2, 1))]
    assert [row["place"] for row in choose(many, lambda row: row["cell"], 4)] == [0, 1, 3, 5]
    assert [row["place"] for row in choose(many, lambda row: row["cell"], 9)] == list(range(7))


def test_a_deal_shows_what_the_crew_decides() -> None:
    case = {
        "hands": ["P159 B28 G3 Y47 R14", "P28 B19 G147 Y258", "P36 B347 G29 Y19 R2", "P47 B56 G568 Y36 R3"],
        "tasks": [{"task": "B6"}, {"task": "G3"}],
        "distress": "left",
    }
    position = position_from_case(case)
    shown = hard_deal(position, solve(position), "winnable", "x", "y", "z", case)
    assert any("passed to the left" in text for text in shown.choices)
    assert shown.hands[0][3]
    assert [card.led for card in shown.tricks[0][1]].count(True) == 1
    assert all([card.wins for card in cards].count(True) == 1 for _, cards, _, _ in shown.tricks)


# --- wrong input ---


def test_what_is_no_run(tmp_path: Path) -> None:
    assert "there is no run" in refused(str(tmp_path / "none"), "--html", str(tmp_path / "out.html"))
    assert "is no run" in refused(str(tmp_path), "--html", str(tmp_path / "out.html"))
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written(made: Run, tmp_path: Path) -> None:
    assert "cannot write" in refused(str(made.path), "--html", str(tmp_path / "none" / "out.html"))
    assert "it is no file" in refused(str(made.path), "--html", str(tmp_path))


def test_what_is_no_audit(made: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    text = tmp_path / "text.parquet"
    text.write_text("card,players\n", "utf-8")
    assert "is no Parquet file" in refused(str(made.path), "--html", str(out), "--audit", str(text))
    other = tmp_path / "other.parquet"
    polars.DataFrame({"card": ["a"]}).write_parquet(other)
    assert "is no audit of task cards" in refused(str(made.path), "--html", str(out), "--audit", str(other))
    assert "cannot read" in refused(str(made.path), "--html", str(out), "--audit", str(tmp_path / "none"))
    assert not out.exists()


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.html"
    path.write_text("old", "utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        write_page("new", path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.html"]
    assert path.read_text("utf-8") == "old"


# --- in a browser ---

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1280,900",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Debian's chromium without a window; where it is missing the tests are skipped, but not in CI."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        text = "chromium or chromedriver is missing: apt-get install chromium chromium-driver"
        if os.environ.get("CI") == "true":
            pytest.fail(text)
        pytest.skip(text)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    found.set_page_load_timeout(60)
    yield found
    found.quit()


def show(browser: Any, page: Path, width: int = 1280, scheme: str = "light") -> None:
    """Open the page afresh in a window of this width."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get(page.as_uri())


def test_the_page_loads_without_errors_and_without_a_network(browser: Any, page: Path) -> None:
    browser.get("about:blank")
    browser.get_log("performance")
    browser.get_log("browser")
    show(browser, page)
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert page.as_uri() in asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == 1
    assert browser.get_log("browser") == []
    assert "try" in browser.title


@pytest.mark.parametrize("width", [1280, 768, 360])
def test_nothing_is_wider_than_the_window(browser: Any, page: Path, width: int) -> None:
    show(browser, page, width)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    wide, inner = browser.execute_script("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= inner <= width
    script = """
      return [...document.querySelectorAll('.panel svg.chart, .pair figure svg.chart')].filter((chart) => {
        const box = chart.parentElement.getBoundingClientRect();
        return [...chart.querySelectorAll('text, path')].some((one) => {
          const own = one.getBoundingClientRect();
          return own.width && (own.left < box.left || own.right > box.right);
        });
      }).map((chart) => chart.getAttribute('aria-label'))"""
    assert browser.execute_script(script) == []


def column(browser: Any, name: str) -> list[str]:
    script = """
      const table = document.querySelector('#cells table');
      const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.trim() === arguments[0]);
      return [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.v ?? row.cells[at].textContent)"""
    return list(browser.execute_script(script, name))


def head(browser: Any, name: str) -> Any:
    return browser.find_element("xpath", f"//*[@id='cells']//th[normalize-space()='{name}']")


def test_tables_sort_by_mouse_and_by_keyboard(browser: Any, page: Path) -> None:
    show(browser, page)
    numbers = [float(value) for value in column(browser, "winnable")]
    assert numbers != sorted(numbers, reverse=True)
    head(browser, "winnable").find_element("tag name", "button").click()
    assert [float(value) for value in column(browser, "winnable")] == sorted(numbers, reverse=True)
    assert head(browser, "winnable").get_attribute("aria-sort") == "descending"
    head(browser, "winnable").find_element("tag name", "button").send_keys("\ue007")  # Enter
    assert [float(value) for value in column(browser, "winnable")] == sorted(numbers)
    assert head(browser, "winnable").get_attribute("aria-sort") == "ascending"
    head(browser, "load").find_element("tag name", "button").send_keys(" ")
    names = column(browser, "load")
    assert names.index("planet-nine/2") < names.index("planet-nine/10")
    assert head(browser, "winnable").get_attribute("aria-sort") == "none"
    assert "Sorted by load" in browser.find_element("id", "said").text


def test_a_table_is_copied_as_tsv(browser: Any, page: Path, made: Run) -> None:
    show(browser, page)
    browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    click(browser, "#cells .copy")
    wait(browser, "15 rows copied")
    browser.execute_script("document.body.append(document.createElement('textarea'))")
    area = browser.find_element("css selector", "body > textarea")
    area.send_keys("\ue009v")  # Control
    lines = area.get_property("value").splitlines()
    assert lines[0].split("\t")[:4] == ["load", "players", "draft", "distress"]
    assert len(lines) == 1 + len(made.rates())
    copied = dict(zip(lines[0].split("\t"), lines[1].split("\t"), strict=True))
    assert float(copied["low"]) == pytest.approx(made.rates()[0].low, abs=1e-8)
    click(browser, "#made .copy")
    wait(browser, "Text copied")


def click(browser: Any, selector: str) -> None:
    button = browser.find_element("css selector", selector)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def wait(browser: Any, text: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 10).until(lambda found: text in found.find_element("id", "said").text)


def test_a_filter_leaves_only_what_fits(browser: Any, page: Path) -> None:
    show(browser, page)
    browser.find_element("css selector", "#cells input").send_keys("planet-nine random")
    shown = browser.execute_script("return [...document.querySelectorAll('#cells tbody tr')].filter((row) => !row.hidden).length")
    assert shown == 6
    assert browser.find_element("css selector", "#cells .count").text == "6 of 15 rows"


def test_it_can_be_printed(browser: Any, page: Path) -> None:
    show(browser, page, scheme="dark")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})
    data = base64.b64decode(printed["data"])
    assert data.startswith(b"%PDF")
    assert len(data) > 30_000
    assert len(re.findall(rb"/Type\s*/Page\b", data)) > 3
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.execute_script("return getComputedStyle(document.querySelector('.copy')).display") == "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_and_marks_stand_out(browser: Any, page: Path, scheme: str) -> None:
    """Contrast by WCAG 2: 4.5 for letters, 3 for marks, against the paper they are on."""
    show(browser, page, scheme=scheme)
    script = """
      const style = getComputedStyle(document.documentElement);
      return Object.fromEntries(arguments[0].map((name) => [name, style.getPropertyValue('--' + name).trim()]))"""
    names = ["page", "paper", "band", "shade", "ink", "soft", "accent", "pink", "blue", "green", "yellow", "trump", "good", "bad"]
    colours = browser.execute_script(script, [*names, *(f"s{number}" for number in range(6))])
    for name, colour in colours.items():
        for ground in ("page", "paper", "band"):
            if name not in ("page", "paper", "band", "shade"):
                assert contrast(colour, colours[ground]) >= (3 if name.startswith("s") and name != "soft" else 4.5), (name, ground)
    assert contrast(colours["ink"], colours["shade"]) >= 4.5


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        digits = colour.lstrip("#")
        digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_help_is_quick_and_needs_no_browser() -> None:
    assert "--audit" in CliRunner().invoke(cli, ["report", "--help"]).output
    assert "selenium" not in sys.modules["deepcrew.report.page"].__dict__
    assert replace(Scale(), low=0.5).place(0.75) == 50
