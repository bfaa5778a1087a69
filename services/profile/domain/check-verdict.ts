/** Why one object of /users/track is not taken: thrown by the checks of an object, caught by checkTrack alone. */

/** The message is the text that the client reads as `type`. */
export class Verdict extends Error {}
