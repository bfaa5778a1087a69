/** Versions of the records in the intake and in the lanes of consent: which this build reads, and which it writes. */

/**
 * A newer build wrote it, and older ones cannot know what it does: it is neither passed over nor set aside, and what stands behind it waits
 * for a build that knows it. The text goes to /readyz: it quotes nothing but numbers.
 */
export class UnknownVersion extends Error {
  override readonly name = "UnknownVersion";
}

/** 0 is a record without one, as builds before wrote; 2 may name users of memberships by their ids. */
const newestVersion = 2;

/**
 * A number that the build before does not read may stand here once every process that lives says that it reads it. None says so yet:
 * what reads a version ships one release before what writes it.
 */
export const writtenVersion = 0;

/**
 * Of a record that names users of memberships by their ids: the build before would read it as one about nobody, and pass over what a person
 * chose, and stops before it as it is. Only pages of links have it written, so it is at once, and the changelog says in which order parts are updated.
 * Records of lanes have nothing of this version: their next number is 3.
 */
export const userIdsVersion = 2;

/** Throws UnknownVersion. */
export function checkVersion(version: number): void {
  if (version <= newestVersion) return;
  throw new UnknownVersion(
    `Expected a record of version 0 to ${newestVersion}, got ${version}: run the build that wrote it, or a newer one`,
  );
}
