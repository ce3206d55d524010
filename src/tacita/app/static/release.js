// Releasing: when a release is written, the list of those in the folder is loaded again.
import { load } from "/static/bench.js";

const there = document.getElementById("there");

document.getElementById("written").addEventListener("enlivened", (event) => {
  if (event.target.querySelector(".links")) load(there, there.dataset.fragment);
});
