// A click on a heading of a table sorts its rows, a second click the other way.
for (const head of document.querySelectorAll(".sortable th")) {
  head.onclick = () => {
    const body = head.closest("table").tBodies[0];
    const text = (row) => row.cells[head.cellIndex].textContent;
    const order = (a, b) => text(a) - text(b) || text(a).localeCompare(text(b));
    const way = (head.dataset.way = head.dataset.way === "1" ? -1 : 1);
    body.append(...[...body.rows].sort((a, b) => way * order(a, b)));
  };
}
