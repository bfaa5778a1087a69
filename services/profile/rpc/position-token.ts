/** Places of the intake log as clients carry them (X-Heddle-Position): the form that all services share. */
export { positionFromToken, positionToToken } from "../../../platform/intake/position.ts";
