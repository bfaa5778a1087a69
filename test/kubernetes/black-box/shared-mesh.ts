/** First in each worker of the project `http-shared`: the settings of the mesh that test/mesh-setup.ts started, as `npm run mesh` prints them. */
import { env } from "node:process";

Object.assign(env, JSON.parse(env.HEDDLE_TEST_SHARED_MESH ?? "{}"));
