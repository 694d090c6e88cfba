// The fault rules, and which of them fire. Each rule counts the requests, jobs or events that it matches, and draws from
// the seed, its place in the list and that count: the same requests in the same order meet the same faults.
import { chanceOf } from '../../base/chance.ts';
import { eventKinds } from '../../contract/api/event.ts';
import { tools } from '../../contract/tools/all.ts';
import { endpoints } from '../endpoints.ts';
import type { FaultName, FaultRule } from './schema.ts';

/** A rule, and its counts since it was added. */
export interface FaultState {
  readonly rule: FaultRule;
  /** How often the rule matched. */
  readonly matched: number;
  /** How often the rule fired. */
  readonly fired: number;
}

/** A rule that has just fired, with a number in [0, 1) for the random part of the fault. */
export interface Fired<Name extends FaultName = FaultName> {
  readonly rule: FaultRule<Name>;
  readonly chance: number;
}

interface RuleCounter {
  readonly rule: FaultRule;
  readonly place: number;
  readonly scope: FaultScope;
  readonly targets: ReadonlySet<string>;
  matched: number;
  fired: number;
}

export type Faults = ReturnType<typeof openFaults>;

export function openFaults(initial: readonly FaultRule[], seed: number) {
  let counters: RuleCounter[] = [];
  let places = 0;

  function add(rules: readonly FaultRule[]): void {
    for (const rule of rules) {
      const patterns = patternsOf(rule);
      const targets = targetsOf(rule.fault).filter((target) =>
        patterns.some((pattern) => matches(pattern, target)),
      );
      counters.push({
        rule,
        place: places++,
        scope: scopeOf(rule),
        targets: new Set(targets),
        matched: 0,
        fired: 0,
      });
    }
  }
  add(initial);

  const countAndDraw = (one: RuleCounter): Fired | undefined => {
    const { rule, place } = one;
    one.matched += 1;
    const chance = chanceOf(seed + place * 7919, one.matched);
    if (one.matched <= (rule.skip ?? 0) || one.fired >= (rule.count ?? Infinity)) return undefined;
    if (chance() >= (rule.probability ?? 1)) return undefined;
    one.fired += 1;
    return { rule, chance: chance() };
  };

  return {
    /**
     * The faults that happen to this target now. `latency` combines with every fault; of the others, only the first rule
     * that fires applies, and the rules after it are not counted.
     */
    fire(scope: FaultScope, target: string): readonly Fired[] {
      const fired: Fired[] = [];
      let decided = false;
      for (const one of counters) {
        if (one.scope !== scope || !one.targets.has(target)) continue;
        const waits = one.rule.fault === 'latency';
        if (decided && !waits) continue;
        const turn = countAndDraw(one);
        if (turn === undefined) continue;
        fired.push(turn);
        decided ||= !waits;
      }
      return fired;
    },
    add,
    clear() {
      counters = [];
    },
    all: (): readonly FaultState[] =>
      counters.map(({ rule, matched, fired }) => ({ rule, matched, fired })),
  };
}

/** The first of these rules of one kind. */
export function firedOf<Name extends FaultName>(
  fired: readonly Fired[],
  name: Name,
): Fired<Name> | undefined {
  for (const { rule, chance } of fired) if (isOf(rule, name)) return { rule, chance };
  return undefined;
}

function isOf<Name extends FaultName>(rule: FaultRule, name: Name): rule is FaultRule<Name> {
  return rule.fault === name;
}

/** The moments at which faults happen. */
type FaultScope = 'request' | 'charge' | 'job' | 'settlement' | 'event' | 'attempt' | 'address';

interface Occasion {
  readonly scope: FaultScope;
  /** What the fault can happen to, by name. */
  readonly targets: readonly string[];
}

const upload = 'PUT /uploads/*';
const transfer: Occasion = { scope: 'request', targets: [upload, 'GET /downloads/*'] };
const request: Occasion = {
  scope: 'request',
  targets: endpoints
    .filter(({ group }) => group !== 'hub')
    .map(({ method, path }) => `${method} ${path}`),
};
const toolNames = tools.map(({ name }) => name);
const event: Occasion = { scope: 'event', targets: eventKinds };

const occasions: Readonly<Record<FaultName, Occasion>> = {
  latency: request,
  throttled: request,
  unavailable: request,
  broken: request,
  reset: request,
  silence: request,
  truncated: transfer,
  stalled: transfer,
  corrupt: transfer,
  'lost-upload': { scope: 'request', targets: [upload] },
  'early-expiry': { scope: 'address', targets: ['uploads', 'downloads'] },
  surcharge: { scope: 'charge', targets: toolNames },
  'job-error': { scope: 'job', targets: toolNames },
  'job-hang': { scope: 'job', targets: toolNames },
  'event-lost': event,
  'event-late': event,
  'event-doubled': event,
  'event-out-of-order': event,
  'event-wrong-signature': { scope: 'attempt', targets: eventKinds },
};

function scopeOf(rule: FaultRule): FaultScope {
  if (rule.fault === 'surcharge' && rule.when === 'after') return 'settlement';
  return occasions[rule.fault].scope;
}

/** Every target of a kind of fault. */
export const targetsOf = (fault: FaultName): readonly string[] => occasions[fault].targets;

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
