/** On the mesh: the processes that apply consent are killed while it changes. State, ledger and events come still, once. */
import { expect, test } from "vitest";
import { readConfig } from "../../platform/config.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readEvents } from "../../platform/mesh-config.ts";
import { runCommand } from "../command-line.ts";
import { consentDeclaration, emailGroup, groupState } from "../consent.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const rounds = 3;
const changesARound = 10;

interface Exported {
  readonly ledger: string;
  readonly subject: string;
  readonly after: string;
  readonly hash: string;
}

async function ledgerOf(email: string): Promise<Exported[]> {
  const words = ["consent", "history", "--email", email, "--json", "--workspace", "demo"];
  const { code, output, errors } = await runCommand(words, heddle.heddle.commandEnv);
  if (code !== 0) throw new Error(errors);
  return JSON.parse(output) as Exported[];
}

test("kill -9 of subscription and messaging-status while consent changes: nothing lost, nothing twice", async () => {
  const [id, email] = [fresh(), freshEmail()];
  await heddle.track({ attributes: [{ external_id: id, email }] });
  let state = "subscribed";
  for (let round = 0; round < rounds; round += 1) {
    const restarts = ["subscription", "messaging-status"].map((part) => heddle.heddle.restartPart(part));
    for (let change = 0; change < changesARound; change += 1) {
      state = state === "subscribed" ? "unsubscribed" : "subscribed";
      const subscription_groups = [{ subscription_group_id: emailGroup, subscription_state: state }];
      await heddle.track({ attributes: [{ external_id: id, email_subscribe: state, subscription_groups }] });
    }
    await Promise.all(restarts);
  }
  await expect.poll(() => groupState(heddle, emailGroup, { external_id: id })).toBe("Subscribed");
  const changes = Array.from({ length: rounds * changesARound }, (_, at) => (at % 2 === 0 ? "unsubscribed" : "subscribed"));
  await expect.poll(async () => (await ledgerOf(email)).filter(({ subject }) => subject === email).map(({ after }) => after)).toEqual(
    changes,
  );
  const entries = await ledgerOf(email);
  expect(entries.filter(({ subject }) => subject !== email).map(({ after }) => after)).toEqual(changes);
  const verified = await runCommand(["consent", "verify", "--workspace", "demo"], heddle.heddle.commandEnv);
  expect(verified).toMatchObject({ code: 0 });

  const events = await openEventStream({ ...readConfig(heddle.heddle.commandEnv, readEvents), logger: silentLogger });
  try {
    const told = async () => {
      const subjects = ["subscription.membership.updated.v1", "messaging.email.updated.v1"];
      const all = await Promise.all(subjects.map((subject) => events.read(0, { max: 1_000, subject })));
      // Behind the place of its cause each has the hash of its entry
      return all.flat().map(({ eventId }) => eventId.replace(/^[0-9a-f]+-/, "")).sort();
    };
    await expect.poll(told).toEqual(entries.map(({ hash }) => hash).sort());
  } finally {
    await events.close();
  }
});
