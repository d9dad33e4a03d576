// Keys of the pages: "/" goes to the search box, "g" and a letter to a page. Nothing happens while typing.
(() => {
  "use strict";
  const PAGES = { s: "search", t: "timeline", f: "files", r: "graph", h: "health" };
  let goes = false;

  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "/") {
      const box = document.querySelector("input[type=search]");
      if (box) {
        event.preventDefault();
        box.focus();
        box.select();
      }
    } else if (goes && event.key in PAGES) {
      const link = document.querySelector(`nav a[href^="/inspector/${PAGES[event.key]}"]`);
      if (link) link.click();
    }
    goes = event.key === "g";
  });

  // After a page came through htmx, a screen reader is told where it is.
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target === document.body) document.getElementById("main")?.focus({ preventScroll: true });
  });
})();
