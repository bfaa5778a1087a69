/** How values of options are read from the command line. */
import { InvalidArgumentError } from "commander";

export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

export function whole(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

export function hours(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= 0 && number <= 24 * 366) return number;
  throw new InvalidArgumentError("It must be a number of hours, 0 or more.");
}
