// The targets of faults: requests, jobs, events and addresses, by name. A rule selects them by patterns.
import { eventKinds } from '../../contract/api/event.ts';
import { tools } from '../../contract/tools/all.ts';
import { endpoints } from '../endpoints/endpoints.ts';
import type { FaultName, FaultRule } from '../endpoints/fault-schema.ts';

/** The moments at which faults happen. */
export type FaultScope =
  | 'request'
  | 'charge'
  | 'job'
  | 'settlement'
  | 'event'
  | 'attempt'
  | 'address';

const scopes: Readonly<Record<Exclude<FaultName, 'surcharge'>, FaultScope>> = {
  latency: 'request',
  throttled: 'request',
  unavailable: 'request',
  broken: 'request',
  reset: 'request',
  silence: 'request',
  truncated: 'request',
  stalled: 'request',
  corrupt: 'request',
  'lost-upload': 'request',
  'early-expiry': 'address',
  'job-error': 'job',
  'job-hang': 'job',
  'event-lost': 'event',
  'event-late': 'event',
  'event-doubled': 'event',
  'event-out-of-order': 'event',
  'event-wrong-signature': 'attempt',
};

export function scopeOf(rule: FaultRule): FaultScope {
  if (rule.fault !== 'surcharge') return scopes[rule.fault];
  return rule.when === 'before' ? 'charge' : 'settlement';
}

const toolNames = tools.map(({ name }) => name);
const upload = 'PUT /uploads/*';
const download = 'GET /downloads/*';

/** Every target of a kind of fault. */
export function targetsOf(fault: FaultName): readonly string[] {
  if (fault === 'lost-upload') return [upload];
  if (fault === 'surcharge') return toolNames;
  if (fault === 'truncated' || fault === 'stalled' || fault === 'corrupt')
    return [upload, download];
  switch (scopes[fault]) {
    case 'request':
      return endpoints
        .filter(({ group }) => group !== 'hub')
        .map(({ method, path }) => `${method} ${path}`);
    case 'job':
    case 'charge':
    case 'settlement':
      return toolNames;
    case 'event':
    case 'attempt':
      return eventKinds;
    case 'address':
      return ['uploads', 'downloads'];
  }
}

/** The patterns of a rule; `*` stands for any text. */
export function patternsOf({ on }: FaultRule): readonly string[] {
  if (on === undefined) return ['*'];
  return typeof on === 'string' ? [on] : on;
}

export function matches(pattern: string, target: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === target;
  if (!target.startsWith(first)) return false;
  let from = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const at = target.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return target.length - last.length >= from && target.endsWith(last);
}
