/** `npm run servers`: builds or finds the real servers of the mesh tests, prints where each is or what is missing; exit code 1 when one is. */
import { provision, serverNames } from "../test/servers/provision.ts";

let complete = true;
for (const name of serverNames) {
  const { found, missing } = await provision(name);
  complete &&= missing === undefined;
  console.log(missing === undefined ? `✔ ${name}: ${found.folder ?? found.program}` : `✘ ${name}: ${missing}`);
}
process.exitCode = complete ? 0 : 1;
