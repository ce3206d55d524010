// What all pages of the workbench do: send changes, wait for jobs, load parts of pages.
const proof = document.querySelector('meta[name="proof"]').content;
const alertBox = document.getElementById("alert");
const statusLine = document.getElementById("status");
const AWAY = "The workbench of this page does not answer. Start it again with `tacita app` and open the address it prints; what was done is kept.";
const TRIES = 5; // times that news of a job are asked for before the workbench counts as gone
const SOON = 1000; // milliseconds between two of them
const project = location.pathname.match(/^\/p\/[^/]+/)?.[0];
const tabs = new BroadcastChannel("tacita");
const turns = new WeakMap(); // how often something was asked for, by the part of the page it is for
const answered = new WeakMap(); // the number of the change whose answer a part of the page shows
const sending = new WeakMap(); // what a form is sending just now
let changes = 0;

export function tell(sentence) {
  alertBox.textContent = sentence;
  alertBox.hidden = !sentence;
  if (sentence) alertBox.scrollIntoView({ block: "nearest" });
}

export function say(sentence) {
  statusLine.textContent = sentence;
}

const sleep = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

// Asks the workbench; where it is gone, the error says what to do.
async function ask(address, options) {
  const reply = await fetch(address, options).catch(() => { throw new Error(AWAY); });
  const text = await reply.text().catch(() => { throw new Error(AWAY); });
  if (!reply.ok && reply.headers.get("Content-Type")?.startsWith("text/plain")) throw new Error(text);
  return { ok: reply.ok, text };
}

// Sends a change; whoever made the page may, another page may not, for it lacks the proof.
export async function change(address, body, method = "POST") {
  const headers = { "X-Tacita-Proof": proof };
  if (!(body instanceof Blob)) headers["Content-Type"] = "application/json";
  const content = body instanceof Blob ? body : JSON.stringify(body ?? {});
  const reply = await ask(address, { method, headers, body: content });
  const said = JSON.parse(reply.text);
  if (!reply.ok) throw new Error(said.detail);
  if (said.go !== undefined && project) tabs.postMessage(project);
  return said;
}

tabs.addEventListener("message", (event) => {
  if (event.data === project) tell("The project was changed in another tab; load this page again to see it.");
});

export function fields(form, submitter) {
  const said = {};
  for (const [name, value] of new FormData(form, submitter)) (said[name] ??= []).push(String(value));
  return said;
}

// Sends what a form says, once however often it is pressed. `act` tells whether the page is left:
// until another comes, the same is not sent again.
export async function once(form, said, act) {
  const what = JSON.stringify(said);
  if (sending.get(form) === what) return;
  sending.set(form, what);
  tell("");
  form.setAttribute("aria-busy", "true");
  let leaves = false;
  try {
    leaves = await act();
  } catch (error) {
    tell(error.message);
  }
  if (leaves || sending.get(form) !== what) return;
  sending.delete(form);
  form.removeAttribute("aria-busy");
}

function send(form, submitter) {
  const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  const filled = fields(form, submitter);
  return once(form, [action, filled], async () => {
    const place = form.dataset.into ? document.querySelector(form.dataset.into) : null;
    const said = await bring(place, action, filled);
    if (said.go === undefined) return false;
    if (said.go) location.assign(said.go);
    else location.reload();
    return true;
  });
}

// Sends a change whose answer is a part of the page. Answers may come in another order than they
// were asked for: the one to what was sent last stays.
export async function bring(place, address, body) {
  changes += 1;
  const number = changes;
  const said = await change(address, body);
  if (place && number > (answered.get(place) ?? 0) && said.load !== undefined) {
    answered.set(place, number);
    await load(place, said.load);
  }
  return said;
}

function turn(place) {
  turns.set(place, (turns.get(place) ?? 0) + 1);
  return turns.get(place);
}

// Empties a part of a page; what was asked for it before does not come any more.
export function clear(place) {
  turn(place);
  place.replaceChildren();
}

// Loads a part of a page; where it is not known yet, the part is a job, and comes when it is done.
export async function load(place, address) {
  const mine = turn(place);
  const reply = await ask(address).catch((error) => ({ gone: error.message }));
  if (turns.get(place) !== mine) return; // something newer was asked for meanwhile
  if (reply.gone) place.replaceChildren(notice(reply.gone));
  else if (reply.ok) place.innerHTML = reply.text;
  else {
    const page = new DOMParser().parseFromString(reply.text, "text/html");
    place.replaceChildren(page.querySelector("main p") ?? "It cannot be shown.");
  }
  enliven(place);
}

function notice(sentence) {
  const told = document.createElement("div");
  told.className = "notice wrong";
  told.textContent = sentence;
  return told;
}

