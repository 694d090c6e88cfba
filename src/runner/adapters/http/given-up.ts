// Why nobody waits for an answer any more.

/** The wait for the answer was given up. */
export class GivenUp extends Error {
  readonly code = 'GIVEN_UP';
  /**
   * `stopped`: the run no longer waits for the answer. `old`: the request waited for so long that it was not sent. `odd`: the response continues without ever becoming an answer.
   */
  readonly because: 'long' | 'late' | 'slow' | 'stopped' | 'odd' | 'old';
  constructor(because: GivenUp['because'], message: string) {
    super(message);
    this.because = because;
  }
}
