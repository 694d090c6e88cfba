// Reads fault rules from a faults file, with places in the file, or from a request to the hub.
import { durationPattern } from '../../base/duration.ts';
import { isObject, type Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type ErrorObject, validatorOf } from '../../base/schema.ts';
import { type Diagnostic, suggestion } from '../../contract/yaml/diagnostic.ts';
import { describeValue, diagnose, dotted, type YamlFormat } from '../../contract/yaml/shape.ts';
import { parseSource, type Source } from '../../contract/yaml/source.ts';
import { sentenceOf } from '../errors.ts';
import { matches, patternsOf, targetsOf } from './faults.ts';
import { type FaultRule, faultSchemas, isFaultName } from './schema.ts';

/** Reads the text of a faults file. `file` is the name for messages. */
export function parseFaults(
  file: string,
  text: string,
): Result<readonly FaultRule[], readonly Diagnostic[]> {
  const parsed = parseSource(file, text);
  if (!parsed.ok) return parsed;
  const source = parsed.value;
  const read = readFaults(source.value);
  return read.ok ? read : err(read.error.map((problem) => diagnosticOf(problem, source)));
}

/** Checks the faults that the hub or `startService` receives. */
export function acceptFaults(sent: unknown): Result<readonly FaultRule[], string> {
  const read = readFaults(sent);
  if (read.ok) return read;
  const sentences = read.error.map((problem) =>
    problem.kind === 'shape'
      ? sentenceOf(problem.error)
      : `faults.${problem.index}.on "${problem.pattern}" ${problem.message}`,
  );
  return err(`Invalid faults: ${[...new Set(sentences)].join('; ')}.`);
}

type RuleProblem =
  | { readonly kind: 'shape'; readonly error: ErrorObject }
  /** A pattern that matches nothing: the fault could never happen. */
  | {
      readonly kind: 'target';
      readonly index: number;
      readonly place: number | undefined;
      readonly pattern: string;
      readonly message: string;
      readonly hint: string;
    };

const outside = {
  type: 'object',
  additionalProperties: false,
  required: ['faults'],
  properties: {
    faults: {
      type: 'array',
      items: {
        type: 'object',
        required: ['fault'],
        properties: { fault: { type: 'string', enum: Object.keys(faultSchemas) } },
      },
    },
  },
} as const;

function readFaults(document: unknown): Result<readonly FaultRule[], readonly RuleProblem[]> {
  const check = validatorOf(outside);
  if (!check(document))
    return err((check.errors ?? []).map((error) => ({ kind: 'shape', error }) as const));
  const list: unknown = isObject(document) ? document['faults'] : [];
  const rules: FaultRule[] = [];
  const problems: RuleProblem[] = [];
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    const rule = ruleIn(entry, index, problems);
    if (rule === undefined) continue;
    rules.push(rule);
    problems.push(...unknownTargets(rule, index));
  }
  return problems.length > 0 ? err(problems) : ok(rules);
}

/** An entry as a rule of its kind. Adds the problems of the entry to `problems`. */
function ruleIn(entry: Json, index: number, problems: RuleProblem[]): FaultRule | undefined {
  const name = isObject(entry) ? entry['fault'] : undefined;
  if (!isFaultName(name)) return undefined;
  const check = validatorOf<FaultRule>(faultSchemas[name]);
  const candidate: unknown = entry;
  if (check(candidate)) return candidate;
  for (const error of check.errors ?? [])
    problems.push({
      kind: 'shape',
      error: { ...error, instancePath: `/faults/${index}${error.instancePath}` },
    });
  return undefined;
}

function unknownTargets(rule: FaultRule, index: number): readonly RuleProblem[] {
  const targets = targetsOf(rule.fault);
  return patternsOf(rule).flatMap((pattern, place) => {
    if (targets.some((target) => matches(pattern, target))) return [];
    return [
      {
        kind: 'target',
        index,
        place: Array.isArray(rule.on) ? place : undefined,
        pattern,
        message: `matches no target of ${rule.fault}`,
        hint: suggestion(pattern, targets) ?? `for example "${targets[0]}"`,
      },
    ];
  });
}

/** Describes a time in words instead of by its pattern. */
const faultsFormat: YamlFormat = {
  subjectOf: (path) => dotted(path) || 'the file',
  sentenceOf: ({ params, data }, _path, subject) =>
    params['pattern'] === durationPattern
      ? {
          code: 'SL107',
          message: `${subject} must be a time such as 200ms, 5s or 2m, not ${describeValue(data)}`,
          hint: 'write a number and a unit: ms, s, m, h or d',
        }
      : undefined,
};

function diagnosticOf(problem: RuleProblem, source: Source): Diagnostic {
  if (problem.kind === 'shape') return diagnose(problem.error, source, faultsFormat);
  const { index, place, pattern, message, hint } = problem;
  const path = ['faults', index, 'on', ...(place === undefined ? [] : [place])];
  return {
    severity: 'error',
    code: 'SL801',
    file: source.file,
    span: source.spanOf(path),
    message: `"${pattern}" ${message}`,
    hint,
  };
}
