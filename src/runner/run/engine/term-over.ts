// Another coordinator has taken over the run: this one may neither order nor record anything any more.

export class TermOver extends Error {
  readonly code = 'TERM_OVER';
}
