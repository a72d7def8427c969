// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of the class `sortable`: a click on a column's head sorts by it, another turns the order round. A cell whose text is a number,
// maybe with a unit or a mark behind it, counts as that number. Without scripts the table stays in the order of the page.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    const text = cell.textContent.trim();
    if (["", "–", "not in the run"].includes(text)) return "";
    const number = /^(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?: ?(?:s|★|●))?$/.exec(text);
    return number ? Number(number[1]) : text;
  };
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");  // what has no value comes last either way
    return typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows, (row, place) => ({ row, place, key: keyOf(row, column) }));
      rows.sort((a, b) => {
        const empty = (a.key === "") !== (b.key === "");
        return (down && !empty ? -1 : 1) * compare(a.key, b.key) || a.place - b.place;
      });
      body.append(...rows.map((one) => one.row));
    });
  });
}
