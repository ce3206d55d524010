// The console: a query box and its answer. Nothing is built and nothing is fetched from elsewhere.
"use strict";

const TOKEN = "tacita-token"; // kept until the tab is closed, in this tab only
const MOST_VALUES = 12; // values of an attribute that are shown
const $ = (id) => document.getElementById(id);

function made(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function tell(text, wrong = false) {
  $("status").textContent = text;
  $("status").classList.toggle("wrong", wrong);
}

async function call(path, body) {
  const headers = { Accept: "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  const how = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) };
  let reply;
  try {
    reply = await fetch(path, how);
  } catch {
    throw new Error("The server cannot be reached.");
  }
  const said = await reply.json().catch(() => ({}));
  if (reply.ok) return said;
  const unknown = reply.status === 401 ? "The server does not know this token." : "";
  const error = new Error(unknown || said.detail || `The server says ${reply.status}.`);
  error.status = reply.status;
  throw error;
}

// -- what there is ---------------------------------------------------------------------------------

const quoted = (name) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
const literal = (value) =>
  typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

function examples(view) {
  const from = `FROM ${quoted(view.view)}`;
  const found = [`SELECT count(*) ${from}`];
  const groups = Object.entries(view.public).filter(([, about]) => about.values?.length > 1);
  const number = Object.entries(view.confidential).find(([, about]) => about.kind === "continuous");
  const [group, about] = groups[0] || [];
  if (group) found.push(`SELECT ${quoted(group)}, count(*) ${from} GROUP BY ${quoted(group)}`);
  if (!number) return found;
  const mean = `avg(${quoted(number[0])})`;
  found.push(`SELECT ${mean} ${from}`);
  if (!group) return found;
  found.push(`SELECT ${mean} ${from} WHERE ${quoted(group)} = ${literal(about.values[0])}`);
  found.push(`SELECT ${quoted(group)}, ${mean} ${from} GROUP BY ROLLUP (${quoted(group)})`);
  return found;
}

function showExamples(view) {
  const items = examples(view).map((sql) => {
    const button = made("button", sql);
    button.type = "button";
    button.addEventListener("click", () => {
      $("sql").value = sql;
      $("parameters").value = "";
      $("sql").focus();
    });
    const item = made("li");
    item.append(button);
    return item;
  });
  $("examples").replaceChildren(...items);
}

function attributeTable(caption, attributes) {
  const table = made("table");
  table.append(made("caption", caption));
  for (const [name, about] of Object.entries(attributes)) {
    const row = table.insertRow();
    const head = made("th", name);
    head.scope = "row";
    const values = (about.values || []).slice(0, MOST_VALUES).map(String);
    if ((about.values || []).length > MOST_VALUES) values.push("...");
    row.append(head, made("td", about.kind), made("td", values.join(", "), "quiet"));
  }
  return table;
}

function showView(view) {
  $("view-name").textContent = view.view;
  $("attributes").replaceChildren(
    attributeTable("Public: for groups and conditions", view.public),
    attributeTable("Confidential: for statistics", view.confidential),
  );
  showExamples(view);
}

function showPolicies(policies) {
  $("policies").replaceChildren(
    ...policies.flatMap((policy) => [
      made("dt", policy.name),
      made("dd", policy.guarantee + (policy.simulatable ? "" : " Its refusals may tell something.")),
    ]),
  );
}

// What holds of this answer, and what was taken for it.
function showGuarantees(answer) {
  const costs = Object.entries(answer.cost).map(([name, cost]) => [`Cost by ${name}`, taken(cost)]);
  const told = [...Object.entries(answer.guarantees), ...costs];
  $("guarantees").replaceChildren(
    ...told.flatMap(([name, text]) => [made("dt", name), made("dd", text)]),
  );
}

const taken = (cost) =>
  Object.entries(cost)
    .map(([word, value]) => `${word}: ${typeof value === "string" ? fraction(value) : JSON.stringify(value)}`)
    .join("; ");

// Costs are exact fractions; people read decimals.
function fraction(text) {
  const parts = /^(\d+)\/(\d+)$/.exec(text);
  return parts ? short(Number(parts[1]) / Number(parts[2])) : text;
}

const short = (number) => String(Number(number.toPrecision(6)));

function showLeft(left) {
  const entries = Object.entries(left);
  const rows = entries.flatMap(([name, value]) => [made("dt", name), made("dd", short(value))]);
  $("left").replaceChildren(...(rows.length ? rows : [made("dd", "No policy here has a budget.")]));
}

async function load() {
  try {
    const [view, policies] = await Promise.all([call("../view"), call("../policies")]);
    showView(view);
    showPolicies(policies);
    showLeft(await call("../budget"));
    tell("Ready.");
  } catch (error) {
    const first = error.status === 401 && !sessionStorage.getItem(TOKEN);
    tell(first ? "Type your token to begin." : error.message, !first);
    if (error.status === 401) $("token").focus();
  }
}

// -- asking ----------------------------------------------------------------------------------------

const written = (number) => number.toLocaleString("en", { maximumFractionDigits: 6 });

function cell(value, refused, interval) {
  if (refused) return made("td", "refused", "refused");
  const number = typeof value === "number";
  const shown = value === null ? "" : number ? written(value) : String(value);
  const bounds = interval ? `${written(interval[0])} to ${written(interval[1])}` : "";
  const both = shown && bounds ? `${shown} (${bounds})` : shown || bounds;
  return made("td", both, number || bounds ? "number" : "");
}

function showAnswer(answer) {
  const table = made("table");
  const head = table.createTHead().insertRow();
  answer.columns.forEach((name, j) => {
    const numbers = answer.rows.some((row) => typeof row[j] === "number");
    const title = made("th", name, numbers ? "number" : "");
    title.scope = "col";
    head.append(title);
  });
  const body = table.createTBody();
  answer.rows.forEach((row, i) => {
    const bounds = answer.intervals[i] || [];
    body.insertRow().append(...row.map((value, j) => cell(value, answer.refused[i][j], bounds[j])));
  });
  $("answer").replaceChildren(table);
  $("notice").textContent = answer.notice;
  $("notice").className = answer.notice ? "refusal" : "";
  const entry = `Entry ${answer.entry} of the ledger; its head then: ${answer.head}`;
  $("recorded").textContent = answer.entry === null ? "" : entry;
  showGuarantees(answer);
  showLeft(answer.left);
}

function clear() {
  for (const id of ["answer", "guarantees"]) $(id).replaceChildren();
  for (const id of ["notice", "recorded"]) $(id).textContent = "";
}

function parameters() {
  const text = $("parameters").value.trim();
  if (!text) return [];
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The parameters must be a JSON list such as ["IT", 2024].');
  }
}

async function ask() {
  if ($("send").disabled) return;
  $("send").disabled = true;
  clear();
  tell("Asking ...");
  try {
    const answer = await call("../query", { sql: $("sql").value, parameters: parameters() });
    showAnswer(answer);
    const rows = answer.rows.length;
    tell(`Answered: ${rows} ${rows === 1 ? "row" : "rows"}.`);
  } catch (error) {
    tell(error.message, true);
  } finally {
    $("send").disabled = false;
  }
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
$("ask").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    ask();
  }
});
$("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, $("token").value.trim());
  $("token").value = "";
  load();
});
$("forget").addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN);
  location.reload();
});
load();
