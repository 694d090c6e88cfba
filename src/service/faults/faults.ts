// The fault rules, and which of them fire. Each rule counts the requests, jobs or events that it matches, and draws from
// the seed, its place in the list and that count: the same requests in the same order meet the same faults.
import { chanceOf } from '../../base/chance.ts';
import type { FaultName, FaultRule } from '../endpoints/fault-schema.ts';
import { type FaultScope, matches, patternsOf, scopeOf, targetsOf } from './targets.ts';

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

export interface Faults {
  /**
   * The faults that happen to this target now. `latency` combines with every fault; of the others, only the first rule
   * that fires applies, and the rules after it are not counted.
   */
  fire(scope: FaultScope, target: string): readonly Fired[];
  add(rules: readonly FaultRule[]): void;
  clear(): void;
  all(): readonly FaultState[];
}

interface RuleCounter {
  readonly rule: FaultRule;
  readonly place: number;
  readonly scope: FaultScope;
  readonly targets: ReadonlySet<string>;
  matched: number;
  fired: number;
}

export function openFaults(rules: readonly FaultRule[], seed: number): Faults {
  let counters: RuleCounter[] = [];
  let places = 0;

  const add: Faults['add'] = (more) => {
    for (const rule of more) {
      const patterns = patternsOf(rule);
      const targets = targetsOf(rule.fault).filter((target) =>
        patterns.some((pattern) => matches(pattern, target)),
      );
      const scope = scopeOf(rule);
      counters.push({
        ...{ rule, scope, place: places++, targets: new Set(targets) },
        ...{ matched: 0, fired: 0 },
      });
    }
  };
  add(rules);

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
    fire: (scope, target) => {
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
    clear: () => {
      counters = [];
    },
    all: () => counters.map(({ rule, matched, fired }) => ({ rule, matched, fired })),
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
