// What the server of a live page tells the page.

/**
 * `data` is JSON: of `report` a `ReportData`, of `change` a `ReportChange`, of `trouble` why the page shows an earlier state, or
 * null if it no longer does, of `pulse` a `PagePulse`, or null while nobody runs, of `ended` why nothing follows.
 */
export interface PageMessage {
  readonly type: 'report' | 'change' | 'trouble' | 'pulse' | 'ended';
  readonly data: string;
}

/** `run`: the run that the page was about is over. `stopped`: somebody stopped the server of the page. */
export type PageEnd = 'run' | 'stopped';
