/** The console's script: asks with the key that was typed, and shows what comes as text. The key is in this variable and nowhere else. */
let key = "";
let asking = 0;

const lookEveryMs = 2000;
const board = document.getElementById("board");
const problem = document.getElementById("problem");

document.getElementById("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = document.getElementById("key");
  key = field.value.trim();
  field.value = "";
  void look();
});

document.getElementById("leave").addEventListener("click", () => leave(""));

document.getElementById("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const by = document.getElementById("by").value;
  const name = document.getElementById("name").value.trim();
  const label = document.getElementById("label").value.trim();
  void lookUp(by === "user_alias" ? { user_alias: { alias_name: name, alias_label: label } } : { [by]: name });
});

document.getElementById("by").addEventListener("change", ({ target }) => {
  const label = document.getElementById("label");
  label.hidden = target.value !== "user_alias";
  label.required = !label.hidden;
});

async function look() {
  clearTimeout(asking);
  const asked = key;
  try {
    const overview = await ask("GET", "/console/overview");
    if (key !== asked || key === "") return;
    show(overview);
    say("");
  } catch (error) {
    if (key !== asked) return;
    if (error.status === 401 || error.status === 403) return leave(error.message);
    say(error.message);
  }
  asking = setTimeout(look, lookEveryMs);
}

function leave(why) {
  clearTimeout(asking);
  key = "";
  board.hidden = true;
  document.getElementById("leave").hidden = true;
  document.getElementById("enter").hidden = false;
  document.getElementById("where").textContent = "";
  document.getElementById("users").replaceChildren();
  say(why);
}

function say(text) {
  problem.textContent = text;
  problem.hidden = text === "";
}

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    cache: "no-store",
    credentials: "omit",
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error("The gateway does not answer");
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.message ?? `The gateway answered ${response.status}`), { status: response.status });
}

function show(overview) {
  document.getElementById("enter").hidden = true;
  document.getElementById("leave").hidden = false;
  board.hidden = false;
  const { company, name } = overview.workspace;
  document.getElementById("where").textContent = `${company} / ${name}`;
  showState(overview);
  showThroughput(overview.seconds);
  const routes = overview.routes.map((route) => [`${route.method} ${route.route}`, route.requests, route.refused, `${route.mean_ms} ms`]);
  fill("routes", table(["Route", "Requests", "Refused", "Mean time"], routes, "No request yet"));
  showLimits(overview.limits);
  const errors = overview.errors.map((error) => [
    clock(error.time),
    `${error.method} ${error.route}`,
    `${error.status} ${error.reason}`,
    error.request_id,
    error.trace_id ?? "",
  ]);
  fill("errors", table(["Time", "Route", "Answer", "Request", "Trace"], errors, "None"));
}

function showState(overview) {
  const tiles = [["Ready", overview.ready ? "yes" : "no", overview.reason, overview.ready ? "good" : "bad"]];
  for (const { lane, records, seconds } of overview.lanes ?? []) {
    const late = seconds >= 5;
    tiles.push([`Lag of ${lane}`, `${records} records`, records === 0 ? "" : `oldest ${seconds} s`, late ? "bad" : "good"]);
  }
  // What is of all workspaces is shown to operators
  if (overview.held_users !== undefined) {
    tiles.push(["Held users", String(overview.held_users), "", overview.held_users > 0 ? "bad" : "good"]);
  }
  if (overview.set_aside !== undefined) tiles.push(["Set aside", String(overview.set_aside), "", overview.set_aside > 0 ? "bad" : "good"]);
  fill(
    "state",
    ...tiles.map(([label, value, more, mood]) => {
      const tile = element("div", "", `tile ${mood}`);
      tile.append(element("dt", label), element("dd", value));
      if (more) tile.append(element("dd", more, "more"));
      return tile;
    }),
  );
}

const chart = { width: 600, height: 80 };

function showThroughput(seconds) {
  const most = Math.max(1, ...seconds.map(({ requests }) => requests));
  const svg = shape("svg", { viewBox: `0 0 ${chart.width} ${chart.height}`, preserveAspectRatio: "none", role: "img" });
  const title = shape("title", {});
  title.textContent = `At most ${most} requests in a second`;
  svg.append(title);
  const width = chart.width / seconds.length;
  seconds.forEach(({ requests, refused }, at) => {
    const high = (requests / most) * chart.height;
    const low = (refused / most) * chart.height;
    svg.append(shape("rect", { class: "all", x: at * width, y: chart.height - high, width: width * 0.8, height: high }));
    svg.append(shape("rect", { class: "refused", x: at * width, y: chart.height - low, width: width * 0.8, height: low }));
  });
  const now = seconds.at(-1);
  const total = seconds.reduce((sum, { requests }) => sum + requests, 0);
  const text = `${now.requests} in the last second, ${total} in the last minute, at most ${most}`;
  fill("throughput", svg, element("figcaption", text));
}

