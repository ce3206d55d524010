// Queries: forms of policies, tokens that are shown once, and a console that completes names.
import { change, fields, load, once } from "/static/bench.js";

const WORDS = /[\p{L}_][\p{L}\p{N}_]*$/u; // what is being typed before the caret
const MOST = 8; // completions that are shown
const PLAIN = /^[a-z_][a-z0-9_]*$/i;
const sql = document.getElementById("sql");
const list = document.getElementById("words");
const language = JSON.parse(document.querySelector("script[data-language]")?.textContent ?? "[]");
let words = language;
let chosen = -1;

const quoted = (name) => (PLAIN.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
const literal = (value) => (typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`);

// -- the curator's page ----------------------------------------------------------------------------

async function choosePolicy(address) {
  const place = document.getElementById("chosen-policy");
  await load(place, address);
  place.querySelector("h3")?.scrollIntoView({ block: "nearest" });
}

// A token is told once: it is put on the page, and kept nowhere.
function letIn(form) {
  const filled = fields(form);
  return once(form, filled, async () => {
    const said = await change(form.getAttribute("action"), filled);
    const code = document.createElement("code");
    code.textContent = said.secret;
    const note = document.createElement("p");
    note.append(`The token of ${filled.user[0]}, shown this once: `, code);
    const told = document.createElement("div");
    told.className = "notice good";
    told.append(note);
    document.getElementById("secret").replaceChildren(told);
    await load(document.getElementById("users"), said.load);
    return false;
  });
}

function offerNumbers(part) {
  const told = part.querySelector("script[data-choices]");
  const select = document.querySelector("select[data-numbers]");
  if (!told || !select) return;
  const numbers = Object.entries(JSON.parse(told.textContent)).filter(([, about]) => about.kind === "continuous");
  const before = select.value;
  const options = numbers.map(([name]) => new Option(name, name));
  select.replaceChildren(select.options[0], ...options);
  select.value = before || (options.length === 1 ? numbers[0][0] : "");
}

// The ledger goes on whenever the session does; a console that was closed can be used from now on.
function followSession(part) {
  if (part.id !== "state" || !part.querySelector("[data-state]")) return;
  const ledger = document.getElementById("ledger");
  if (ledger) load(ledger, ledger.dataset.fragment);
  if (sql) location.reload();
}

// -- the console -----------------------------------------------------------------------------------

function learnWords(part) {
  const told = part.querySelector("script[data-view]");
  if (!told) return;
  const view = JSON.parse(told.textContent);
  const values = Object.values(view.public).flatMap((about) => about.values ?? []);
  words = [
    ...Object.keys(view.public).map(quoted),
    ...Object.keys(view.confidential).map(quoted),
    ...(view.permitted?.count_distinct ?? []).map(quoted),
    quoted(view.view),
    ...language,
    ...values.filter((value) => typeof value === "string").map(literal),
  ];
}

// Whoever writes keywords in small letters gets small letters.
const cased = (word, typed) => (language.includes(word) && typed === typed.toLowerCase() ? word.toLowerCase() : word);
const bare = (word) => word.replace(/^["']/, "").toLowerCase();

function offer() {
  const typed = WORDS.exec(sql.value.slice(0, sql.selectionStart))?.[0];
  const begun = typed?.toLowerCase();
  const found = begun ? words.filter((word) => bare(word).startsWith(begun) && bare(word) !== begun) : [];
  chosen = -1;
  list.replaceChildren(
    ...found.slice(0, MOST).map((word, place) => {
      const item = document.createElement("li");
      item.id = `word-${place}`;
      item.role = "option";
      item.setAttribute("aria-selected", "false");
      item.textContent = cased(word, typed);
      return item;
    }),
  );
  list.hidden = !found.length;
  sql.removeAttribute("aria-activedescendant");
}

function hide() {
  list.hidden = true;
  sql.removeAttribute("aria-activedescendant");
}

function choose(step) {
  const items = [...list.children];
  chosen = (chosen + step + items.length) % items.length;
  items.forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
  sql.setAttribute("aria-activedescendant", items[chosen].id);
}

function insert(word, begun = "") {
  const end = sql.selectionStart;
  sql.focus();
  sql.setRangeText(word, end - begun.length, sql.selectionEnd, "end");
  hide();
}

function complete(item) {
  const before = sql.value.slice(0, sql.selectionStart);
  const begun = WORDS.exec(before)?.[0] ?? "";
  const quote = /["']$/.exec(before.slice(0, before.length - begun.length))?.[0] ?? "";
  insert(item.textContent, item.textContent.startsWith(quote) ? quote + begun : begun);
}

function ask() {
  hide();
  sql.form.requestSubmit(sql.form.querySelector("button[value=ask]"));
}

function pressed(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    ask();
    return;
  }
  if (list.hidden) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const accepts = (event.key === "Enter" || event.key === "Tab") && chosen >= 0;
  if (step) choose(step);
  else if (accepts) complete(list.children[chosen]);
  else if (event.key === "Escape") hide();
  else return;
  event.preventDefault();
}

function takeUp(row) {
  sql.value = row.dataset.asked;
  document.getElementById("parameters").value = row.dataset.parameters;
  sql.focus();
}

// -- what happens ----------------------------------------------------------------------------------

document.addEventListener("change", (event) => {
  const choice = event.target;
  if (choice.matches("[data-policies]") && choice.value) choosePolicy(choice.dataset.policies + choice.value);
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-token]")) return;
  event.preventDefault();
  letIn(event.target);
});

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-policy]")) choosePolicy(at("[data-policy]").dataset.policy);
  if (at("[data-tick-all]")) {
    at("form").querySelectorAll("[name=attack]").forEach((one) => { one.checked = true; });
  }
  if (at("[data-shown]")) load(document.getElementById("answer"), at("[data-shown]").dataset.shown);
  if (sql && at("[data-insert]")) insert(quoted(at("[data-insert]").textContent));
  if (sql && at("[data-again]")) takeUp(at("tr"));
  if (list && at("#words li")) complete(at("#words li"));
});

// A fragment that came: what it tells is used elsewhere on the page.
function arrived(part) {
  offerNumbers(part);
  followSession(part);
  learnWords(part);
  const history = document.getElementById("history");
  if (part.id === "answer" && history && !part.querySelector("[data-job]")) load(history, history.dataset.place);
}

document.addEventListener("enlivened", (event) => arrived(event.target));

if (sql) {
  sql.addEventListener("input", offer);
  sql.addEventListener("keydown", pressed);
  sql.addEventListener("blur", hide);
  list.addEventListener("mousedown", (event) => event.preventDefault()); // or it would be hidden before the click
}
