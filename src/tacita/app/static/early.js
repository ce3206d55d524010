// What a person does before the modules of a page are there waits for them, and is not lost.
// A plain script at the head of the page: it runs before anything can be seen or pressed.
"use strict";
(() => {
  const KINDS = ["change", "click", "input", "keydown", "submit"];
  const SENT = "[data-send], [data-token], [data-grid]"; // forms that the modules send
  const done = [];

  function keep(event) {
    if (event.type === "submit") {
      if (!event.target.matches(SENT)) return; // a form that the browser sends itself
      event.preventDefault();
    }
    event.stopImmediatePropagation();
    done.push(event);
  }

  // A click is told of again, not clicked again: what the browser does at a click, it did.
  function again(event) {
    const same = event.type === "click" ? Event : event.constructor;
    event.target.dispatchEvent(new same(event.type, event));
  }

  KINDS.forEach((kind) => document.addEventListener(kind, keep, true));
  document.addEventListener("DOMContentLoaded", () => {
    KINDS.forEach((kind) => document.removeEventListener(kind, keep, true));
    done.forEach(again);
  });
})();
