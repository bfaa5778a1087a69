/** The properties of a run start from one seed, so that two runs of the same code say the same: `HEDDLE_SEED=random` tries others. */
import * as fc from "fast-check";

const seed = process.env["HEDDLE_SEED"] ?? "1";
if (seed !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
