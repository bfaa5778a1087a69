/** The pages below /docs in the browser: the server's own address in examples, light and dark, copying, languages, and the search. */
const root = document.documentElement;
for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;

document.querySelector("#theme")?.addEventListener("click", () => {
  const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  remember("theme", root.dataset.theme = dark ? "light" : "dark");
});

/** A browser may keep nothing for a page; it works all the same. */
function remember(name, value) {
  try {
    localStorage.setItem(`heddle-docs-${name}`, value);
  } catch {
    // Until the next page
  }
}

function remembered(name) {
  try {
    return localStorage.getItem(`heddle-docs-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

const theme = remembered("theme");
if (theme) root.dataset.theme = theme;

for (const block of document.querySelectorAll("main pre")) {
  if (block.closest("#swagger")) continue;
  const frame = document.createElement("div");
  frame.className = "copyable";
  block.replaceWith(frame);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2_000);
  });
  frame.append(block, button);
}

for (const samples of document.querySelectorAll(".samples")) {
  const bar = document.createElement("div");
  bar.className = "languages";
  bar.setAttribute("role", "group");
  for (const sample of samples.querySelectorAll(".sample")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sample.dataset.language;
    button.addEventListener("click", () => {
      remember("language", sample.dataset.language);
      choose(sample.dataset.language);
    });
    bar.append(button);
  }
  samples.prepend(bar);
  samples.classList.add("tabs");
}

function choose(language) {
  for (const sample of document.querySelectorAll(".sample")) sample.hidden = sample.dataset.language !== language;
  for (const button of document.querySelectorAll(".languages button")) {
    button.setAttribute("aria-pressed", String(button.textContent === language));
  }
}
choose(remembered("language") ?? "curl");

const wide = document.querySelector(".guides");
if (wide && matchMedia("(min-width: 60rem)").matches) wide.open = true;

const field = document.querySelector("#search");
const list = document.querySelector("#found");
let index;

async function openIndex() {
  index ??= fetch("/docs/assets/search.json").then((answer) => answer.json()).then((documents) => {
    const made = new globalThis.MiniSearch({ fields: ["title", "text"], storeFields: ["title", "url"] });
    made.addAll(documents);
    return made;
  });
  return await index;
}

field?.addEventListener("input", async () => {
  const words = field.value.trim();
  const found = words === "" ? [] : (await openIndex()).search(words, { prefix: true, fuzzy: 0.2, boost: { title: 3 } }).slice(0, 12);
  if (words !== field.value.trim()) return;
  list.replaceChildren(...found.map(({ title, url }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = url;
    link.textContent = title;
    item.append(link);
    return item;
  }));
  list.hidden = found.length === 0;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && list) list.hidden = true;
  if (event.key !== "/" || event.target.closest("input, textarea")) return;
  event.preventDefault();
  field?.focus();
});
