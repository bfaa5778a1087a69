/** The commands heddle import and heddle export: their options and help. */
import type { Command } from "commander";
import { addServerOptions, collect, folderOptions, jsonHelp, jsonLinesHelp, whole } from "../shell/option-values.ts";

export function addImport(program: Command, done: (code: number) => void): void {
  const command = program.command("import")
    .description("send a file of users, events and purchases to /users/track")
    .argument("<file>", "NDJSON, CSV or other delimited text");
  addServerOptions(command, "users.track")
    .option("--format <format>", "ndjson or csv; by the file's name unless given")
    .option("--type <type>", "what each row of a table is: attribute, event or purchase")
    .option(
      "--map <field=column>",
      "field of the object and the column it comes from, or a YAML file of them; may be repeated",
      collect,
      [],
    )
    .option("--delimiter <delimiter>", "one character, tab or whitespace", ",")
    .option("--batch-size <objects>", "objects a request", whole(1, 75), 75)
    .option("--concurrency <requests>", "requests at the same time; the order of each user is kept", whole(1, 32), 1)
    .option("--deadline <seconds>", "how long to try one batch again while the server is down or busy", whole(0, 1_000_000), 600)
    .option("--row-id <column>", "column, or field of the object, that tells rows apart instead of all that they hold")
    .option("--run <name>", "import a file that was imported before once more, as something new")
    .option("--dry-run", "check every row as the server would, and say what would be sent; send and write nothing")
    .option("--quiet", "no progress, only the summary")
    .option("--json", jsonHelp)
    .addHelpText("after", importHelp)
    .action(async (file, options) => done(await (await import("./import/import.ts")).importFile(file, { ...options, env: process.env })));
}

const importHelp = `
NDJSON: each line is either one object with its "type" beside its fields, or a body of /users/track:
  {"type":"attribute","external_id":"u1","first_name":"Ann"}
  {"type":"event","external_id":"u1","name":"signed_up","time":"2026-11-20T12:00:00Z"}
  {"type":"purchase","external_id":"u1","product_id":"cd","currency":"USD","price":11.77,"time":"2026-11-20T12:00:00Z"}
  {"attributes":[{"external_id":"u2","type":"an attribute called type"}],"events":[]}

Lines of heddle export are read too; what of a user an import cannot carry is said by name.

CSV: the first row names the columns. Columns that are called as fields of the API (external_id, price, properties.size, ...)
map by themselves, --map says what others become, and columns that become nothing are named:
  --map price=dollars            field price from column dollars
  --map product_id==cd           field product_id is always "cd"
  --map properties.count=n:int   a field within an object, as a whole number
  Types after the column: text, number, int, bool, date, json. price is a number, quantity an int and time a date
  without saying so. A date without a time of day (20261120 or 2026-11-20) is noon UTC. An empty cell leaves the
  field out. A --map file in YAML holds lines "field: column", and constants as "field: =value".

Each row is taken once. <file>.heddle-progress remembers which were: an interrupted import goes on when the same command
runs again with the same API key, and of a file that was edited, or grew, the rows that are new are sent. Rows are the
same where the object that they become is the same, or where --row-id is; of rows that are equal within a file each
counts. Keep that file beside the other for as long as you may import it again. Without it a file that is as it was
counts once where it is sent with the same API key within the 7 days that the server remembers its requests, and an
edited one anew.

Rows that were refused are in <file>.errors.csv (or .ndjson) as they were, with the reason before each. Mend them there and
import that file with the same options, or mend them in the first file and import that again: both count once.
Users who were taken but for some fields are there too ("taken in part"), with their names and those fields alone, until the
report is imported or the file no longer has their rows. Mend these in the report alone: in the first file the row would be
a new one, and what it counts would count again. Events and purchases that were taken in part are said, as they count.
With --json the summary is JSON: how many objects of each kind are taken by this run (of a dry run: would be), and were by
earlier ones, how many rows are refused, how many are taken in part (inPart), the report of both, and what of a user an
import cannot carry.
With more than one request at the same time, lines that name one user in different ways (by id here, by email there) may
change places.

Examples:
  heddle import users.ndjson --key-file key.txt
  heddle import sales.csv --type purchase --map external_id=customer --map product_id=sku \\
    --map price=total --map currency==EUR --map time=day
  heddle import CDNOW_master.txt --delimiter whitespace --type purchase --map external_id=customer_id \\
    --map time=date --map product_id==cd --map currency==USD --map price=dollar_value --map quantity==1 \\
    --map properties.cds=number_of_cds:int
`;

export function addExport(program: Command, done: (code: number) => void): void {
  const command = program.command("export")
    .description("write users as NDJSON, one a line")
    .option("--ids <file>", "file of external ids, one a line, or of identifier objects; read over HTTP");
  addServerOptions(folderOptions(command, jsonLinesHelp), "users.export.ids")
    .option("--workspace <workspace>", "workspace by id, name or company/name, when reading the data folder")
    .option("-o, --output <file>", "write to this file instead of standard output; only its owner may read it")
    .option("--quiet", "no progress, only the summary")
    .addHelpText(
      "after",
      `
The HTTP API has no list of all users. With --ids, the named users are read over HTTP (50 a request). Without it,
all users of a workspace are read straight from the data folder on this machine, also beside a running server; what
was answered but not yet applied when it begins may be missing.

Examples:
  heddle export -o users.ndjson
  heddle export --ids ids.txt --url http://127.0.0.1:8080 --key-file key.txt -o users.ndjson
`,
    )
    .action(async (options) => done(await (await import("./export.ts")).exportUsers({ ...options, env: process.env })));
}