/** Those that were used first, the fullest of them on top. */
function showLimits(limits) {
  const used = limits.map((limit) => ({ ...limit, used: limit.capacity - limit.remaining }));
  used.sort((a, b) => b.used / b.capacity - a.used / a.capacity || a.name.localeCompare(b.name));
  fill(
    "limits",
    ...used.map(({ name, used: taken, capacity, window_seconds: window }) => {
      const item = element("li", "");
      const meter = element("meter", `${taken} of ${capacity}`);
      Object.assign(meter, { min: 0, max: capacity, high: capacity * 0.8, value: taken });
      meter.setAttribute("aria-label", name);
      item.append(element("span", name, "name"), meter, element("span", `${taken} of ${capacity} in ${lasting(window)}`, "more"));
      return item;
    }),
  );
}

function lasting(seconds) {
  if (seconds >= 86400) return `${seconds / 86400} d`;
  if (seconds >= 3600) return `${seconds / 3600} h`;
  return seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`;
}

async function lookUp(name) {
  const asked = key;
  try {
    const { users } = await ask("POST", "/console/users", name);
    if (key !== asked) return;
    say("");
    fill("users", ...(users.length === 0 ? [element("p", "Nobody has this name", "more")] : users.map(userCard)));
  } catch (error) {
    fill("users");
    say(error.message);
  }
}

function userCard(user) {
  const card = element("article", "");
  card.append(element("h3", user.platform_id));
  const held = user.held ? "; records of this user are held back" : "";
  const dropped = user.dropped ? `; no room in the profile, dropped: ${user.dropped.count}` : "";
  card.append(element("p", `Made ${clock(user.created_at)}, changed ${clock(user.updated_at)}${held}${dropped}`, "more"));
  const fields = user.fields.map((
    { name, custom, value, set_by: by },
  ) => [custom ? `${name} (custom)` : name, shown(value), ...origin(by)]);
  card.append(element("h4", "Fields, and which request set each"));
  card.append(scrolling(table(["Field", "Value", "Request", "Asked for", "By", "Time"], fields, "None")));
  const merges = user.merges.map(({ source_platform_id: source, time, asked_by: by }) => [clock(time), source, ...origin(by).slice(0, 1)]);
  card.append(element("h4", "Merges"), scrolling(table(["Time", "Taken in", "Request"], merges, "None")));
  card.append(element("h4", "Consent"));
  if (user.consent === undefined) card.append(element("p", "The parts that own consent are not there", "more"));
  else {
    const entries = user.consent.map((entry) => [
      clock(entry.time),
      entry.subject,
      entry.what,
      `${entry.before ?? "none"} → ${entry.after ?? "none"}`,
      entry.request_id,
    ]);
    card.append(scrolling(table(["Time", "Of", "What", "Change", "Request"], entries, "None")));
  }
  return card;
}

/** Request, what it asked for, by whom, when. */
function origin(by) {
  if (by === undefined) return ["before this was kept", "", "", ""];
  if (by.request_id === undefined) return [`too old to be known (place ${by.position})`, "", "", ""];
  return [by.request_id, by.what, by.actor, clock(by.time)];
}

function shown(value) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function clock(time) {
  return time.replace("T", " ").replace(/\.\d+Z$/, "Z");
}

function table(heads, rows, nothing) {
  if (rows.length === 0) return element("p", nothing, "more");
  const made = element("table", "");
  const head = element("tr", "");
  head.append(...heads.map((text) => element("th", text)));
  const body = element("tbody", "");
  body.append(...rows.map((cells) => {
    const row = element("tr", "");
    row.append(...cells.map((text, at) => {
      const cell = element("td", String(text));
      cell.dataset.label = heads[at] ?? "";
      return cell;
    }));
    return row;
  }));
  const top = element("thead", "");
  top.append(head);
  made.append(top, body);
  return made;
}

function scrolling(content) {
  const box = element("div", "", "scroll");
  box.append(content);
  return box;
}

function fill(id, ...content) {
  document.getElementById(id).replaceChildren(...content);
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  if (text !== "") made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  return made;
}
