// Makes the rows in sight, and no others.
const narrow = matchMedia("(max-width: 600px)").matches, W = narrow ? 5 : 8;
// A phone has no room for place and instruction beside each other, so there the place stands above, and small.
const H = narrow ? 30 : 18, names = ["on its way", "waits for sources", "waits for a pipe", "executes", "waits to complete"];
const colours = ["on-way", "sources", "pipe", "run", "done"];
const list = rows.match(/[ +][^ +]+/g) || [];
const scroll = document.getElementById("scroll"), body = document.getElementById("rows"), ruler = document.getElementById("ruler");
const cells = list.map(text => {
  const f = text.slice(1).split(",");
  const whole = texts[parseInt(f[0], 36)];
  return { begins: text[0] === "+", group: f[7] === "g", whole, text: narrow ? whole.replace(/^\S+ /, "") : whole,
    place: narrow ? whole.split(" ")[0] : "",
    at: parseInt(f[1], 36), steps: f.slice(2, 7).map(step => parseInt(step, 36)) };
});
const most = Math.max(0, ...texts.map(text => text.length)) + 3;
const left = (narrow ? 21 : Math.max(30, Math.min(56, most))) * 7.3;
const longest = Math.max(1, ...cells.map(c => c.at + c.steps.reduce((a, b) => a + b, 0) + 1));
const shown = Math.min(longest, 4000), width = left + (shown + 2) * W;
body.style.height = cells.length * H + "px";
body.style.width = ruler.style.width = width + "px";
document.getElementById("legend").innerHTML = names.map((name, k) =>
  `<span><i style="background:var(--${colours[k]})"></i>${name}</span>`).join("") + "<span>a line: counted from 0 again</span>";
let marks = `<em style="width:${left}px">${narrow ? "cycle" : "cycle of the iteration"}</em>`;
for (let c = 0; c <= shown; c += 10) marks += `<b style="left:${left + c * W}px">${c}</b>`;
ruler.innerHTML = marks;
function draw() {
  const first = Math.max(0, Math.floor(scroll.scrollTop / H) - 10);
  const last = Math.min(cells.length, first + Math.ceil(scroll.clientHeight / H) + 20);
  let html = "";
  for (let i = first; i < last; i++) {
    const c = cells[i];
    let x = left + Math.max(0, c.at) * W, bars = "", told = [], from = c.at;
    c.steps.forEach((step, k) => {
      if (step > 0 && x < width) {
        bars += `<i style="left:${x}px;width:${Math.min(step * W, width - x)}px;background:var(--${colours[k]})"></i>`;
        told.push(`${names[k]} ${from}..${from + step}`);
      }
      x += step * W; from += step;
    });
    html += `<div class="r${c.begins ? " n" : ""}" style="top:${i * H}px;width:${width}px;height:${H}px" title="${c.whole}: ${told.join(", ")}">` +
      `<em style="width:${left}px">${narrow ? `<small>${c.place}</small>` : ""}${c.group ? "{ " : "  "}${c.text}</em>${bars}</div>`;
  }
  body.innerHTML = html;
}
scroll.addEventListener("scroll", () => requestAnimationFrame(draw));
addEventListener("resize", draw);
draw();
