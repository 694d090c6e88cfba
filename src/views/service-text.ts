// The first line of every command that sends something to a hosted service, or that is a rehearsal.
import { printable } from '../base/printable.ts';

export const serviceLine = (address: string): string => `Service: ${printable(address)}`;

export const rehearsalLine = 'Rehearsal: this runs against the local service and costs nothing.';
/** The first line of a command about a state file: whose it is. */
export const stateLine = (service: string): string =>
  service === 'rehearsal'
    ? 'Rehearsal: this concerns rehearsed runs only, in which nothing was paid.'
    : serviceLine(service);

/** The user did not ask for a rehearsal. */
export const fallbackLine =
  'Rehearsal: no key and no address are set, so this runs against the local service and costs nothing.';
