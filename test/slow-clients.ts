/** A process of clients that send the head of a request a byte a second, each at its own moment; ends when it is killed. Arguments: URL, number. */
import { connect } from "node:net";
import { argv } from "node:process";
import { head } from "./raw.ts";

const [url = "", clients] = argv.slice(2);
const count = Number(clients);
const { hostname, port } = new URL(url);
/** Longer than the time that a head has. */
const bytes = head("POST /users/track HTTP/1.1", ["Host: localhost", "Content-Type: application/json", `X-Slow: ${"x".repeat(100)}`]);

await Promise.all(Array.from({ length: count }, (_, at) => openOne(at)));
process.send?.("open");
process.once("disconnect", () => process.exit());

function openOne(at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, resolve);
    socket.on("error", reject);
    let sent = 0;
    // Spread over the second, as clients that know nothing of each other are
    setTimeout(() => {
      const drip = setInterval(() => socket.writable && socket.write(bytes[sent++] ?? "x"), 1_000);
      socket.once("close", () => clearInterval(drip));
    }, (at * 1_000) / count);
    socket.resume();
  });
}
