// How a coordinator signs its records.
import type { Term } from './ports.ts';

export const writerOf = ({ epoch }: Term): string => `coordinator ${epoch}`;
