// The map of what was tried: a point chosen is a variant to return to.
import { change, load, tell } from "/static/bench.js";

const place = document.getElementById("drawn");

document.addEventListener("drawn", (event) => {
  const address = event.target.dataset.map;
  if (!address) return;
  event.detail.addEventListener("click", async (_, item) => {
    if (item?.datum?.number === undefined) return;
    try {
      await change(address + item.datum.number);
      location.reload();
    } catch (error) {
      tell(error.message);
    }
  });
});

document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-axis]")) return;
  const [risk, loss] = ["risk", "loss"].map((name) => document.getElementById(name).value);
  const axes = `?risk=${risk}&loss=${loss}`;
  history.replaceState(null, "", axes); // a reload, or a point chosen, draws the same again
  load(place, location.pathname + "/drawn" + axes);
});