// Waits for news of a job. A page that nobody sees looks now and then instead: browsers keep few
// connections to one server, and those of all tabs together would hold up everything else.
async function news(identifier) {
  for (let tried = 1; ; tried += 1) {
    const unseen = document.hidden;
    try {
      const reply = await ask(`/jobs/${identifier}?wait=${!unseen}`);
      if (unseen) await sleep(SOON);
      return reply;
    } catch (error) {
      if (tried === TRIES) return { gone: error.message };
      await sleep(SOON);
    }
  }
}

async function follow(part) {
  const place = part.closest("[data-fragment]") ?? part.parentElement;
  const mine = turns.get(place);
  let job;
  do {
    const reply = await news(part.dataset.job);
    if (turns.get(place) !== mine || !part.isConnected) return;
    if (!reply.ok) {
      giveUp(part, place, reply.gone ?? "The work is not known any more; load this page again.");
      return;
    }
    job = JSON.parse(reply.text);
    part.querySelector("[data-step]").textContent = job.step ? `: ${job.step}` : "";
    const bar = part.querySelector("progress");
    if (job.steps) {
      bar.max = job.steps;
      bar.value = job.done;
    }
  } while (!["done", "failed", "stopped"].includes(job.state));
  if (job.state === "done") {
    say(`${job.title}: done.`);
    await load(place, part.dataset.then);
    return;
  }
  giveUp(part, place, `${job.title}: ${job.error || "it was stopped."}`);
}

function giveUp(part, place, sentence) {
  part.replaceWith(notice(sentence));
  place.dispatchEvent(new CustomEvent("enlivened", { bubbles: true }));
}

// Says why a file cannot be brought in, before it is sent.
function refused(files, area) {
  if (files.length > 1) return "Bring one file at a time.";
  const [file] = files;
  const endings = area.dataset.endings.split(",");
  if (!endings.some((ending) => file.name.toLowerCase().endsWith(ending))) {
    return `${file.name} cannot be opened: expected a data file or a plan, which ends in ${endings.join(", ")}.`;
  }
  const largest = Number(area.dataset.largest);
  if (file.size <= largest) return "";
  return `The file is larger than ${largest / 2 ** 30} GiB, the most that can be brought in; put it into the folder by hand.`;
}

async function bringIn(files, area) {
  const bar = area.querySelector("[data-uploading]");
  const why = bar.hidden ? refused(files, area) : "A file is being brought in; wait for it.";
  tell(why);
  if (why) return;
  const [file] = files;
  bar.hidden = false;
  try {
    const said = await change(`/files/${encodeURIComponent(file.name)}`, file, "PUT");
    location.assign(said.go);
  } catch (error) {
    tell(error.message);
    bar.hidden = true;
  }
}

async function draw(figure) {
  const { vegaEmbed } = await import("/vega.js");
  const specification = JSON.parse(figure.querySelector("script").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const drawn = await vegaEmbed(figure.querySelector("[data-canvas]"), specification, {
    actions: false, ast: true, defaultStyle: false, renderer: "svg", theme: dark ? "dark" : undefined,
    tooltip: { disableDefaultStyle: true },
  });
  figure.dispatchEvent(new CustomEvent("drawn", { detail: drawn.view, bubbles: true }));
}

// Gives life to a part of a page that was loaded.
export function enliven(part) {
  part.querySelectorAll("[data-fragment]").forEach((one) => load(one, one.dataset.fragment));
  part.querySelectorAll("[data-job]").forEach(follow);
  part.querySelectorAll("figure[data-plot]").forEach(draw);
  part.dispatchEvent(new CustomEvent("enlivened", { bubbles: true }));
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-send]")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("click", (event) => {
  const stop = event.target.closest("[data-stop]");
  if (stop) change(`/jobs/${stop.closest("[data-job]").dataset.job}/stop`).catch((e) => tell(e.message));
  const more = event.target.closest("[data-load]");
  if (more) load(more.closest("[data-fragment]"), more.dataset.load);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-upload]") && event.target.files.length) {
    bringIn(event.target.files, event.target.closest("[data-drop]"));
  }
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // or the browser would leave the page for a file that missed its place
    const area = document.querySelector("[data-drop]");
    area?.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && area && event.dataTransfer.files.length) bringIn(event.dataTransfer.files, area);
  });
}

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea, select")) return;
  const word = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
  const button = word && document.querySelector(`form[action$="/${word}"] button:not([disabled])`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});

// Of the fields of a form that belong to a choice, those of the chosen one are shown.
function choose(form) {
  const way = form.querySelector("[name=way]").value;
  form.querySelectorAll("[data-way]").forEach((one) => { one.hidden = one.dataset.way !== way; });
}

document.addEventListener("input", (event) => {
  const form = event.target.closest?.("[data-editor]");
  if (form && event.target.name === "way") choose(form);
});
document.querySelectorAll("[data-editor]").forEach(choose);

// Not before all modules of the page are there: they hear of what comes.
document.addEventListener("DOMContentLoaded", () => enliven(document));
