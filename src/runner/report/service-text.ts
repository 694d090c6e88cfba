// The first line of every command that sends something to a hosted service.
import { printable } from '../../contract/base/printable.ts';

export const serviceLine = (address: string): string => `Service: ${printable(address)}`;
