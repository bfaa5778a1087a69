/** `npm run deploy-tools`: builds or finds what checks the manifests, prints where each is or what is missing; exit code 1 when one is. */
import { errorText } from "../platform/error-text.ts";
import { provisionTool, toolNames } from "../test/deploy/provision.ts";

for (const name of toolNames) {
  await provisionTool(name).then(
    (place) => console.log(`✔ ${name}: ${place}`),
    (error) => {
      process.exitCode = 1;
      console.log(`✘ ${name}: ${errorText(error)}`);
    },
  );
}
