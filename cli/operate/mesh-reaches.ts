/** How processes of the mesh reach its servers and each other, as their settings say it: for what the doctor says of TLS and authentication. */
import type { ConfigReader } from "../../platform/config.ts";
import { partVariable, readOptionalNats, readStore, readStreams, readTls } from "../../platform/mesh-config.ts";
import { hostOf, type Reach } from "./judge-security.ts";
import { meshParts } from "../target/mesh-parts.ts";

/** Of NATS, Cassandra, Redis where its address is given, and the ports of RPCs where one is. */
export function readReaches(reader: ConfigReader): Reach[] {
  return [natsReach(reader), cassandraReach(reader), ...redisReach(reader), ...partsReach(reader)];
}

/** Of a gateway, which may have no NATS. */
export function readGatewayReaches(reader: ConfigReader): Reach[] {
  const nats = readOptionalNats(reader) === undefined ? [] : [natsReach(reader)];
  return [...nats, cassandraReach(reader), ...redisReach(reader), ...partsReach(reader)];
}

function natsReach(reader: ConfigReader): Reach {
  const { nats: { servers, credentials, tls } } = readStreams(reader);
  return {
    check: "NATS",
    hosts: servers.map(hostOf),
    isEncrypted: tls !== undefined,
    isProven: secretOf(credentials) !== "" || tls?.cert !== undefined,
    encryptBy: "HEDDLE_NATS_TLS_CA",
    proveBy: "HEDDLE_NATS_USER and _PASSWORD, or _TOKEN",
  };
}

function secretOf(credentials: { readonly password: string } | { readonly token: string } | undefined): string {
  if (credentials === undefined) return "";
  return "token" in credentials ? credentials.token : credentials.password;
}

function cassandraReach(reader: ConfigReader): Reach {
  const { cassandra: { contactPoints, credentials, tls } } = readStore(reader, "profile");
  return {
    check: "Cassandra",
    hosts: contactPoints.map(hostOf),
    isEncrypted: tls !== undefined,
    isProven: secretOf(credentials) !== "" || tls?.cert !== undefined,
    encryptBy: "HEDDLE_CASSANDRA_TLS_CA",
    proveBy: "HEDDLE_CASSANDRA_USER and _PASSWORD",
  };
}

/** With an authority the client speaks TLS, whatever the address begins with. */
function redisReach(reader: ConfigReader): Reach[] {
  const address = reader.text("HEDDLE_REDIS_URL", { fallback: "", secret: true });
  const tls = readTls(reader, "HEDDLE_REDIS");
  if (!URL.canParse(address)) return [];
  const { protocol, password } = new URL(address);
  return [{
    check: "Redis",
    hosts: [hostOf(address)],
    isEncrypted: protocol === "rediss:" || tls !== undefined,
    isProven: password !== "" || tls?.cert !== undefined,
    encryptBy: "rediss:// in HEDDLE_REDIS_URL",
    proveBy: "a password in HEDDLE_REDIS_URL",
  }];
}

/** Each by its HEDDLE_<PART>_URL, which other parts call. */
function partsReach(reader: ConfigReader): Reach[] {
  const addresses = [...meshParts.keys()].flatMap((part) => reader.list(partVariable(part, "URL"), { fallback: [] }));
  if (addresses.length === 0) return [];
  const isSecured = reader.text("HEDDLE_RPC_TLS_CERT", { fallback: "" }) !== "" &&
    addresses.every((address) => /^(dns[+])?https:/.test(address));
  const settings = "HEDDLE_RPC_TLS_CA, _CERT and _KEY, and https:// in HEDDLE_<PART>_URL";
  return [{
    check: "RPC",
    hosts: addresses.map(hostOf),
    isEncrypted: isSecured,
    isProven: isSecured,
    encryptBy: settings,
    proveBy: "the same",
    isMeant: reader.text("HEDDLE_RPC_INSECURE", { fallback: "" }) !== "",
  }];
}
