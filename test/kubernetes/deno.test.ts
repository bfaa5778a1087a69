/** The image for Deno in the place of that for Node, a part after the other under load, and back. After mesh.test.ts. */
import { beforeAll, describe, expect, test } from "vitest";
import { allReady, heddleKubectl, whyNoCluster } from "./cluster.ts";
import { figure } from "./figures.ts";
import { imageBytesMax, imageSize, provideDenoImage } from "./images.ts";
import { declareLoad, type Keys } from "./load.ts";
import { exact, replacedUnderLoad } from "./workload-load.ts";

const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);
const parts = ["profile", "subscription", "gateway"];

describe.skipIf(missing !== undefined)(`The image for Deno${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  let keys: Keys;
  beforeAll(async () => {
    provideDenoImage();
    await allReady(300);
    keys = await declareLoad();
  }, 900_000);

  test("the image is small", () => {
    const bytes = imageSize("heddle:dev-deno");
    figure("size of the image for Deno", { says: `${Math.round(bytes / 1e6)} MB` });
    expect(bytes).toBeLessThan(imageBytesMax);
  });

  test("parts on Deno beside parts on Node: no request fails, nothing is lost or reordered", async () => {
    for (const part of parts) {
      const { load, took } = await replacedUnderLoad(keys, `deployment/${part}`, () => setImage(part, "heddle:dev-deno"));
      figure(`${part} from Node to Deno`, { took, load });
      expect.soft(load, part).toMatchObject({ ...exact, failed: 0, failures: [] });
    }
    await Promise.all(parts.map((part) => setImage(part, "heddle:dev")));
    await allReady(300);
  });
});

async function setImage(part: string, image: string): Promise<void> {
  await heddleKubectl("set", "image", `deployment/${part}`, `heddle=${image}`);
}
