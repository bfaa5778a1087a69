/** What of test/http cannot run before a mesh that runs already, and why. The lists may only shrink. */
import { env } from "node:process";
import { isHere } from "./mesh-command.ts";

const settings = "asks for other settings of the server";
const processes = "starts or ends processes of its own";
const installation = "speaks of a whole installation, which others use too";
const secrets = "sends secrets by a client of its own, as they are declared";
const refusals = "uses up what its address may be refused, which others share";

/** Whole files. */
export const leftFiles: Readonly<Record<string, string>> = {
  backup: "copies the folder of Heddle in one process",
  browsers: secrets,
  "docs-samples": secrets,
  "events-command": installation,
  "hostile-timing": refusals,
  "keys-matrix": refusals,
  "keys-proxies": settings,
  "limits-public": refusals,
  "log-consent": "writes to the streams at their server",
  "mesh-apply": settings,
  "mesh-consent-kills": processes,
  "mesh-doctor": installation,
  "mesh-epochs": processes,
  "mesh-gateways": processes,
  "mesh-move": processes,
  "mesh-readiness": processes,
  "mesh-scim-events": "reads the stream of events at its server",
  "mesh-tls": processes,
  "preference-hosts": settings,
  "scim-access": refusals,
  readiness: "looks into the folder of Heddle in one process",
  seeing: settings,
  "subscription-groups": "takes away what others declared meanwhile",
};

/** Left where the gateway is reached through a port-forward, which may not outlive connections that are cut by the hundred. */
export const leftForwarded: Readonly<Record<string, string>> = { "hostile-clients": "a port-forward does not outlive it" };

/** Left on a cluster, whose parts are reached by gateways alone. */
export const leftInside: Readonly<Record<string, string>> = {
  "sender-reports": "calls a part by RPC",
  "users-export-device": "calls a part by RPC",
  "users-merge-fields": "calls a part by RPC",
};

/** Whole files of this run. */
export const leftNow = {
  ...leftFiles,
  ...(isHere ? {} : leftInside),
  ...(env.HEDDLE_TEST_FORWARDED === "1" ? leftForwarded : {}),
};

/** Single tests of other files, by their name. Tests that end a process or read its output leave by themselves. */
export const leftTests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "console-live": {
    "a view that comes back has what it missed, and programs that read no streams have it as JSON":
      "asks the gateway once more that it asked before; another shows all it has, and says so",
  },
  "console-session": {
    "a key that is held to addresses gives no secret that is good elsewhere": "is asked from an address of this machine",
  },
  "log-command": { "heddle log status says how far everything is, and that nothing waits": installation },
  "preference-commands": { "a link stays good when the key is rotated, and stands under HEDDLE_PUBLIC_URL": settings },
  "preference-pages": { "the URL stands at the address that the server listens on, unless another is declared": settings },
  "translations-commands": {
    "heddle apply keeps what a file leaves out; with --prune it goes, and its translations with it":
      "takes away what others declared meanwhile",
  },
};

/** Files with tests that leave while they run, as they end processes or read what those printed: `leave` says so of a file that is missing. */
const leaving = [
  "console",
  "console-live",
  "console-session",
  "email-status",
  "fuzz-openapi",
  "hostile-texts",
  "idempotency",
  "keys",
  "limits",
  "read-your-writes",
  "scim-changes",
  "scim-commands",
  "subscription-status-set",
  "translations-put",
  "users-merge-undo",
  "users-export-device",
  "users-track-rejected",
  "users-track-sync",
];

/** Files that fill a gateway, so that it refuses others meanwhile. */
const filling = ["users-track-large"];

/** What needs a mesh of its own, so that nothing of it is left out. */
export const ownMesh: readonly string[] = [...Object.keys(leftFiles), ...Object.keys(leftTests), ...leaving, ...filling];
