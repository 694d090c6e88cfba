// The error of a request that was given up, and the reason.

export class GivenUp extends Error {
  readonly code = 'GIVEN_UP';
  /**
   * `long`: the answer is longer than what is read. `late`: the answer was not complete in time. `slow`: too few bytes arrived.
   * `stopped`: the run no longer waits for the answer. `odd`: the response is not a valid answer. `old`: the request waited for so
   * long that it was not sent.
   */
  readonly because: 'long' | 'late' | 'slow' | 'stopped' | 'odd' | 'old';
  constructor(because: GivenUp['because'], message: string) {
    super(message);
    this.because = because;
  }
}
