// One movement of credits, as the ledger of an account lists it. Part of the library's types.

export type LedgerKind = 'charge' | 'refund' | 'adjustment';

export interface LedgerEntry {
  readonly seq: number;
  /** ISO 8601 timestamp. */
  readonly at: string;
  readonly account: string;
  /** The project that it is about; null for an adjustment of the account itself, as the opening balance. */
  readonly project: string | null;
  readonly tool: string | null;
  /** The project's name. */
  readonly name: string | null;
  readonly kind: LedgerKind;
  /**
   * Credits. A charge and a refund are positive: the kind says the direction. An adjustment has a sign:
   * positive is credited to the account, negative is taken from it.
   */
  readonly credits: number;
}
