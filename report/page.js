"use strict";
(() => {
  const said = document.getElementById("said");
  let timer = 0;
  const say = (text) => {
    said.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => { said.textContent = ""; }, 4000);
  };

  // What a field is sorted by and copied as: numbers are not rounded there.
  const value = (cell) => cell.dataset.v ?? cell.textContent.trim();
  const order = new Intl.Collator("en", { numeric: true });
  const compare = (one, other) => {
    const a = value(one), b = value(other);
    const x = Number(a), y = Number(b);
    return Number.isNaN(x) || Number.isNaN(y) ? order.compare(a, b) : x - y;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const numbers = head.classList.contains("n");
      const first = numbers ? "descending" : "ascending", second = numbers ? "ascending" : "descending";
      const next = head.getAttribute("aria-sort") === first ? second : first;
      for (const other of heads) other.setAttribute("aria-sort", other === head ? next : "none");
      const sign = next === "ascending" ? 1 : -1;
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => {
        const one = a.cells[column], other = b.cells[column];
        const empty = (value(one) === "") - (value(other) === "");  // nothing comes last, whatever the order
        return empty || sign * compare(one, other);
      });
      body.append(...rows);
      say(`Sorted by ${value(head)}, ${next}`);
    }));
  }

  for (const input of document.querySelectorAll("[data-filter]")) {
    const table = input.closest(".table");
    const rows = [...table.querySelectorAll("tbody tr")];
    const count = table.querySelector(".count"), all = count.textContent;
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = words.length ? `${shown} of ${all}` : all;
    });
  }

  const copyOldWay = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.cssText = "position:fixed;opacity:0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("refused");
  };
  const copy = async (button, text, what) => {
    try {
      try { await navigator.clipboard.writeText(text); } catch { copyOldWay(text); }
      say(`${what} copied`);
    } catch {
      say("The browser does not allow copying; select the text instead");
    }
    button.focus();
  };
  const tsv = (table) => [...table.rows].filter((row) => !row.hidden)
    .map((row) => [...row.cells].map((cell) => value(cell).replace(/\s+/g, " ")).join("\t")).join("\n") + "\n";
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    if (button.hasAttribute("data-copy-table")) {
      const table = button.closest(".tools").parentElement.querySelector("table");
      copy(button, tsv(table), `${[...table.tBodies[0].rows].filter((row) => !row.hidden).length} rows`);
    } else {
      copy(button, button.parentElement.querySelector("pre").textContent, "Text");
    }
  });

  // On paper nothing can be unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; });
})();
