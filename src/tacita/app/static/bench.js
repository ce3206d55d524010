// What all pages of the workbench do: send changes, wait for jobs, load parts of pages.
const proof = document.querySelector('meta[name="proof"]').content;
const alertBox = document.getElementById("alert");
const statusLine = document.getElementById("status");

export function tell(sentence) {
  alertBox.textContent = sentence;
  alertBox.hidden = !sentence;
  if (sentence) alertBox.scrollIntoView({ block: "nearest" });
}

export function say(sentence) {
  statusLine.textContent = sentence;
}

// Sends a change; whoever made the page may, another page may not, for it lacks the proof.
export async function change(address, body, method = "POST") {
  const headers = { "X-Tacita-Proof": proof };
  if (!(body instanceof Blob)) headers["Content-Type"] = "application/json";
  const content = body instanceof Blob ? body : JSON.stringify(body ?? {});
  const reply = await fetch(address, { method, headers, body: content });
  const said = await reply.json().catch(() => ({ detail: "The workbench does not answer." }));
  if (!reply.ok) throw new Error(said.detail);
  return said;
}

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
  const reply = await fetch(address);
  const text = await reply.text();
  if (place.dataset.wanted !== address) return; // something newer was asked for meanwhile
  if (reply.ok) place.innerHTML = text;
  else {
    const page = new DOMParser().parseFromString(text, "text/html");
    place.replaceChildren(page.querySelector("main p") ?? "It cannot be shown.");
  }
  enliven(place);
}

async function follow(part) {
  const place = part.closest("[data-fragment]") ?? part.parentElement;
  const wanted = place.dataset.wanted;
  let job;
  do {
    const reply = await fetch(`/jobs/${part.dataset.job}?wait=true`).catch(() => null);
    if (!reply?.ok || place.dataset.wanted !== wanted) return;
    job = await reply.json();
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
  const told = document.createElement("div");
  told.className = "notice wrong";
  told.textContent = `${job.title}: ${job.error || "it was stopped."}`;
  part.replaceWith(told);
  place.dispatchEvent(new CustomEvent("enlivened", { bubbles: true }));
}

async function bringIn(file, area) {
  const bar = area.querySelector("[data-uploading]");
  bar.hidden = false;
  tell("");
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
    bringIn(event.target.files[0], event.target.closest("[data-drop]"));
  }
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const area = event.target.closest?.("[data-drop]");
    if (!area) return;
    event.preventDefault();
    area.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) bringIn(event.dataTransfer.files[0], area);
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
