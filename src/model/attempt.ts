// Attempts that the service never looked at.
/** The code of a creation that was not accepted because of an outage. */
export const outageCode = 'outage';

const notSpent: readonly (string | undefined)[] = [outageCode, 'withheld'];

/** True if the service never looked at an attempt with this fault. */
export const isUnspent = (code: string | undefined, state: string): boolean =>
  state === 'refused' && notSpent.includes(code);
