/** The images of the local overlay, made and brought into the cluster by whatever means it has. */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";

const repository = resolve(import.meta.dirname, "../..");

/**
 * Builds the image of this working tree. HEDDLE_IMAGE_LOAD is a command that brings images, given as its arguments, into the cluster
 * (`kind load docker-image`); without it the cluster is taken to see what docker has. HEDDLE_STAND_INS=1 makes the images of the
 * servers too, for a cluster that reaches no registry. HEDDLE_KEEP_IMAGES=1: the cluster has them.
 */
export function provideImages(): void {
  if (env.HEDDLE_KEEP_IMAGES === "1") return;
  docker(["build", "--quiet", "--network=host", "-f", join(repository, "deploy/images/Dockerfile"), "-t", "heddle:dev", repository]);
  const standIns = env.HEDDLE_STAND_INS === "1" ? buildStandIns() : [];
  loadImages(["heddle:dev", ...standIns]);
}

/** The image for Deno, `heddle:dev-deno`, as `provideImages` does it. */
export function provideDenoImage(): void {
  if (env.HEDDLE_KEEP_IMAGES === "1") return;
  const dockerfile = join(repository, "deploy/images/Dockerfile");
  docker(["build", "--quiet", "--network=host", "-f", dockerfile, "--target", "deno", "-t", "heddle:dev-deno", repository]);
  loadImages(["heddle:dev-deno"]);
}

/** What an image may have at most, in bytes of `docker image inspect`. */
export const imageBytesMax = 250e6;

export function imageSize(name: string): number {
  return Number(execFileSync("docker", ["image", "inspect", "--format", "{{.Size}}", name], { encoding: "utf8" }));
}

export function loadImages(names: readonly string[]): void {
  const [program, ...args] = (env.HEDDLE_IMAGE_LOAD ?? "").split(" ");
  if (program) execFileSync(program, [...args, ...names], { stdio: ["ignore", "ignore", "inherit"] });
}

export function docker(args: readonly string[]): void {
  execFileSync("docker", args, { stdio: ["ignore", "ignore", "inherit"], env: { ...env, DOCKER_BUILDKIT: "1" } });
}

function buildStandIns(): string[] {
  const printed = execFileSync(execPath, [join(import.meta.dirname, "stand-ins/build.ts")], { encoding: "utf8" });
  return printed.split("\n").filter((line) => line !== "");
}
