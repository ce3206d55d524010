// What all pages of the workbench do: send changes, wait for jobs, load parts of pages.
const proof = document.querySelector('meta[name="proof"]').content;
const alertBox = document.getElementById("alert");
const statusLine = document.getElementById("status");
const AWAY = "The workbench of this page does not answer. Start it again with `tacita app` and open the address it prints; what was done is kept.";
const TRIES = 5; // times that news of a job are asked for before the workbench counts as gone
const SOON = 1000; // milliseconds between two of them
const project = location.pathname.match(/^\/p\/[^/]+/)?.[0];
const tabs = new BroadcastChannel("tacita");

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

async function send(form, submitter) {
  tell("");
  form.setAttribute("aria-busy", "true");
  try {
    const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
    const said = await change(action, fields(form, submitter));
    if (said.go !== undefined) {
      if (said.go) location.assign(said.go);
      else location.reload();
    } else if (form.dataset.into) {
      await load(document.querySelector(form.dataset.into), said.load);
    }
  } catch (error) {
    tell(error.message);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

// Loads a part of a page; where it is not known yet, the part is a job, and comes when it is done.
export async function load(place, address) {
  place.dataset.wanted = address;
  const reply = await ask(address).catch((error) => ({ gone: error.message }));
  if (place.dataset.wanted !== address) return; // something newer was asked for meanwhile
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
  const wanted = place.dataset.wanted;
  let job;
  do {
    const reply = await news(part.dataset.job);
    if (place.dataset.wanted !== wanted || !part.isConnected) return;
    if (!reply.ok) {
      part.replaceWith(notice(reply.gone ?? "The work is not known any more; load this page again."));
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
  part.replaceWith(notice(`${job.title}: ${job.error || "it was stopped."}`));
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
  tell(refused(files, area));
  if (refused(files, area)) return;
  const [file] = files;
  const bar = area.querySelector("[data-uploading]");
  bar.hidden = false;
  try {
    const said = await change(`/files/${encodeURIComponent(file.name)}`, file, "PUT");
    location.assign(said.go);
  } catch (error) {
    tell(error.message);
  } finally {
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

enliven(document);
