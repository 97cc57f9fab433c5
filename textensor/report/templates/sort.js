"use strict";
// A click on a heading sorts its table: numbers from the largest, words from A, a second click turns it round.
// What has no value stays at the end. Equal rows keep their order.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const words = head.dataset.sort === "words";
      const now = head.getAttribute("aria-sort");
      const rising = now ? now === "descending" : words;
      const value = (row) => row.cells[column].dataset.value;
      const compare = (a, b) => (words ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        return rising ? compare(x, y) : compare(y, x);
      });
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      table.tBodies[0].append(...rows);
    });
  });
}
for (const hint of document.querySelectorAll(".needs-script")) hint.hidden = false;
