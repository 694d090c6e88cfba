// Says which service is spoken to: the first line of every command that sends something there.
import { printable } from '../../contract/base/printable.ts';

export const serviceLine = (address: string): string => `Service: ${printable(address)}`;
