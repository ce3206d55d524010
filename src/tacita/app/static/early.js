// What a person does before the modules of a page are there waits for them, and is not lost.
// A plain script at the head of the page: it runs before anything can be seen or pressed.
"use strict";
(() => {
  const KINDS = ["change", "click", "dragover", "drop", "input", "keydown", "submit"];
  const SENT = "[data-send], [data-token], [data-grid]"; // forms that the modules send
  const done = [];

  // What the browser does itself: it sends other forms, and moves words that are dragged.
  const isOwn = {
    submit: (event) => !event.target.matches(SENT),
    dragover: (event) => !event.dataTransfer?.types.includes("Files"),
    drop: (event) => !event.dataTransfer?.types.includes("Files"),
  };

  function keep(event) {
    if (event.type in isOwn) {
      if (isOwn[event.type](event)) return;
      event.preventDefault(); // or the page would be left, for a file that was dropped say
    }
    event.stopImmediatePropagation();
    if (event.type !== "dragover") done.push([event.target, copied(event)]);
  }

  // A click is told of again, not clicked again: what the browser does at a click, it did. Of files
  // that are dropped nothing is known any more when the event is over.
  function copied(event) {
    if (event.type === "drop") {
      const dataTransfer = new DataTransfer();
      for (const file of event.dataTransfer.files) dataTransfer.items.add(file);
      return new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
    }
    const same = event.type === "click" ? Event : event.constructor;
    return new same(event.type, event);
  }

  KINDS.forEach((kind) => document.addEventListener(kind, keep, true));
  // On the window, so that the parts of the page are asked for before they are chosen anew.
  addEventListener("DOMContentLoaded", () => {
    KINDS.forEach((kind) => document.removeEventListener(kind, keep, true));
    done.forEach(([target, event]) => target.dispatchEvent(event));
  });
})();
