// Protecting records: forms of methods, and what they would change, measured while they are filled in.
import { bring, fields, load } from "/static/bench.js";

const PATIENCE = 250; // milliseconds without typing before something is tried
const measures = document.getElementById("measures");
let timer;
let trying = false;
let wanted = null; // the form to be tried when the last try is over

async function choose(place, address) {
  await load(place, address);
  place.querySelector("h3")?.scrollIntoView({ block: "nearest" });
}

// One try at a time: the last state of a form is what a person wants to see.
async function tryNow(form) {
  if (!form.isConnected || !form.checkValidity() || !isComplete(form)) return;
  if (trying || measures.querySelector("[data-job]")) {
    wanted = form;
    return;
  }
  trying = true;
  const told = form.querySelector("[data-refused]");
  try {
    await bring(measures, form.getAttribute("action"), fields(form));
    told.textContent = "";
  } catch (error) {
    told.textContent = error.message;
  }
  trying = false;
  tryWanted();
}

function tryWanted() {
  if (!wanted || trying || measures.querySelector("[data-job]")) return;
  const form = wanted;
  wanted = null;
  tryNow(form);
}

// A model that is ticked but not filled in yet is no mistake: somebody is about to do so.
function isComplete(form) {
  if (!form.querySelector(".models")) return true;
  const needed = form.querySelectorAll(".model:has(> label input:checked) [data-needed]");
  return form.querySelector(".models input[name=to]:checked") && [...needed].every((one) => one.value.trim());
}

document.addEventListener("change", (event) => {
  const choice = event.target;
  if (choice.matches("[data-choose]") && choice.value) {
    choose(document.querySelector(choice.dataset.chosen), choice.dataset.choose + choice.value);
  }
  if (choice.matches("[data-risky]") && choice.value) {
    load(document.getElementById("risky-records"), choice.dataset.risky + choice.value);
  }
});

document.addEventListener("click", (event) => {
  const edit = event.target.closest("[data-edit]");
  if (edit) choose(document.querySelector(edit.dataset.into ?? "#chosen"), edit.dataset.edit);
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  clearTimeout(timer);
  timer = setTimeout(() => tryNow(form), PATIENCE);
});

measures.addEventListener("enlivened", tryWanted);
