// Payments that a state file does not know, as text.
import { count } from '../base/text.ts';

export interface MissingPayments {
  readonly creations: number;
  /** Charged, or set aside for an unknown outcome. */
  readonly credits: number;
}

export const missingText = ({ creations, credits }: MissingPayments): string =>
  `${count(creations, 'paid creation')} (${count(credits, 'credit')})`;

/** `repair`: the pipeline file and its flags. */
export function onlyInReceiptsLines(missing: MissingPayments, repair: string): readonly string[] {
  if (missing.creations === 0) return [];
  const verb = missing.creations === 1 ? 'is' : 'are';
  return [
    `${missingText(missing)} ${verb} only in your receipts: the next run takes over what it needs, and shotlist repair ${repair} brings back all.`,
  ];
}
