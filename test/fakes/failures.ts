// How calls to the service fail.
import type { ApiFailure } from '../../src/contract/api/failure.ts';

export const busy: ApiFailure = { reason: 'unavailable', status: 503, message: 'busy' };
export const throttled: ApiFailure = { reason: 'throttled', message: '', retryAfterMs: 7000 };
export const unanswered: ApiFailure = { reason: 'unanswered', message: 'the connection was cut' };
export const unfit: ApiFailure = { reason: 'refused', status: 422, message: 'no face' };
